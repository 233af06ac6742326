// bitcast-convert: the bits of each element, or of a row of narrower ones, as another type.
//   bitcast_convert_c1 operand and result are arrays
//   bitcast_convert_c2 complex with complex only
//   bitcast_convert_c3 the last dimension of the narrower array is their ratio
// Source: reference ops_structural.md 12.5, ops_elementwise_and_types.md 6.15. Tests:
// spec/verify/testdata/movement.cases.
#include <algorithm>

#include "spec/element/bitcast_width.h"
#include "spec/ops/rules.h"

namespace assay {
template <>
absl::StatusOr<Shape> Rule<Opcode::kBitcastConvert>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArray(op, "bitcast_convert_c1", 0));
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(op, "bitcast_convert_c1"));
  const Shape& operand = op.operand(0)->shape();
  const ElementType from = operand.element_type();
  const ElementType to = op.shape().element_type();
  ASSAY_REQUIRE(op, "bitcast_convert_c2", IsComplex(from) == IsComplex(to),
                "complex numbers convert to complex numbers only, found ", Name(from), " to ",
                Name(to));
  const int64_t a = BitcastWidth(from);
  const int64_t b = BitcastWidth(to);
  if (a == b) return WithElementType(operand, to);
  Dimensions dimensions(operand.dimensions().begin(), operand.dimensions().end());
  if (a > b) {
    dimensions.push_back(a / b);
  } else {
    ASSAY_REQUIRE(op, "bitcast_convert_c3", !dimensions.empty() && dimensions.back() == b / a,
                  "the last dimension of the operand must have size ", b / a, ", found ",
                  operand.ToString());
    dimensions.pop_back();
  }
  Shape shape(to, dimensions);
  for (int64_t d = 0; d < std::min(shape.rank(), operand.rank()); ++d) {
    if (operand.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  return shape;
}

}  // namespace assay
