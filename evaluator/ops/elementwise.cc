// Every elementwise operation: the scalar operation on the elements at the same index; a scalar
// operand (the predicate of select, the bounds of clamp) serves every index. Source:
// ops_elementwise_and_types.md 6, ops_structural.md 12.2, 12.3.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/ops/definition.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator {
namespace {

// A function of one operand whose type has fewer values than the operand has elements: each value
// is computed once. The table is made when a share of its size has been asked for, because an
// explanation asks thousands of definitions for an element or two.
DefinitionOr DefineOfFewValues(const ScalarFunction& function, int bits) {
  const size_t values = size_t{1} << bits;
  std::vector<std::optional<Element>> results;
  size_t asked = 0;
  return DefineElement([function, values, results, asked](
                           Index i, OperandElements& operands,
                           EvaluationContext& context) mutable -> absl::StatusOr<Element> {
    const absl::StatusOr<Element> x = operands.At(0, i);
    if (!x.ok()) return x;
    const RealContext real{.stats = &context.real_stats};
    if (results.empty() && ++asked <= values / 16) return function(*x, real);
    results.resize(values);
    std::optional<Element>& result = results[x->bits];
    if (!result) result = function(*x, real);
    return *result;
  });
}

}  // namespace

DefinitionOr DefineElementwise(const Instruction& instruction) {
  absl::StatusOr<ScalarFunction> prepared = PrepareScalarFunction(instruction);
  if (!prepared.ok()) return prepared.status();
  const int bits = Info(OperandType(instruction, 0)).bits;
  if (prepared->arity == 1 && bits <= 16 &&
      CountOf(instruction.shape().dimensions()) > int64_t{1} << bits) {
    return DefineOfFewValues(*prepared, bits);
  }
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
