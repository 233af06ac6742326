// Which device of a run somebody is, and the host program as devices see it.
// Source: reference ops_control_and_collectives.md 5, 8. Tests: interpreter/transfers_test.cc.
#ifndef ASSAY_RUNTIME_HOST_H_
#define ASSAY_RUNTIME_HOST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace assay::runtime {

// A process of a run: which of the programs it executes, and its place in that program's grid.
struct ProcessId {
  int64_t program = 0;
  int64_t replica = 0;
  int64_t partition = 0;
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

// What infeeds and receives from the host yield, where outfeeds and sends to the host go. This one
// has nothing to give and takes nothing.
class Host {
 public:
  virtual ~Host() = default;
  // The next item of the process's queue, of the shape asked for.
  virtual absl::StatusOr<Literal> Infeed(const ProcessId& process, const Shape& shape);
  virtual absl::Status Outfeed(const ProcessId& process, const Literal& value);
  // `key` is the rendezvous of the instruction's frontend attributes, else its channel id.
  virtual absl::StatusOr<Literal> Receive(const ProcessId& process, const std::string& key,
                                          const Shape& shape);
  virtual absl::Status Send(const ProcessId& process, const std::string& key, const Literal& value);
  // What it holds ready for processes before a run: counted against the run's budget of bytes from
  // beginning to end.
  virtual int64_t held_bytes() const { return 0; }
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_HOST_H_
