// Messages between devices: send and recv. A send does not wait for its recv unless
// RunOptions::sends_wait is set. A recv is done when its value has been sent: the k-th recv of a
// line gets its k-th message. Source: reference ops_control_and_collectives.md 8.1. Tests:
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
  // Sends from the device to `target` of its own program (a flattened id) or, without a target, to
  // the receiver on the channel in any program. The result is ready when the recv that gets the
  // value has begun.
  absl::StatusOr<PendingPtr> Send(const Instruction& send, std::optional<int64_t> target,
                                  const Literal& value, const Process& process);
  absl::StatusOr<PendingPtr> Receive(const Instruction& recv, std::optional<int64_t> source,
                                     const Process& process);

  // Returns an error if a message has not been received.
  absl::Status CheckEmpty() const;

 private:
  // A message: its value once it is sent, and whether a recv waits for it.
  struct Message;
  class Arrival;
  class Delivery;
  // Program, channel, source and target. Without source-target pairs all but the channel are -1.
  using Line = std::tuple<int64_t, int64_t, int64_t, int64_t>;
  // The sender and the receiver of a channel without pairs.
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
