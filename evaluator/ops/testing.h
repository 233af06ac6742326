// Test helper: runs a module without control flow by the definitions or by the kernels. The
// interpreter, which runs all modules, is in a layer above the evaluator.
#ifndef ASSAY_EVALUATOR_OPS_TESTING_H_
#define ASSAY_EVALUATOR_OPS_TESTING_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// PrepareStraight or PrepareKernel.
using PrepareFunction = std::function<absl::StatusOr<std::unique_ptr<Kernel>>(const Instruction&)>;

// Runs the entry computation and returns the leaves of the result. The kernels of `prepare` run all
// instructions but parameters, tuples and get-tuple-element, in called computations too. Each
// kernel runs on zeros first, then on the operands, into storage filled with garbage, to detect
// elements that it does not write and values that it keeps from an earlier run.
absl::StatusOr<std::vector<Literal>> RunStraightLine(const Module& module,
                                                     absl::Span<const Literal> inputs,
                                                     const PrepareFunction& prepare,
                                                     EvaluationContext& context);

// Runs called computations without control flow in the same way.
class StraightCaller : public runtime::ComputationCaller {
 public:
  // `prepare` and `context` must outlive the caller.
  StraightCaller(const PrepareFunction& prepare, EvaluationContext& context)
      : prepare_(prepare), context_(context) {}
  absl::StatusOr<Literal> Call(const Computation& computation,
                               absl::Span<const Literal> arguments) override;

 private:
  const PrepareFunction& prepare_;
  EvaluationContext& context_;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_TESTING_H_
