// concatenate: arrays one behind the other along a dimension.
//   concatenate_c1 at least one operand, all arrays
//   concatenate_c2 the dimension is in range
//   concatenate_c3 equal ranks
//   concatenate_c4 element types agree (fp-mix)
//   concatenate_c5 equal sizes elsewhere
//   concatenate_c6 the sizes add up within 63 bits
// Source: reference ops_structural.md 3.12. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kConcatenate>(const Instruction& op) {
  ASSAY_REQUIRE(op, "concatenate_c1", op.operand_count() >= 1, "there must be an operand");
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "concatenate_c1"));
  const Shape& first = op.operand(0)->shape();
  const int64_t dimension = op.GetInt(Attr::kDimension);
  ASSAY_RETURN_IF_ERROR(
      RequireDimension(op, "concatenate_c2", "dimensions", dimension, first.rank()));
  Shape shape(first.element_type(), first.dimensions());
  int64_t total = 0;
  for (const Instruction* operand : op.operands()) {
    const Shape& piece = operand->shape();
    ASSAY_REQUIRE(op, "concatenate_c3", piece.rank() == first.rank(),
                  "operands must have equal rank, found ", first.ToString(), " and ",
                  piece.ToString());
    ASSAY_REQUIRE(op, "concatenate_c4", TypesMix(piece.element_type(), first.element_type()),
                  "operands must have one element type, found ", first.ToString(), " and ",
                  piece.ToString());
    shape.set_element_type(HigherType(shape.element_type(), piece.element_type()));
    for (int64_t d = 0; d < first.rank(); ++d) {
      ASSAY_REQUIRE(op, "concatenate_c5",
                    d == dimension || piece.dimension(d) == first.dimension(d),
                    "operands must have equal sizes outside dimension ", dimension, ", found ",
                    first.ToString(), " and ", piece.ToString());
      if (piece.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
    }
    ASSAY_REQUIRE(op, "concatenate_c6",
                  piece.dimension(dimension) >= 0 &&
                      !__builtin_add_overflow(total, piece.dimension(dimension), &total),
                  "the size along dimension ", dimension, " is unbounded or exceeds 63 bits");
  }
  shape.set_dimension(dimension, total);
  return shape;
}

}  // namespace assay
