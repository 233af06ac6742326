// Eigenvalues and both kinds of eigenvectors of general matrices, from the Schur form.
// Tests: backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_EIGEN_GENERAL_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_EIGEN_GENERAL_H_

#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/custom_calls/linear_algebra/schur.h"

namespace assay::runtime::custom_calls {
template <typename Real>
bool IsReal(const Matrix<Real>& a) {
  for (int64_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_real()) return false;
  }
  return true;
}

// What the substitution divides by; never zero, so that defective matrices get vectors too.
template <typename Real>
Number<Real> Gap(const Number<Real>& a, const Number<Real>& b, const Real& norm) {
  const Number<Real> gap = a - b;
  const Real least = Negligible<Real>() * (norm == 0 ? Real(1) : norm);
  return Abs(gap) < least ? Number<Real>(least) : gap;
}

// The eigenvector of T for t(k, k), in all of the space.
template <typename Real>
Matrix<Real> RightVector(const Matrix<Real>& t, const Matrix<Real>& z, int64_t k,
                         const Real& norm) {
  Matrix<Real> y(t.rows(), 1);
  y[k] = Real(1);
  for (int64_t i = k - 1; i >= 0; --i) {
    for (int64_t j = i + 1; j <= k; ++j) y[i] -= t(i, j) * y[j];
    y[i] = y[i] / Gap(t(i, i), t(k, k), norm);
  }
  return z * y;
}

template <typename Real>
Matrix<Real> LeftVector(const Matrix<Real>& t, const Matrix<Real>& z, int64_t k, const Real& norm) {
  Matrix<Real> w(t.rows(), 1);
  w[k] = Real(1);
  for (int64_t j = k + 1; j < t.rows(); ++j) {
    for (int64_t i = k; i < j; ++i) w[j] -= w[i] * t(i, j);
    w[j] = w[j] / Gap(t(j, j), t(k, k), norm);
  }
  for (int64_t i = 0; i < w.size(); ++i) w[i] = Conj(w[i]);
  return z * w;
}

template <typename Real>
void Place(Matrix<Real> vector, bool is_real, int64_t k, Matrix<Real>& vectors) {
  const Number<Real> scale = Number<Real>(Real(1 / vector.Frobenius()));
  for (int64_t i = 0; i < vector.size(); ++i) vector[i] = scale * vector[i];
  FixPhase(vector, 0);
  DropNoise(vector, Real(1));
  for (int64_t i = 0; i < vector.size(); ++i) {
    vectors(i, k) = is_real ? Number<Real>(vector[i].re) : vector[i];
  }
}

template <typename Real>
void PlaceConjugate(int64_t k, Matrix<Real>& vectors) {
  for (int64_t i = 0; i < vectors.rows(); ++i) vectors(i, k + 1) = Conj(vectors(i, k));
}

// Values, and vectors of length 1.
template <typename Real>
absl::Status GeneralEigen(const Matrix<Real>& a, Matrix<Real>& values, Matrix<Real>* left,
                          Matrix<Real>* right, Context& context) {
  const bool real = IsReal(a);
  Matrix<Real> t, z;
  absl::Status status = real ? RealSchur(a, t, z, context) : ComplexSchur(a, t, z, context);
  if (!status.ok()) return status;
  const int64_t n = a.rows();
  const Real norm = t.Frobenius();
  std::vector<bool> is_pair(n);  // the first of two conjugate values
  for (int64_t k = 0; k + 1 < n; ++k) {
    is_pair[k] = real && !t(k + 1, k).is_zero();
    if (is_pair[k]) Triangularise(t, z, k);
  }
  for (int64_t k = 0; k < n; ++k) values[k] = t(k, k);
  for (int64_t k = 0; k < n; ++k) {
    if (is_pair[k]) values[k + 1] = Conj(values[k]);
  }
  DropNoise(values, norm);
  for (int64_t k = 0; k < n; ++k) {
    const bool real_value = real && values[k].is_real();
    if (absl::Status status = context.ChargeCostly(n * n); !status.ok()) return status;
    if (k > 0 && is_pair[k - 1]) {
      if (left != nullptr) PlaceConjugate(k - 1, *left);
      if (right != nullptr) PlaceConjugate(k - 1, *right);
      continue;
    }
    if (right != nullptr) Place(RightVector(t, z, k, norm), real_value, k, *right);
    if (left != nullptr) Place(LeftVector(t, z, k, norm), real_value, k, *left);
  }
  return absl::OkStatus();
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_EIGEN_GENERAL_H_
