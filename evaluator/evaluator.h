// The interfaces of the evaluator: an instruction is prepared once and run many times; a run reads
// operands, writes into given storage and allocates nothing that outlasts it.
//
// Two ways lead to the same bits: the definition of an operation says what the element at an index
// is, written for reading (evaluator/ops); its kernel computes all elements fast
// (evaluator/kernels) and is held against the definition by tests.
//
// Control flow (call, while, conditional, fusion, tuples, tokens) is the interpreter's.
#ifndef ASSAY_EVALUATOR_EVALUATOR_H_
#define ASSAY_EVALUATOR_EVALUATOR_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/real/real_functions.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay {

// A dense array in literal storage (row-major, sub-byte elements one to the byte).
struct ArrayRef {
  const Shape* shape = nullptr;
  const std::byte* data = nullptr;
};
struct MutableArrayRef {
  const Shape* shape = nullptr;
  std::byte* data = nullptr;
};

// What the evaluator asks of whoever runs modules.
class ComputationCaller {
 public:
  virtual ~ComputationCaller() = default;
  // Runs a called computation on literals; for regions that are no scalar programs.
  virtual absl::StatusOr<Literal> Call(const Computation& computation,
                                       absl::Span<const Literal> arguments) = 0;
};

// What a run may spend: element steps and wall time, counted together over nested calls.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  // Negative: unlimited, and so are 10^9 seconds or more.
  Budget(int64_t steps, double seconds);
  Budget() : Budget(-1, -1) {}

  // Charges `steps` element operations. RESOURCE_EXHAUSTED when steps or time have run out. Cheap
  // enough for every instruction and for every few thousand elements; safe from several threads.
  // Looks at the clock once in 65536 steps.
  absl::Status Charge(int64_t steps);
  // As Charge, and looks at the clock: for steps that may take milliseconds each.
  absl::Status ChargeCostly(int64_t steps);
  int64_t spent() const { return spent_.load(std::memory_order_relaxed); }

 private:
  absl::Status CheckClock();

  std::atomic<int64_t> spent_{0};
  std::atomic<int64_t> next_clock_check_{0};
  int64_t limit_;
  double seconds_;
  Clock::time_point deadline_;
};

// Counts what kernels allocate while they run.
class ScratchAccount {
 public:
  virtual ~ScratchAccount() = default;
  // RESOURCE_EXHAUSTED where the bytes do not fit.
  virtual absl::Status Reserve(int64_t bytes) = 0;
  virtual void Release(int64_t bytes) = 0;
};

class WorkerPool;  // parallel.h

// An element that the last tier left undecided, and the enclosure that it did find.
struct UndecidedElement {
  int64_t position = 0;  // row major, in its leaf of the result
  Element low;           // patterns; of complex elements part by part
  Element high;
  int64_t leaf = 0;
};

// Handed to every run. One per thread of execution; budget and caller are shared.
struct EvaluationContext {
  ComputationCaller* caller = nullptr;  // null: regions must be scalar programs
  Budget* budget = nullptr;             // null: unlimited
  RealStats real_stats;                 // undecided elements, tiers used
  ScratchAccount* scratch = nullptr;    // null: not counted; safe from several threads
  // The threads that share the blocks of long loops (parallel.h); null: this one alone. No result
  // depends on it.
  WorkerPool* workers = nullptr;
  // Where kernels of elementwise operations, transforms and complex products report the undecided
  // elements of their result; null: nowhere.
  std::vector<UndecidedElement>* undecided = nullptr;

  absl::Status Charge(int64_t steps) {
    return budget == nullptr ? absl::OkStatus() : budget->Charge(steps);
  }
  absl::Status ChargeCostly(int64_t steps) {
    return budget == nullptr ? absl::OkStatus() : budget->ChargeCostly(steps);
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Writes every result leaf completely. Operands and results have the shapes of the instruction;
  // results do not overlap operands unless in_place_operand says so.
  virtual absl::Status Run(absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results,
                           EvaluationContext& context) const = 0;
  // The operand whose storage results[0] may be given as its own, or -1.
  virtual int in_place_operand() const { return -1; }
};

// Elements of the operands of one instruction, on demand.
class OperandElements {
 public:
  virtual ~OperandElements() = default;
  virtual absl::StatusOr<Element> At(int64_t operand, absl::Span<const int64_t> index) = 0;
};

class Definition {
 public:
  virtual ~Definition() = default;
  // The element at `index` of result leaf `leaf` (0 for an array; by element for a tuple result).
  virtual absl::StatusOr<Element> At(int64_t leaf, absl::Span<const int64_t> index,
                                     OperandElements& operands, EvaluationContext& context) = 0;
};

// The fast way (evaluator/kernels). UNIMPLEMENTED, naming the opcode, for operations that have
// none; the instruction must have passed CheckInstruction.
absl::StatusOr<std::unique_ptr<Kernel>> PrepareKernel(const Instruction& instruction);

// As PrepareKernel, for operands that are views: a run is given arrays, and the elements of operand
// k are where views[k] says among these (`source` is the number of the array). Null for operations
// and element types whose kernels read operands as they lie only.
absl::StatusOr<std::unique_ptr<Kernel>> PrepareKernelOnViews(const Instruction& instruction,
                                                             absl::Span<const View> views);
// A kernel that writes the elements of a view of such arrays.
std::unique_ptr<Kernel> PrepareViewCopy(const View& view, ElementType type);

// The readable way (evaluator/ops). UNIMPLEMENTED, naming the opcode, for operations that have
// none, tuple operands and dynamic dimensions. The instruction must outlive the definition.
// Definitions of whole-array operations remember what they found: one object per set of operand
// values.
absl::StatusOr<std::unique_ptr<Definition>> PrepareDefinition(const Instruction& instruction);
// A kernel that asks the definition for one element after the other.
absl::StatusOr<std::unique_ptr<Kernel>> PrepareStraight(const Instruction& instruction);

// Whether the golden evaluator has a definition for the operation (control flow is the
// interpreter's and not counted here).
bool HasDefinition(Opcode opcode);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_EVALUATOR_H_
