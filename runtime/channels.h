// Messages between processes: send and recv. A send leaves its value, and never waits unless the
// run says so (RunOptions::sends_wait); a recv is done when its value is there, the k-th of a place
// with the k-th sent to it. Source: reference ops_control_and_collectives.md 8.1. Tests:
// transfers_test.cc.
#ifndef ASSAY_RUNTIME_CHANNELS_H_
#define ASSAY_RUNTIME_CHANNELS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/pending.h"
#include "runtime/process.h"
#include "spec/ir/module.h"

namespace assay::runtime {

class Channels {
 public:
  // From the process to `target` of its own program (a flattened id), or, without one, to whoever
  // receives on the channel, in whatever program.
  // What it returns is ready when a recv has begun that gets the value.
  absl::StatusOr<PendingPtr> Send(const Instruction& send, std::optional<int64_t> target,
                                  const Literal& value, const Process& process);
  absl::StatusOr<PendingPtr> Receive(const Instruction& recv, std::optional<int64_t> source,
                                     const Process& process);

  // An error for a message that nobody has received.
  absl::Status CheckEmpty() const;

 private:
  // A message under way: its value once it is sent, and whether somebody waits for it.
  struct Message;
  class Arrival;
  class Delivery;
  // Program, channel, source and target; without pairs all but the channel are -1.
  using Line = std::tuple<int64_t, int64_t, int64_t, int64_t>;
  // Those who use a channel without pairs: one sends, one receives.
  struct Ends {
    std::optional<ProcessId> sender, receiver;
  };
  static absl::Status Claim(std::optional<ProcessId>& end, const Instruction& transfer,
                            const Process& process);

  std::map<Line, std::deque<std::shared_ptr<Message>>> unsent_;      // awaited
  std::map<Line, std::deque<std::shared_ptr<Message>>> unreceived_;  // sent
  std::map<int64_t, Ends> ends_;                                     // by channel
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_CHANNELS_H_
