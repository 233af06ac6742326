// Matrices for the factorisations of custom calls. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_MATRIX_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_MATRIX_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/custom_calls/linear_algebra/number.h"

namespace assay::runtime::custom_calls {

template <typename Real>
class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(rows * columns) {}
  static Matrix Identity(int64_t n) {
    Matrix identity(n, n);
    for (int64_t i = 0; i < n; ++i) identity(i, i) = Real(1);
    return identity;
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  Number<Real>& operator()(int64_t i, int64_t j) { return elements_[i * columns_ + j]; }
  const Number<Real>& operator()(int64_t i, int64_t j) const { return elements_[i * columns_ + j]; }
  // Vectors and scalars: a matrix of one column.
  Number<Real>& operator[](int64_t i) { return elements_[i]; }
  const Number<Real>& operator[](int64_t i) const { return elements_[i]; }
  int64_t size() const { return rows_ * columns_; }

  bool is_finite() const {
    return std::all_of(elements_.begin(), elements_.end(),
                       [](const Number<Real>& element) { return IsFinite(element); });
  }
  Real Frobenius() const {
    Real sum(0);
    for (const Number<Real>& element : elements_) sum += Norm(element);
    return sqrt(sum);
  }

 private:
  int64_t rows_ = 0, columns_ = 0;
  std::vector<Number<Real>> elements_;
};

template <typename Real>
Matrix<Real> Adjoint(const Matrix<Real>& a) {
  Matrix<Real> adjoint(a.columns(), a.rows());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < a.columns(); ++j) adjoint(j, i) = Conj(a(i, j));
  }
  return adjoint;
}

template <typename Real>
Matrix<Real> operator*(const Matrix<Real>& a, const Matrix<Real>& b) {
  Matrix<Real> product(a.rows(), b.columns());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t k = 0; k < a.columns(); ++k) {
      if (a(i, k).is_zero()) continue;
      for (int64_t j = 0; j < b.columns(); ++j) product(i, j) += a(i, k) * b(k, j);
    }
  }
  return product;
}

template <typename Real>
void SwapRows(Matrix<Real>& a, int64_t i, int64_t j) {
  for (int64_t k = 0; i != j && k < a.columns(); ++k) std::swap(a(i, k), a(j, k));
}
template <typename Real>
void SwapColumns(Matrix<Real>& a, int64_t i, int64_t j) {
  for (int64_t k = 0; i != j && k < a.rows(); ++k) std::swap(a(k, i), a(k, j));
}

// Columns p and q become c p - s conj(phase) q and s p + c conj(phase) q.
template <typename Real>
void RotateColumns(Matrix<Real>& a, int64_t p, int64_t q, const Real& c, const Real& s,
                   const Number<Real>& phase) {
  const Number<Real> turn = Conj(phase);
  for (int64_t i = 0; i < a.rows(); ++i) {
    const Number<Real> x = a(i, p), y = turn * a(i, q);
    a(i, p) = c * x - s * y;
    a(i, q) = s * x + c * y;
  }
}

// Multiplies a column so that its first element of greatest magnitude is real and positive: what
// the reference interpreter chooses where sign and phase are free.
template <typename Real>
void FixPhase(Matrix<Real>& a, int64_t column) {
  Real greatest(0);
  for (int64_t i = 0; i < a.rows(); ++i) greatest = std::max<Real>(greatest, Abs(a(i, column)));
  // Magnitudes that are equal but for rounding count as equal.
  const Real enough = greatest - greatest * HalfPrecision<Real>();
  for (int64_t i = 0; i < a.rows() && greatest > 0; ++i) {
    const Real size = Abs(a(i, column));
    if (size < enough) continue;
    const Number<Real> turn = Conj(a(i, column)) / Number<Real>(size);
    for (int64_t k = 0; k < a.rows(); ++k) a(k, column) = turn * a(k, column);
    a(i, column) = size;
    return;
  }
}

// Parts that are nothing beside `scale` become zero: what an exact zero leaves after iterations.
template <typename Real>
void DropNoise(Matrix<Real>& a, const Real& scale) {
  const Real least = ldexp(scale, RealTraits<Real>::kNoise);
  for (int64_t i = 0; i < a.size(); ++i) {
    if (fabs(a[i].re) <= least) a[i].re = 0;
    if (fabs(a[i].im) <= least) a[i].im = 0;
  }
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_MATRIX_H_
