// pad: puts a value around and between the elements.
//   pad_c1 operand and value are arrays, the value a scalar
//   pad_c2 element types agree (fp-mix)
//   pad_c3 one entry per dimension
//   pad_c4 interior >= 0, result >= 0, all within 63 bits
// Source: reference ops_structural.md 3.13. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/window_math.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kPad>(const Instruction& pad) {
  ASSAY_RETURN_IF_ERROR(RequireArray(pad, "pad_c1", 0));
  const Shape& operand = pad.operand(0)->shape();
  const Shape& value = pad.operand(1)->shape();
  ASSAY_REQUIRE(pad, "pad_c1", value.is_scalar(), "the padding value must be a scalar, found ",
                value.ToString());
  ASSAY_REQUIRE(pad, "pad_c2", TypesMix(operand.element_type(), value.element_type()),
                "operand and padding value must have one element type, found ", operand.ToString(),
                " and ", value.ToString());
  const PaddingConfig& config = pad.padding();
  ASSAY_REQUIRE(pad, "pad_c3", static_cast<int64_t>(config.dimensions.size()) == operand.rank(),
                "padding must have ", operand.rank(), " entries, found ", config.dimensions.size());
  Shape shape(HigherType(operand.element_type(), value.element_type()), operand.dimensions());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const absl::StatusOr<int64_t> size = PaddedSize(operand.dimension(d), config.dimensions[d]);
    ASSAY_REQUIRE(pad, "pad_c4", size.ok(), "dimension ", d, ": ", size.status().message());
    shape.set_dimension(d, *size);
    if (operand.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  return shape;
}

}  // namespace assay
