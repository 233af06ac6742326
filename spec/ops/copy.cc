// copy, copy-start, copy-done: a value again, maybe with another layout.
//   copy_start_c1 the result is (shape, shape, u32[] or s32[])
//   copy_done_c1 the operand is such a tuple
// Source: reference ops_structural.md 12.5, ops_control_and_collectives.md 3, 4.2. Tests:
// spec/verify/testdata/control.cases.
#include "spec/ops/rules.h"

namespace assay {
namespace {

bool IsContext(const Shape& shape) {
  return shape.is_scalar() &&
         (shape.element_type() == ElementType::kU32 || shape.element_type() == ElementType::kS32);
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kCopy>(const Instruction& copy) {
  return copy.operand(0)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCopyStart>(const Instruction& copy) {
  const Shape& shape = copy.shape();
  ASSAY_REQUIRE(
      copy, "copy_start_c1",
      shape.is_tuple() && shape.tuple_shapes().size() == 3 && IsContext(shape.tuple_shape(2)),
      "the result must be a tuple of destination, source and u32[], found ", shape.ToString());
  const Shape& operand = copy.operand(0)->shape();
  return Shape::Tuple({operand, operand, shape.tuple_shape(2)});
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCopyDone>(const Instruction& copy) {
  const Shape& start = copy.operand(0)->shape();
  ASSAY_REQUIRE(
      copy, "copy_done_c1",
      start.is_tuple() && start.tuple_shapes().size() == 3 && IsContext(start.tuple_shape(2)),
      "the operand must be the tuple of a copy-start, found ", start.ToString());
  return start.tuple_shape(0);
}

}  // namespace assay
