// cholesky: the triangular factor of a positive definite matrix.
//   cholesky_c1 an array of rank 2 or more
//   cholesky_c2 of square matrices
//   cholesky_c3 of a float or complex type
// Source: reference ops_structural.md 10.1. Tests: spec/verify/testdata/linear_algebra.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kCholesky>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArray(op, "cholesky_c1", 0));
  const Shape& a = op.operand(0)->shape();
  ASSAY_REQUIRE(op, "cholesky_c1", a.rank() >= 2, "the operand must have rank 2 or more, found ",
                a.ToString());
  ASSAY_REQUIRE(op, "cholesky_c2", a.dimension(a.rank() - 1) == a.dimension(a.rank() - 2),
                "the last two dimensions must be equal, found ", a.ToString());
  ASSAY_REQUIRE(op, "cholesky_c3", IsFloat(a.element_type()) || IsComplex(a.element_type()),
                "the operand must be of a float or complex type, found ", a.ToString());
  return a;
}

}  // namespace assay
