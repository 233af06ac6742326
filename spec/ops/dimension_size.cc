// get-dimension-size, set-dimension-size: the current size of a dimension.
//   dimension_size_c1 operand 0 is an array
//   dimension_size_c2 the dimension is in range
//   dimension_size_c3 (strict) its bound fits 31 bits (get)
//   dimension_size_c4 the new size is s32[] (set)
// Source: reference ops_structural.md 13.2. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

absl::Status CheckDimension(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArray(op, "dimension_size_c1", 0));
  return RequireDimension(op, "dimension_size_c2", "dimensions", op.GetInt(Attr::kDimension),
                          op.operand(0)->shape().rank());
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kGetDimensionSize>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckDimension(op));
  return Shape::Scalar(ElementType::kS32);
}

absl::Status CheckDimensionSizeStrictly(const Instruction& op) {
  const Shape& operand = op.operand(0)->shape();
  ASSAY_REQUIRE(op, "dimension_size_c3",
                operand.dimension(op.GetInt(Attr::kDimension)) <= INT32_MAX,
                "the size does not fit s32, found ", operand.ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kSetDimensionSize>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckDimension(op));
  const Shape& size = op.operand(1)->shape();
  ASSAY_REQUIRE(op, "dimension_size_c4",
                size.is_scalar() && size.element_type() == ElementType::kS32,
                "the new size must be s32[], found ", size.ToString());
  Shape shape = op.operand(0)->shape();
  shape.set_dynamic_dimension(op.GetInt(Attr::kDimension), true);
  return shape;
}

}  // namespace assay
