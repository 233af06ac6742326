// The interface of an engine, which computes. The runtime decides when an instruction runs, on
// which storage and with which other devices. An engine provides a kernel for each instruction that
// computes. The golden interpreter is such an engine (interpreter/golden_engine.h), and so is every
// backend that shares the runtime. Tests: engine_test.cc, with an engine of three operations.
#ifndef ASSAY_RUNTIME_ENGINE_H_
#define ASSAY_RUNTIME_ENGINE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/arrays.h"
#include "runtime/context.h"
#include "runtime/effect.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::runtime {

struct RunStats;

// A prepared instruction, which is executed many times and by several threads concurrently.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Writes every leaf of the result completely. Operands and results have the shapes that the
  // kernel was prepared for. Results do not overlap operands except the in_place_operand. The
  // context is from an EngineState of the engine that prepared the kernel.
  virtual absl::Status Execute(absl::Span<const ArrayRef> operands,
                               absl::Span<const MutableArrayRef> results,
                               Context& context) const = 0;
  // Returns the operand whose storage results[0] may share, or -1.
  virtual int in_place_operand() const { return -1; }
};
using KernelOr = absl::StatusOr<std::unique_ptr<Kernel>>;

// The state of an engine while one device runs a module.
class EngineState {
 public:
  virtual ~EngineState() = default;
  // Returns the context for every kernel and effect. The runtime sets the members of Context; an
  // engine may return a derived type with more members.
  virtual Context& context() = 0;
  // Called after each kernel or effect if the run has statistics.
  virtual void AfterStep(const Instruction& /*instruction*/) {}
  // Adds the engine's counts to statistics of its own type; ignores other types.
  virtual void AddStats(RunStats& /*stats*/) const {}
};

// An engine is immutable and thread-safe; states and contexts hold the changing data of a run.
class Engine {
 public:
  virtual ~Engine() = default;

  // Returns true if kernels apply this computation themselves (a reducer, a comparator). Any other
  // region is planned, and kernels run it through Context::caller.
  virtual bool AppliesRegion(const Computation& region) const = 0;
  // Returns true if PrepareOnViews may be called. Data movement then needs no step of its own if
  // all users read through it.
  virtual bool ReadsViews() const { return false; }

  // Returns a kernel for an instruction that has passed CheckInstruction and outlives the kernel.
  // Returns UNIMPLEMENTED with the operation's name.
  virtual KernelOr Prepare(const Instruction& instruction) const = 0;
  // Returns a kernel that reads operand k through views[k] of the arrays of an execution (`source`
  // is the number of the array). Returns null if the kernel reads only dense operands.
  virtual KernelOr PrepareOnViews(const Instruction& /*instruction*/,
                                  absl::Span<const View> /*views*/) const {
    return nullptr;
  }
  // Returns a kernel for a whole loop on arrays of static sizes without effects or observers. Its
  // operands are the leaves of the state. Returns null if condition and body shall run as plans.
  virtual KernelOr PrepareLoop(const Instruction& /*loop*/) const { return nullptr; }
  // Returns a kernel for a fusion without effects or observers. Its operands are the leaves of the
  // fusion's operands. Returns null if the fused computation shall run as a plan.
  virtual KernelOr PrepareFusion(const Instruction& /*fusion*/) const { return nullptr; }
  // Returns a kernel for the result of the member at `position` of a group of `members` in an
  // all-reduce, all-gather, all-to-all, reduce-scatter or ragged-all-to-all, or in the start of the
  // first two, where all positions have the same result. Operands are those of all members, member
  // after member; results are the leaves of analysis::CollectiveResult.
  virtual KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                                     int64_t position) const = 0;
  // Prepares the effects that the runtime does not implement: operations that draw random numbers,
  // and custom calls other than the borders of manual regions. Returns UNIMPLEMENTED with the
  // target's name.
  virtual EffectOr PrepareEffect(const Instruction& instruction) const = 0;

  // Returns a state for one device and one run. `counted` is true if the run has statistics.
  virtual std::unique_ptr<EngineState> NewState(bool counted) const = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_ENGINE_H_
