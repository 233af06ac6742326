// Every elementwise operation: the scalar operation on the elements at the same index; a scalar
// operand (the predicate of select, the bounds of clamp) serves every index. Source:
// ops_elementwise_and_types.md 6, ops_structural.md 12.2, 12.3.
#include <array>

#include "evaluator/ops/definition.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator {

DefinitionOr DefineElementwise(const Instruction& instruction) {
  absl::StatusOr<ScalarFunction> prepared = PrepareScalarFunction(instruction);
  if (!prepared.ok()) return prepared.status();
  std::array<bool, 3> scalar = {};
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    scalar[k] = OperandShape(instruction, k).is_scalar();
  }
  return DefineElement(
      [scalar, function = *prepared](Index i, OperandElements& operands,
                                     EvaluationContext& context) -> absl::StatusOr<Element> {
        const RealContext real{.stats = &context.real_stats};
        const auto at = [&](int64_t k) { return operands.At(k, scalar[k] ? Index() : i); };
        const absl::StatusOr<Element> x = at(0);
        if (!x.ok()) return x;
        if (function.arity == 1) return function(*x, real);
        const absl::StatusOr<Element> y = at(1);
        if (!y.ok()) return y;
        if (function.arity == 2) return function(*x, *y, real);
        const absl::StatusOr<Element> z = at(2);
        if (!z.ok()) return z;
        return function(*x, *y, *z, real);
      });
}

}  // namespace assay::evaluator
