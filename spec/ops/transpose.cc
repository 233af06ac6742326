// transpose: dimension k of the result is dimension permutation[k] of the operand.
//   transpose_c1 the operand is an array
//   transpose_c2 dimensions is a permutation
// The layout is permuted along, so that the inferred transpose moves nothing in memory.
// Source: reference ops_structural.md 3.7; hlo_text_format.md 6.4. Tests:
// spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kTranspose>(const Instruction& transpose) {
  ASSAY_RETURN_IF_ERROR(RequireArray(transpose, "transpose_c1", 0));
  const Shape& operand = transpose.operand(0)->shape();
  const absl::Span<const int64_t> permutation = transpose.GetInts(Attr::kDimensions);
  const int64_t rank = operand.rank();
  ASSAY_REQUIRE(transpose, "transpose_c2", static_cast<int64_t>(permutation.size()) == rank,
                "dimensions must have ", rank, " entries, found ", ListText(permutation));
  ASSAY_RETURN_IF_ERROR(
      RequireDimensions(transpose, "transpose_c2", "dimensions", permutation, rank));
  Shape shape(operand.element_type(), operand.dimensions());
  Dimensions inverse(rank);
  for (int64_t k = 0; k < rank; ++k) {
    shape.set_dimension(k, operand.dimension(permutation[k]));
    if (operand.is_dynamic_dimension(permutation[k])) shape.set_dynamic_dimension(k, true);
    inverse[permutation[k]] = k;
  }
  if (operand.has_layout() &&
      static_cast<int64_t>(operand.layout()->minor_to_major.size()) == rank) {
    Layout layout = *operand.layout();
    for (int64_t& d : layout.minor_to_major) {
      if (d >= 0 && d < rank) d = inverse[d];
    }
    shape.set_layout(std::move(layout));
  }
  return shape;
}

}  // namespace assay
