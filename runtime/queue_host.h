// A host program made of queues: what processes take is put in before the run, what they give is
// found in it afterwards. Infeeds and outfeeds have a queue for each process, host transfers one
// for each process and key. A value is queued as its arrays in order, so that a tuple takes as many
// as it has leaves. What processes give stays counted against the budget of their run, and what is
// put in counts against it as long as the run lasts; storage that arrays share counts once. Source:
// reference ops_control_and_collectives.md 8.2, 8.3. Tests: transfers_test.cc.
#ifndef ASSAY_RUNTIME_QUEUE_HOST_H_
#define ASSAY_RUNTIME_QUEUE_HOST_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/host.h"

namespace assay::runtime {

class QueueHost : public Host {
 public:
  // Appends the arrays of a value.
  void PutInfeed(const ProcessId& process, const Literal& value);
  void PutReceive(const ProcessId& process, const std::string& key, const Literal& value);
  // Without it a send to the host is NOT_FOUND.
  void TakeSends() { takes_sends_ = true; }

  // FAILED_PRECONDITION for an empty queue, INVALID_ARGUMENT for an array of another type or other
  // sizes; both count items and arrays from 0.
  absl::StatusOr<Literal> Infeed(const ProcessId& process, const Shape& shape) override;
  absl::Status Outfeed(const ProcessId& process, const Literal& value) override;
  // NOT_FOUND for a key that has never had a value; else as Infeed.
  absl::StatusOr<Literal> Receive(const ProcessId& process, const std::string& key,
                                  const Shape& shape) override;
  absl::Status Send(const ProcessId& process, const std::string& key,
                    const Literal& value) override;

  int64_t held_bytes() const override;

  // The arrays that an infeed of the process may still take, in order.
  std::vector<Literal> queued(const ProcessId& process) const;
  // The arrays that a process has fed out, or sent under each key, in order.
  const std::vector<Literal>& outfed(const ProcessId& process) const;
  const std::map<std::string, std::vector<Literal>>& sent(const ProcessId& process) const;

  // How many arrays nobody has taken.
  int64_t unused_infeeds() const;
  int64_t unused_receives() const;

 private:
  using Key = std::tuple<int64_t, int64_t, int64_t>;
  static Key KeyOf(const ProcessId& process) {
    return {process.program, process.replica, process.partition};
  }
  struct Queue {
    std::deque<Literal> arrays;
    int64_t items_taken = 0, arrays_taken = 0;
    void Put(const Literal& value);
    absl::StatusOr<Literal> Take(const std::string& name, const Shape& shape);
  };

  bool takes_sends_ = false;
  std::map<Key, Queue> infeeds_;
  std::map<std::pair<Key, std::string>, Queue> receives_;
  std::map<Key, std::vector<Literal>> outfed_;
  std::map<Key, std::map<std::string, std::vector<Literal>>> sent_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_QUEUE_HOST_H_
