// Triangular systems, exactly: every element of the solution is a rational number, found by
// substitution over one denominator, the product of the diagonal so far, and rounded once. The
// definition of triangular-solve and the last tier of its kernel use it. Tests: every_path_test.cc,
// linear_algebra_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_EXACT_SOLVE_H_
#define ASSAY_EVALUATOR_OPS_EXACT_SOLVE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// Each of the 24 forms of triangular-solve as a system T y = c with a lower triangular T, solved
// from the first row on: x op(a) = b is op(a)^T x^T = b^T, and an upper triangular system is a
// lower one that counts from the other end.
class TriangularForm {
 public:
  explicit TriangularForm(const Instruction& solve);

  int64_t n() const { return n_; }
  // The number of right-hand sides in one matrix b.
  int64_t columns() const { return columns_; }
  bool unit_diagonal() const { return unit_; }
  // Returns the position of T(i, j), or of its conjugate, in the row-major matrix a; j <= i.
  int64_t PlaceOfT(int64_t i, int64_t j) const {
    const int64_t p = FromEnd(i), q = FromEnd(j);
    return swapped_ ? q * n_ + p : p * n_ + q;
  }
  bool conjugated() const { return conjugated_; }
  // Returns the position in b of element i of right-hand side `column`, and of its solution.
  int64_t PlaceOfB(int64_t i, int64_t column) const {
    return left_ ? FromEnd(i) * columns_ + column : column * n_ + FromEnd(i);
  }

 private:
  int64_t FromEnd(int64_t i) const { return reversed_ ? n_ - 1 - i : i; }

  int64_t n_, columns_;
  bool left_, unit_, swapped_, conjugated_, reversed_;
};

// Solves T y = c for one right-hand side. `t` holds element (i, j) at i * n + j, `c` element i: one
// double each for float types, two for complex ones. Only j <= i is read, and the diagonal only if
// `unit_diagonal` is false.
//
// Infinities and NaN of the operands, and of quotients by a zero on the diagonal, go through the
// substitution as in exact arithmetic with infinities (a / 0 has the sign of a and of the zero,
// 0 / 0, 0 * inf and inf - inf are NaN). A complex element that depends on one, or on a zero on the
// diagonal, is NaN in both parts.
absl::Status ExactSolve(ElementType type, int64_t n, absl::Span<const double> t, bool unit_diagonal,
                        absl::Span<const double> c, absl::Span<Element> y,
                        EvaluationContext& context);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_EXACT_SOLVE_H_
