// concatenate: with prefix sums P_k, out[.., x, ..] = operand_k[.., x - P_k, ..] for the k with
// P_k <= x < P_{k+1}. Operands of other float types convert. Source: ops_structural.md 3.12.
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

DefinitionOr DefineConcatenate(const Instruction& concatenate) {
  const int64_t dimension = concatenate.GetInt(Attr::kDimension);
  return DefineElement(
      [&concatenate, dimension](Index i, OperandElements& operands, EvaluationContext&) {
        Dimensions j(i.begin(), i.end());
        int64_t k = 0;
        while (j[dimension] >= OperandShape(concatenate, k).dimension(dimension)) {
          j[dimension] -= OperandShape(concatenate, k++).dimension(dimension);
        }
        return ElementAs(concatenate.shape().element_type(), concatenate, k, j, operands);
      });
}

}  // namespace assay::evaluator
