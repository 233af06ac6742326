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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/real/real_functions.h"
#include "runtime/arrays.h"
#include "runtime/context.h"
#include "runtime/engine.h"
#include "runtime/parallel.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::evaluator {

using runtime::ArrayRef;
using runtime::MutableArrayRef;

// An element that the last tier left undecided, and the enclosure that it did find.
struct UndecidedElement {
  int64_t position = 0;  // row major, in its leaf of the result
  Element low;           // patterns; of complex elements part by part
  Element high;
  int64_t leaf = 0;
};

// Handed to every run. One per thread of execution; budget and caller are shared.
struct EvaluationContext : runtime::Context {
  RealStats real_stats;  // undecided elements, tiers used
  // Where kernels of elementwise operations, transforms and complex products report the undecided
  // elements of their result; null: nowhere.
  std::vector<UndecidedElement>* undecided = nullptr;

  class Loop;
};

// A loop that several threads share. What they count and report is joined when they end; undecided
// elements are reported in the order of their positions, whoever met them.
class EvaluationContext::Loop {
 public:
  explicit Loop(EvaluationContext& context);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  class Thread {
   public:
    explicit Thread(Loop& loop);
    ~Thread();
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    EvaluationContext context;

   private:
    Loop& loop_;
    std::vector<UndecidedElement> undecided_;
  };

 private:
  EvaluationContext& context_;
  const EvaluationContext fresh_;  // what every thread begins with
  const size_t reported_before_;
  std::mutex mutex_;  // of what threads write into context_
};

// What a loop does on one thread: see runtime::ParallelFor.
using ParallelBody =
    absl::FunctionRef<absl::Status(runtime::Blocks& blocks, EvaluationContext& context)>;

// A kernel of the runtime whose context is an EvaluationContext.
class Kernel : public runtime::Kernel {
 public:
  // As Execute.
  virtual absl::Status Run(absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results,
                           EvaluationContext& context) const = 0;
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results,
                       runtime::Context& context) const final {
    return Run(operands, results, static_cast<EvaluationContext&>(context));
  }
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

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_EVALUATOR_H_
