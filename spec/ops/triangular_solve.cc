// triangular-solve: op(a) x = b, or x op(a) = b.
//   triangular_solve_c1 arrays of rank 2 or more, of equal rank
//   triangular_solve_c2 of one float or complex type
//   triangular_solve_c3 a has square matrices
//   triangular_solve_c4 that fit b
//   triangular_solve_c5 batch sizes are equal
//   triangular_solve_c6 transpose_a is given
// Source: reference ops_structural.md 10.2. Tests: spec/verify/testdata/linear_algebra.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kTriangularSolve>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "triangular_solve_c1"));
  const Shape& a = op.operand(0)->shape();
  const Shape& b = op.operand(1)->shape();
  const int64_t rank = a.rank();
  ASSAY_REQUIRE(op, "triangular_solve_c1", rank >= 2 && b.rank() == rank,
                "operands must have one rank, 2 or more, found ", a.ToString(), " and ",
                b.ToString());
  ASSAY_REQUIRE(op, "triangular_solve_c2",
                a.element_type() == b.element_type() &&
                    (IsFloat(a.element_type()) || IsComplex(a.element_type())),
                "operands must have one float or complex type, found ", a.ToString(), " and ",
                b.ToString());
  const int64_t n = a.dimension(rank - 1);
  ASSAY_REQUIRE(op, "triangular_solve_c3", a.dimension(rank - 2) == n,
                "the last two dimensions of operand 0 must be equal, found ", a.ToString());
  const int64_t side = op.GetBool(Attr::kLeftSide) ? rank - 2 : rank - 1;
  ASSAY_REQUIRE(op, "triangular_solve_c4", b.dimension(side) == n, "dimension ", side,
                " of operand 1 must have size ", n, ", found ", b.ToString());
  for (int64_t d = 0; d < rank - 2; ++d) {
    ASSAY_REQUIRE(op, "triangular_solve_c5", a.dimension(d) == b.dimension(d),
                  "batch sizes must be equal, found ", a.ToString(), " and ", b.ToString());
  }
  const int64_t transpose = op.GetInt(Attr::kTransposeA);
  ASSAY_REQUIRE(op, "triangular_solve_c6",
                transpose >= static_cast<int64_t>(TransposeA::kNoTranspose) &&
                    transpose <= static_cast<int64_t>(TransposeA::kAdjoint),
                "transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return b;
}

}  // namespace assay
