// Who computes. The runtime decides when an instruction runs, on which storage and with which other
// devices; an engine gives it a kernel for each instruction that computes. The golden interpreter
// is such an engine (interpreter/golden_engine.h), and so is every backend that shares the runtime.
// Tests: engine_test.cc, with an engine of three operations.
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

// An instruction, prepared once and run many times, by several threads at once.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Writes every leaf of the result completely. Operands and results have the shapes that the
  // kernel was prepared for; results do not overlap operands unless in_place_operand says so. The
  // context is that of a state of the engine that prepared the kernel.
  virtual absl::Status Execute(absl::Span<const ArrayRef> operands,
                               absl::Span<const MutableArrayRef> results,
                               Context& context) const = 0;
  // The operand whose storage results[0] may be given as its own, or -1.
  virtual int in_place_operand() const { return -1; }
};
using KernelOr = absl::StatusOr<std::unique_ptr<Kernel>>;

// What an engine keeps while one device runs a module.
class EngineState {
 public:
  virtual ~EngineState() = default;
  // Handed to every kernel and effect. The runtime sets its members; what an engine adds to them in
  // a type of its own is its own affair.
  virtual Context& context() = 0;
  // Called when a kernel or an effect of the instruction has run, where the run asks for
  // statistics.
  virtual void AfterStep(const Instruction& /*instruction*/) {}
  // Adds what the engine has counted to statistics of its own kind; leaves others alone.
  virtual void AddStats(RunStats& /*stats*/) const {}
};

// Const and safe from several threads: what changes while a module runs is in states and contexts.
class Engine {
 public:
  virtual ~Engine() = default;

  // Returns true if kernels apply this computation themselves (a reducer, a comparator). Any other
  // region is planned, and kernels run it through Context::caller.
  virtual bool AppliesRegion(const Computation& region) const = 0;
  // Returns true if PrepareOnViews may be asked: data movement then needs no step of its own where
  // all users read through it.
  virtual bool ReadsViews() const { return false; }

  // Kernels for instructions that have passed CheckInstruction and outlive them. UNIMPLEMENTED
  // names the operation.
  virtual KernelOr Prepare(const Instruction& instruction) const = 0;
  // A run is given arrays, and the elements of operand k are where views[k] says among these
  // (`source` is the number of the array). Null where operands are read as they lie only.
  virtual KernelOr PrepareOnViews(const Instruction& /*instruction*/,
                                  absl::Span<const View> /*views*/) const {
    return nullptr;
  }
  // A loop on arrays of static sizes that neither has effects nor is observed, as one kernel: its
  // operands are the leaves of the state. Null: condition and body run as plans.
  virtual KernelOr PrepareLoop(const Instruction& /*loop*/) const { return nullptr; }
  // A fusion without effects that is not observed, as one kernel: its operands are the leaves of
  // the fusion's operands. Null: the fused computation runs as a plan.
  virtual KernelOr PrepareFusion(const Instruction& /*fusion*/) const { return nullptr; }
  // What the member at `position` of a group of `members` gets from an all-reduce, all-gather,
  // all-to-all, reduce-scatter or ragged-all-to-all (of the first two also the start; a position of
  // these stands for all). Operands of a run are those of all members, member after member;
  // results the leaves of analysis::CollectiveResult.
  virtual KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                                     int64_t position) const = 0;
  // Operations that draw random numbers, and custom calls (not those at the borders of manual
  // regions): what has an effect and is not the runtime's. UNIMPLEMENTED names the target.
  virtual EffectOr PrepareEffect(const Instruction& instruction) const = 0;

  // For one device and one run. `counted`: the run asks for statistics.
  virtual std::unique_ptr<EngineState> NewState(bool counted) const = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_ENGINE_H_
