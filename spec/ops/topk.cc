// topk: the k largest (smallest) elements of each line of the last dimension, with their indices.
//   topk_c1 the operand is an array of rank 1 or more
//   topk_c2 0 <= k <= size of the line
//   topk_c3 (strict) of a type with a total order
// Source: reference ops_structural.md 6.3. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kTopK>(const Instruction& topk) {
  ASSAY_RETURN_IF_ERROR(RequireArray(topk, "topk_c1", 0));
  Shape values(topk.operand(0)->shape().element_type(), topk.operand(0)->shape().dimensions());
  ASSAY_REQUIRE(topk, "topk_c1", values.rank() >= 1, "the operand must not be a scalar");
  const int64_t last = values.rank() - 1;
  const int64_t k = topk.GetInt(Attr::kK);
  ASSAY_REQUIRE(topk, "topk_c2", k >= 0 && k <= values.dimension(last), "k must lie in [0, ",
                values.dimension(last), "], found ", k);
  values.set_dimension(last, k);
  Shape indices(ElementType::kS32, values.dimensions());
  return Shape::Tuple({std::move(values), std::move(indices)});
}

absl::Status CheckTopKStrictly(const Instruction& topk) {
  const Shape& operand = topk.operand(0)->shape();
  ASSAY_REQUIRE(topk, "topk_c3", !IsComplex(operand.element_type()),
                "complex numbers have no order, found ", operand.ToString());
  return absl::OkStatus();
}

}  // namespace assay
