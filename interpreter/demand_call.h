// A custom call of which single elements are wanted. Tests: explain_test.cc.
#ifndef ASSAY_INTERPRETER_DEMAND_CALL_H_
#define ASSAY_INTERPRETER_DEMAND_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "evaluator/evaluator.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay {

// Gathers the operands, makes the call once and keeps its value.
class DemandedCall {
 public:
  // What operands and value take. UNIMPLEMENTED for collectives, and for arrays of dynamic size,
  // whose elements do not say how many there are.
  static absl::StatusOr<int64_t> BytesOf(const Instruction& call, const PlanOptions& options);

  // BytesOf must be OK.
  DemandedCall(const Instruction& call, const PlanOptions& options);

  // An element of a leaf. `source` gives those of the operands, by operand, leaf and position;
  // where it fails, the next attempt goes on from there.
  using Source = absl::FunctionRef<absl::StatusOr<Element>(int64_t, int64_t, int64_t)>;
  absl::StatusOr<Element> At(int64_t leaf, int64_t position, Source source,
                             evaluator::EvaluationContext& context);

 private:
  absl::Status Gather(Source source);
  absl::Status Make(evaluator::EvaluationContext& context);

  // A leaf of an operand.
  struct Part {
    int64_t operand, leaf;
    Literal value;
    int64_t gathered = 0;
  };
  const Instruction& call_;
  const PlanOptions& options_;
  std::vector<Part> parts_;
  size_t next_ = 0;
  std::vector<Literal> results_;  // empty until the call is made
};

}  // namespace assay

#endif  // ASSAY_INTERPRETER_DEMAND_CALL_H_
