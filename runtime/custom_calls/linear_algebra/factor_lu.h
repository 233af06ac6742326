// Elimination: LU, Cholesky, triangular and tridiagonal systems. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_FACTOR_LU_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_FACTOR_LU_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "runtime/custom_calls/linear_algebra/eliminate_real.h"
#include "runtime/custom_calls/linear_algebra/matrix.h"

namespace assay::runtime::custom_calls {

// A = P L U in place; pivots count from 0. The number of the first zero pivot, from 1, or 0.
template <typename Real>
int64_t Lu(Matrix<Real>& a, Matrix<Real>& pivots) {
  if (AllReal(a)) return RealLu(a, pivots);
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(a.rows(), a.columns()); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.rows(); ++i) {
      if (Size(a(i, k)) > Size(a(pivot, k))) pivot = i;
    }
    pivots[k] = Real(pivot);
    if (a(pivot, k).is_zero()) {
      if (info == 0) info = k + 1;
      continue;
    }
    SwapRows(a, k, pivot);
    for (int64_t i = k + 1; i < a.rows(); ++i) {
      if (a(i, k).is_zero()) continue;
      a(i, k) = a(i, k) / a(k, k);
      for (int64_t j = k + 1; j < a.columns(); ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return info;
}

// L L^H or U^H U in the triangle; the other one is not touched. The order of the first leading
// minor that is not positive, or 0; the rest is as it was.
template <typename Real>
int64_t Cholesky(Matrix<Real>& a, bool lower) {
  if (AllReal(a)) return RealCholesky(a, lower);
  // Element (i, j) of L, i >= j.
  const auto at = [&](int64_t i, int64_t j) { return lower ? a(i, j) : Conj(a(j, i)); };
  for (int64_t j = 0; j < a.rows(); ++j) {
    Real pivot = a(j, j).re;
    for (int64_t k = 0; k < j; ++k) pivot -= Norm(at(j, k));
    if (!(pivot > 0)) return j + 1;  // NaN too
    pivot = sqrt(pivot);
    a(j, j) = pivot;
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      Number<Real> value = at(i, j);
      for (int64_t k = 0; k < j; ++k) value -= at(i, k) * Conj(at(j, k));
      value = value / Number<Real>(pivot);
      (lower ? a(i, j) : a(j, i)) = lower ? value : Conj(value);
    }
  }
  return 0;
}

// Solves op(A) X = B or X op(A) = B in place; op: N, T or C.
template <typename Real>
void SolveTriangular(const Matrix<Real>& a, bool left, bool lower, char op, bool unit,
                     Matrix<Real>& b) {
  const int64_t n = a.rows(), lines = left ? b.columns() : b.rows();
  // X op(A) = B is op(A)^T X^T = B^T: line l of B is a row then.
  const bool transposed = (op != 'N') != !left;
  const auto coefficient = [&](int64_t i, int64_t j) {
    const Number<Real>& value = transposed ? a(j, i) : a(i, j);
    return op == 'C' ? Conj(value) : value;
  };
  const bool forward = lower != transposed;
  if (AllReal(a) && AllReal(b)) {
    return SolveRealTriangular(a, transposed, left, forward, unit, b);
  }
  for (int64_t line = 0; line < lines; ++line) {
    const auto x = [&](int64_t i) -> Number<Real>& { return left ? b(i, line) : b(line, i); };
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = forward ? step : n - 1 - step;
      Number<Real> value = x(i);
      for (int64_t done = 0; done < step; ++done) {
        const int64_t j = forward ? done : n - 1 - done;
        value -= coefficient(i, j) * x(j);
      }
      x(i) = unit ? value : value / coefficient(i, i);
    }
  }
}

// Tridiagonal A X = B with partial pivoting, as ?gtsv: dl(0) and du(n - 1) are not read. Afterwards
// d, du and dl hold the diagonals of U. A zero pivot becomes `perturbation` where that is not zero.
// The number of the first zero pivot, from 1, or 0.
template <typename Real>
int64_t SolveTridiagonal(Matrix<Real>& dl, Matrix<Real>& d, Matrix<Real>& du, Matrix<Real>& b,
                         const Real& perturbation) {
  const int64_t n = d.rows(), columns = b.columns();
  std::vector<Number<Real>> second(n);  // the second diagonal above
  int64_t info = 0;
  const auto check = [&](int64_t i) {
    if (!d[i].is_zero()) return;
    if (info == 0) info = i + 1;
    if (perturbation != 0) d[i] = perturbation;
  };
  for (int64_t i = 0; i + 1 < n; ++i) {
    if (Size(d[i]) < Size(dl[i + 1])) {
      std::swap(d[i], dl[i + 1]);
      std::swap(du[i], d[i + 1]);
      if (i + 2 < n) std::swap(second[i], du[i + 1]);
      SwapRows(b, i, i + 1);
    }
    check(i);
    if (info != 0 && perturbation == 0) return info;
    const Number<Real> factor = dl[i + 1] / d[i];
    d[i + 1] -= factor * du[i];
    if (i + 2 < n) du[i + 1] -= factor * second[i];
    for (int64_t j = 0; j < columns; ++j) b(i + 1, j) -= factor * b(i, j);
  }
  if (n > 0) check(n - 1);
  if (info != 0 && perturbation == 0) return info;
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = n - 1; i >= 0; --i) {
      if (i + 1 < n) b(i, j) -= du[i] * b(i + 1, j);
      if (i + 2 < n) b(i, j) -= second[i] * b(i + 2, j);
      b(i, j) = b(i, j) / d[i];
    }
  }
  for (int64_t i = 0; i < n; ++i) dl[i] = i > 0 ? second[i - 1] : Number<Real>();
  return info;
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_FACTOR_LU_H_
