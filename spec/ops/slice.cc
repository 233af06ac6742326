// slice: start, limit and stride per dimension.
//   slice_c1 the operand is an array
//   slice_c2 one range per dimension
//   slice_c3 start is not negative
//   slice_c4 limit lies within the operand
//   slice_c5 start <= limit
//   slice_c6 stride >= 1
// Source: reference ops_structural.md 3.9. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/window_math.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kSlice>(const Instruction& slice) {
  ASSAY_RETURN_IF_ERROR(RequireArray(slice, "slice_c1", 0));
  const Shape& operand = slice.operand(0)->shape();
  const Slices& ranges = slice.slices();
  ASSAY_REQUIRE(slice, "slice_c2", static_cast<int64_t>(ranges.size()) == operand.rank(),
                "there must be ", operand.rank(), " ranges, found ", ranges.size());
  Shape shape(operand.element_type(), operand.dimensions());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const SliceRange& range = ranges[d];
    ASSAY_REQUIRE(slice, "slice_c3", range.start >= 0, "the start in dimension ", d,
                  " must not be negative, found ", range.start);
    ASSAY_REQUIRE(slice, "slice_c4", range.limit <= operand.dimension(d), "the limit ", range.limit,
                  " in dimension ", d, " exceeds the size ", operand.dimension(d));
    ASSAY_REQUIRE(slice, "slice_c5", range.start <= range.limit, "the start ", range.start,
                  " in dimension ", d, " lies behind the limit ", range.limit);
    ASSAY_REQUIRE(slice, "slice_c6", range.stride >= 1, "the stride in dimension ", d,
                  " must be at least 1, found ", range.stride);
    shape.set_dimension(d, SlicedSize(range));
    // One element of a dynamic dimension is there or it is not: the size is static.
    if (operand.is_dynamic_dimension(d) && shape.dimension(d) != 1) {
      shape.set_dynamic_dimension(d, true);
    }
  }
  return shape;
}

}  // namespace assay
