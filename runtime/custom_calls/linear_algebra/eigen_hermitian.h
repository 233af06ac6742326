// Hermitian matrices: eigenvalues by cyclic Jacobi rotations, which are accurate and need no
// shifts, and the tridiagonal form. Tests: backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_EIGEN_HERMITIAN_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_EIGEN_HERMITIAN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/custom_calls/linear_algebra/factor_qr.h"

namespace assay::runtime::custom_calls {
inline constexpr int kMostSweeps = 60;

// The whole matrix of which one triangle is given.
template <typename Real>
Matrix<Real> WholeMatrix(const Matrix<Real>& a, bool lower) {
  Matrix<Real> whole(a.rows(), a.rows());
  for (int64_t i = 0; i < a.rows(); ++i) {
    whole(i, i) = Number<Real>(a(i, i).re);
    for (int64_t j = 0; j < i; ++j) {
      whole(i, j) = lower ? a(i, j) : Conj(a(j, i));
      whole(j, i) = Conj(whole(i, j));
    }
  }
  return whole;
}

// Annihilates b(p, q) by a rotation of columns and rows.
template <typename Real>
void RotateHermitian(Matrix<Real>& b, Matrix<Real>& vectors, int64_t p, int64_t q) {
  const Real size = Abs(b(p, q));
  const Number<Real> phase = b(p, q) / Number<Real>(size);
  const Real theta = (b(q, q).re - b(p, p).re) / (2 * size);
  const Real root = fabs(theta) + sqrt(Real(theta * theta + 1));
  const Real t = theta < 0 ? Real(-1 / root) : Real(1 / root);
  const Real c = 1 / sqrt(Real(t * t + 1)), s = t * c;
  RotateColumns(b, p, q, c, s, phase);
  for (int64_t j = 0; j < b.columns(); ++j) {
    const Number<Real> x = b(p, j), y = phase * b(q, j);
    b(p, j) = c * x - s * y;
    b(q, j) = s * x + c * y;
  }
  b(p, p).im = b(q, q).im = Real(0);
  b(p, q) = b(q, p) = Number<Real>();
  RotateColumns(vectors, p, q, c, s, phase);
}

// Of the Hermitian matrix in one triangle.
template <typename Real>
absl::Status HermitianEigen(const Matrix<Real>& a, bool lower, bool sort, Matrix<Real>& vectors,
                            Matrix<Real>& values, Context& context) {
  const int64_t n = a.rows();
  Matrix<Real> b = WholeMatrix(a, lower), v = Matrix<Real>::Identity(n);
  const Real norm = b.Frobenius(), least = norm * Negligible<Real>();
  bool rotated = true;
  for (int sweep = 0; sweep < kMostSweeps && rotated; ++sweep) {
    rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const Real size = Norm(b(p, q));
        if (size <= least * least ||
            size <= Negligible<Real>() * Negligible<Real>() * fabs(Real(b(p, p).re * b(q, q).re))) {
          continue;
        }
        if (absl::Status status = context.ChargeCostly(6 * n); !status.ok()) return status;
        RotateHermitian(b, v, p, q);
        rotated = true;
      }
    }
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (sort) {
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t i, int64_t j) { return b(i, i).re < b(j, j).re; });
  }
  vectors = Matrix<Real>(n, n);
  values = Matrix<Real>(n, 1);
  for (int64_t k = 0; k < n; ++k) {
    values[k] = b(order[k], order[k]).re;
    for (int64_t i = 0; i < n; ++i) vectors(i, k) = v(i, order[k]);
    FixPhase(vectors, k);
  }
  DropNoise(values, norm);
  DropNoise(vectors, Real(1));
  return absl::OkStatus();
}

// Q^H A Q is tridiagonal: as ?sytrd.
template <typename Real>
void Tridiagonalise(Matrix<Real>& a, bool lower, Matrix<Real>& diagonal, Matrix<Real>& off_diagonal,
                    Matrix<Real>& taus) {
  const int64_t n = a.rows();
  Matrix<Real> b = WholeMatrix(a, lower);
  // The upper form is the lower one of the matrix with its order reversed.
  const auto at = [&](int64_t i) { return lower ? i : n - 1 - i; };
  Matrix<Real> m(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) m(i, j) = b(at(i), at(j));
  }
  for (int64_t k = 0; k + 1 < n; ++k) {
    const Number<Real> tau = MakeReflector(m, k + 1, k);
    ReflectRows(m, k, k + 1, Conj(tau), m, k + 1, n);
    ReflectColumns(m, k, k + 1, tau, m, k + 1, n);
    const int64_t e = lower ? k : n - 2 - k;
    taus[e] = tau;
    off_diagonal[e] = m(k + 1, k);
    for (int64_t i = k + 1; i < n; ++i) a(at(i), at(k)) = m(i, k);
  }
  for (int64_t k = 0; k < n; ++k) {
    diagonal[at(k)] = Number<Real>(m(k, k).re);
    a(at(k), at(k)) = diagonal[at(k)];
  }
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_EIGEN_HERMITIAN_H_
