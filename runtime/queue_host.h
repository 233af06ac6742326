// A host program of queues. Inputs of devices are put in before the run, outputs are read after it.
// Infeeds and outfeeds have a queue for each device, host transfers one for each device and key. A
// value is queued as its leaf arrays in order. Outputs stay counted against the budget of their
// run; inputs count against it during the run. Storage that arrays share counts once. Source:
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
  // Accepts sends. Otherwise a send to the host returns NOT_FOUND.
  void TakeSends() { takes_sends_ = true; }

  // Returns FAILED_PRECONDITION for an empty queue, and INVALID_ARGUMENT for an array of another
  // type or other sizes. Messages number items and arrays from 0.
  absl::StatusOr<Literal> Infeed(const ProcessId& process, const Shape& shape) override;
  absl::Status Outfeed(const ProcessId& process, const Literal& value) override;
  // Returns NOT_FOUND for a key that never had a value, otherwise the errors of Infeed.
  absl::StatusOr<Literal> Receive(const ProcessId& process, const std::string& key,
                                  const Shape& shape) override;
  absl::Status Send(const ProcessId& process, const std::string& key,
                    const Literal& value) override;

  int64_t held_bytes() const override;

  // Returns the remaining arrays of the device's infeed queue, in order.
  std::vector<Literal> queued(const ProcessId& process) const;
  // Return the arrays of a device's outfeeds, and of its sends under each key, in order.
  const std::vector<Literal>& outfed(const ProcessId& process) const;
  const std::map<std::string, std::vector<Literal>>& sent(const ProcessId& process) const;

  // Return the number of arrays that were not taken.
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
