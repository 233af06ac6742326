// Elimination of matrices whose numbers are all real, in plain loops over dense rows. Every element
// is computed by the operations, and in the order, of factor_lu.h, so that the results are the
// same. Tests: backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_ELIMINATE_REAL_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_ELIMINATE_REAL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/custom_calls/linear_algebra/matrix.h"

namespace assay::runtime::custom_calls {

template <typename Real>
bool AllReal(const Matrix<Real>& a) {
  bool real = true;
  for (int64_t i = 0; i < a.size(); ++i) real &= a[i].is_real();
  return real;
}

// Returns the real parts of a matrix, or of its transpose, row by row.
template <typename Real>
std::vector<Real> RealParts(const Matrix<Real>& a, bool transposed = false) {
  std::vector<Real> parts(a.size());
  const int64_t rows = transposed ? a.columns() : a.rows();
  const int64_t columns = transposed ? a.rows() : a.columns();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      parts[i * columns + j] = transposed ? a(j, i).re : a(i, j).re;
    }
  }
  return parts;
}

// y -= t * x
template <typename Real>
void SubtractTimes(const Real& t, const Real* x, int64_t n, Real* y) {
  for (int64_t i = 0; i < n; ++i) y[i] -= t * x[i];
}

// Lu of factor_lu.h.
template <typename Real>
int64_t RealLu(Matrix<Real>& matrix, Matrix<Real>& pivots) {
  const int64_t rows = matrix.rows(), columns = matrix.columns();
  std::vector<Real> a = RealParts(matrix);
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < rows; ++i) {
      if (fabs(a[i * columns + k]) > fabs(a[pivot * columns + k])) pivot = i;
    }
    pivots[k] = Real(pivot);
    if (a[pivot * columns + k] == 0) {
      if (info == 0) info = k + 1;
      continue;
    }
    Real* const row = &a[k * columns];
    if (pivot != k) std::swap_ranges(row, row + columns, &a[pivot * columns]);
    for (int64_t i = k + 1; i < rows; ++i) {
      Real* const other = &a[i * columns];
      if (other[k] == 0) continue;
      other[k] = other[k] / row[k];
      SubtractTimes<Real>(other[k], row + k + 1, columns - k - 1, other + k + 1);
    }
  }
  for (int64_t i = 0; i < matrix.size(); ++i) matrix[i] = Number<Real>(a[i]);
  return info;
}

// Cholesky of factor_lu.h.
template <typename Real>
int64_t RealCholesky(Matrix<Real>& matrix, bool lower) {
  const int64_t n = matrix.rows();
  std::vector<Real> a = RealParts(matrix, !lower), column(n);
  for (int64_t k = 0; k < n; ++k) {
    if (!(a[k * n + k] > 0)) return k + 1;  // NaN too
    const Real pivot = sqrt(a[k * n + k]);
    column[k] = pivot;
    for (int64_t i = k + 1; i < n; ++i) {
      column[i] = a[i * n + k] / pivot;
      SubtractTimes<Real>(column[i], &column[k] + 1, i - k, &a[i * n + k] + 1);
    }
    // What lies after a failure stays as it was, so that only whole columns are stored.
    for (int64_t i = k; i < n; ++i) (lower ? matrix(i, k) : matrix(k, i)) = Number<Real>(column[i]);
  }
  return 0;
}

// SolveTriangular of factor_lu.h; `transposed` as there.
template <typename Real>
void SolveRealTriangular(const Matrix<Real>& matrix, bool transposed, bool left, bool forward,
                         bool unit, Matrix<Real>& b) {
  const int64_t n = matrix.rows(), lines = left ? b.columns() : b.rows();
  const std::vector<Real> a = RealParts(matrix, transposed);
  std::vector<Real> x = RealParts(b, !left);
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    Real* const row = x.data() + i * lines;
    for (int64_t done = 0; done < step; ++done) {
      const int64_t j = forward ? done : n - 1 - done;
      SubtractTimes<Real>(a[i * n + j], x.data() + j * lines, lines, row);
    }
    if (unit) continue;
    for (int64_t line = 0; line < lines; ++line) row[line] = row[line] / a[i * n + i];
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t line = 0; line < lines; ++line) {
      (left ? b(i, line) : b(line, i)) = Number<Real>(x[i * lines + line]);
    }
  }
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_ELIMINATE_REAL_H_
