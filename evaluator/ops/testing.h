// One list of cases for the operations, and a runner, so that every way to compute them
// (definitions, kernels) runs the same cases. A case is a module whose entry is a straight line of
// instructions.
//
// Cases come from the worked examples of reference ops_structural.md and
// ops_elementwise_and_types.md, whose section begins the name ("3.13 pad: ..."), and from
// generators that run every element type an operation admits against exact arithmetic.
#ifndef ASSAY_EVALUATOR_OPS_TESTING_H_
#define ASSAY_EVALUATOR_OPS_TESTING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

struct OpCase {
  std::string name;  // begins with the section
  std::string hlo;
  std::vector<Literal> inputs;    // one for each parameter of the entry
  std::vector<Literal> expected;  // the leaves of the result, bit for bit
};

// Every case. CHECKs when one of the texts cannot be read.
std::vector<OpCase> AllOpCases();

// PrepareStraight, PrepareKernel.
using PrepareFunction = std::function<absl::StatusOr<std::unique_ptr<Kernel>>(const Instruction&)>;

// Runs the entry computation; parameters, tuples and get-tuple-element are done here, everything
// else by what `prepare` gives, in called computations too. Returns the leaves of the result. Each
// kernel runs on zeros first, then on the operands, into storage filled with garbage: elements that
// it forgets and values that it keeps from an earlier run are seen.
absl::StatusOr<std::vector<Literal>> RunStraightLine(const Module& module,
                                                     absl::Span<const Literal> inputs,
                                                     const PrepareFunction& prepare,
                                                     EvaluationContext& context);

// Runs called computations of straight lines in the same way.
class StraightCaller : public ComputationCaller {
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

// OK, or what differs: the name, the first different element, both patterns.
absl::Status RunOpCase(const OpCase& op_case, const PrepareFunction& prepare);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_TESTING_H_
