// The factorisations behind linear-algebra targets, on one matrix. Packed forms, pivots, `info` and
// reflectors are LAPACK's: H = I - tau v v^H with v(first) = 1, H^H x = beta e1, beta real. Where
// sign or phase of vectors is free see FixPhase. Iterations charge their work, and fail
// (RESOURCE_EXHAUSTED) when it is more than the run may spend. Tests: custom_call_test.cc.
#ifndef ASSAY_INTERPRETER_CUSTOM_CALLS_FACTORISATIONS_H_
#define ASSAY_INTERPRETER_CUSTOM_CALLS_FACTORISATIONS_H_

#include <vector>

#include "absl/status/status.h"
#include "evaluator/evaluator.h"
#include "interpreter/custom_calls/matrix.h"

namespace assay::custom_calls {

// factor_lu.cc
// A = P L U in place; pivots count from 0. The number of the first zero pivot, from 1, or 0.
int64_t Lu(Matrix& a, Matrix& pivots);
// L L^H or U^H U in the triangle; the other one is not touched. The order of the first leading
// minor that is not positive, or 0; the rest is as it was.
int64_t Cholesky(Matrix& a, bool lower);
// Solves op(A) X = B or X op(A) = B in place; op: N, T or C.
void SolveTriangular(const Matrix& a, bool left, bool lower, char op, bool unit, Matrix& b);
// Tridiagonal A X = B with partial pivoting, as ?gtsv: dl(0) and du(n - 1) are not read. Afterwards
// d, du and dl hold the diagonals of U. A zero pivot becomes `perturbation` where that is not zero.
// The number of the first zero pivot, from 1, or 0.
int64_t SolveTridiagonal(Matrix& dl, Matrix& d, Matrix& du, Matrix& b, const Real& perturbation);

// factor_qr.cc
// The reflector of the vector a(rows.., column), `first` being its leading row; v replaces the
// vector below, beta its first element. Gives tau.
Number MakeReflector(Matrix& a, int64_t first, int64_t column);
// A(first.., from..to) := H A with v in column `column` of `packed` below row `first`.
void ReflectRows(const Matrix& packed, int64_t column, int64_t first, const Number& tau, Matrix& a,
                 int64_t from, int64_t to);
// A(from..to, first..) := A H.
void ReflectColumns(const Matrix& packed, int64_t column, int64_t first, const Number& tau,
                    Matrix& a, int64_t from, int64_t to);
void Qr(Matrix& a, Matrix& taus);
// With pivots (from 1): columns whose pivot is not 0 go first, the others by remaining norm.
void PivotedQr(Matrix& a, Matrix& pivots, Matrix& taus);
// The leading columns of H1 H2 ... Hk.
Matrix FormQ(const Matrix& packed, const Matrix& taus, int64_t columns);
// C := Q C, Q^H C, C Q or C Q^H.
void ApplyQ(const Matrix& packed, const Matrix& taus, bool left, bool adjoint, Matrix& c);

// eigen_hermitian.cc: of the Hermitian matrix in one triangle.
absl::Status HermitianEigen(const Matrix& a, bool lower, bool sort, Matrix& vectors, Matrix& values,
                            evaluator::EvaluationContext& context);
// Q^H A Q is tridiagonal: as ?sytrd.
void Tridiagonalise(Matrix& a, bool lower, Matrix& diagonal, Matrix& off_diagonal, Matrix& taus);

// svd.cc: A = U diag(s) V^H, values descending; u and v as wide as they come in, m to min(m, n).
absl::Status Svd(const Matrix& a, Matrix& u, Matrix& values, Matrix& v,
                 evaluator::EvaluationContext& context);

// schur.cc: A = Z T Z^H.
// Q^H A Q is zero below the first subdiagonal, for rows and columns low to high (from 1).
void Hessenberg(Matrix& a, int64_t low, int64_t high, Matrix& taus);
// Upper triangular T.
absl::Status ComplexSchur(const Matrix& a, Matrix& t, Matrix& z,
                          evaluator::EvaluationContext& context);
// Of a real matrix: T with blocks of order 2 on the diagonal for complex pairs; their diagonal
// elements are equal, the others of opposite sign.
absl::Status RealSchur(const Matrix& a, Matrix& t, Matrix& z,
                       evaluator::EvaluationContext& context);
// Makes such a block at k triangular, its eigenvalue of positive imaginary part first.
void Triangularise(Matrix& t, Matrix& z, int64_t k);

// eigen_general.cc: vectors of length 1.
absl::Status GeneralEigen(const Matrix& a, Matrix& values, Matrix* left, Matrix* right,
                          evaluator::EvaluationContext& context);

}  // namespace assay::custom_calls

#endif  // ASSAY_INTERPRETER_CUSTOM_CALLS_FACTORISATIONS_H_
