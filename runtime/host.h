// The identity of a device in a run, and the interface of the host program. Source: reference
// ops_control_and_collectives.md 5, 8. Tests: interpreter/transfers_test.cc.
#ifndef ASSAY_RUNTIME_HOST_H_
#define ASSAY_RUNTIME_HOST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace assay::runtime {

// Identifies a device of a run: the program that it executes and its place in that program's grid.
struct ProcessId {
  int64_t program = 0;
  int64_t replica = 0;
  int64_t partition = 0;
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

// The host program: provides the values of infeeds and receives and accepts those of outfeeds and
// sends. The base class provides nothing and accepts nothing.
class Host {
 public:
  virtual ~Host() = default;
  // Returns the next item of the device's queue, which must have this shape.
  virtual absl::StatusOr<Literal> Infeed(const ProcessId& process, const Shape& shape);
  virtual absl::Status Outfeed(const ProcessId& process, const Literal& value);
  // `key` is the rendezvous in the instruction's frontend attributes, otherwise its channel id.
  virtual absl::StatusOr<Literal> Receive(const ProcessId& process, const std::string& key,
                                          const Shape& shape);
  virtual absl::Status Send(const ProcessId& process, const std::string& key, const Literal& value);
  // Returns the bytes that the host holds for devices before a run. They count against the run's
  // budget for its whole duration.
  virtual int64_t held_bytes() const { return 0; }
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_HOST_H_
