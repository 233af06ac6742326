// Every elementwise operation: the scalar operation on the elements at the same index; a scalar
// operand (the predicate of select, the bounds of clamp) serves every index. Source:
// ops_elementwise_and_types.md 6, ops_structural.md 12.2, 12.3.
#include "evaluator/ops/definition.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator {

DefinitionOr DefineElementwise(const Instruction& instruction) {
  absl::StatusOr<ScalarFunction> prepared = PrepareScalarFunction(instruction);
  if (!prepared.ok()) return prepared.status();
  return DefineElement(
      [&instruction, function = *prepared](Index i, OperandElements& operands,
                                           EvaluationContext& context) -> absl::StatusOr<Element> {
        Element x[3];
        for (int64_t k = 0; k < instruction.operand_count(); ++k) {
          const bool scalar = OperandShape(instruction, k).is_scalar();
          absl::StatusOr<Element> element = operands.At(k, scalar ? Index() : i);
          if (!element.ok()) return element;
          x[k] = *element;
        }
        const RealContext real{.stats = &context.real_stats};
        switch (function.arity) {
          case 1:
            return function(x[0], real);
          case 2:
            return function(x[0], x[1], real);
          default:
            return function(x[0], x[1], x[2], real);
        }
      });
}

}  // namespace assay::evaluator
