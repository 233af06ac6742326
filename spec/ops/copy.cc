// copy, copy-start, copy-done: a value again, maybe with another layout.
//   copy_start_c1 the result is (shape, shape, u32[])
//   copy_done_c1 the operand is such a tuple
//   copy_done_c2 of one shape twice
// Source: reference ops_structural.md 12.5, ops_control_and_collectives.md 3, 4.2. Tests:
// spec/verify/testdata/control.cases.
#include "spec/ops/rules.h"

namespace assay {
namespace {

// (destination, source, context)
bool IsCopyTuple(const Shape& shape) {
  return shape.is_tuple() && shape.tuple_shapes().size() == 3 &&
         Shape::Compatible(shape.tuple_shape(2), Shape::Scalar(ElementType::kU32));
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kCopy>(const Instruction& copy) {
  return copy.operand(0)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCopyStart>(const Instruction& copy) {
  ASSAY_REQUIRE(copy, "copy_start_c1", IsCopyTuple(copy.shape()),
                "the result must be a tuple of destination, source and u32[], found ",
                copy.shape().ToString());
  const Shape& operand = copy.operand(0)->shape();
  return Shape::Tuple({operand, operand, Shape::Scalar(ElementType::kU32)});
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCopyDone>(const Instruction& copy) {
  const Shape& start = copy.operand(0)->shape();
  ASSAY_REQUIRE(copy, "copy_done_c1", IsCopyTuple(start),
                "the operand must be the tuple of a copy-start, found ", start.ToString());
  ASSAY_REQUIRE(copy, "copy_done_c2", Shape::Compatible(start.tuple_shape(0), start.tuple_shape(1)),
                "destination and source must have one shape, found ", start.ToString());
  return start.tuple_shape(0);
}

}  // namespace assay
