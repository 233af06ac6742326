// Singular values by one-sided Jacobi rotations. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SVD_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SVD_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/custom_calls/linear_algebra/matrix.h"

namespace assay::runtime::custom_calls {
inline constexpr int kMostRotationSweeps = 60;

// Column k as a unit vector orthogonal to those before it: the basis vector that lies furthest from
// them, made orthogonal twice.
template <typename Real>
void Complete(Matrix<Real>& q, int64_t k) {
  int64_t furthest = 0;
  Real least = 2;
  for (int64_t i = 0; i < q.rows(); ++i) {
    Real inside(0);
    for (int64_t j = 0; j < k; ++j) inside += Norm(q(i, j));
    if (inside < least - HalfPrecision<Real>()) {
      least = inside;
      furthest = i;
    }
  }
  for (int64_t i = 0; i < q.rows(); ++i) q(i, k) = Real(i == furthest ? 1 : 0);
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t j = 0; j < k; ++j) {
      Number<Real> along;
      for (int64_t i = 0; i < q.rows(); ++i) along += Conj(q(i, j)) * q(i, k);
      for (int64_t i = 0; i < q.rows(); ++i) q(i, k) -= along * q(i, j);
    }
  }
  Real norm(0);
  for (int64_t i = 0; i < q.rows(); ++i) norm += Norm(q(i, k));
  const Number<Real> scale = Number<Real>(Real(1 / sqrt(norm)));
  for (int64_t i = 0; i < q.rows(); ++i) q(i, k) = scale * q(i, k);
}

// Makes the columns of b orthogonal by rotations, which v collects.
template <typename Real>
absl::Status Orthogonalise(Matrix<Real>& b, Matrix<Real>& v, Context& context) {
  const Real eps = Negligible<Real>() * Negligible<Real>();
  const Real norm = b.Frobenius(), nothing = norm * norm * eps;
  bool rotated = true;
  for (int sweep = 0; sweep < kMostRotationSweeps && rotated; ++sweep) {
    rotated = false;
    for (int64_t p = 0; p < b.columns(); ++p) {
      for (int64_t q = p + 1; q < b.columns(); ++q) {
        if (absl::Status status = context.ChargeCostly(b.rows()); !status.ok()) return status;
        Real alpha(0), beta(0);
        Number<Real> gamma;
        for (int64_t i = 0; i < b.rows(); ++i) {
          alpha += Norm(b(i, p));
          beta += Norm(b(i, q));
          gamma += Conj(b(i, p)) * b(i, q);
        }
        if (alpha <= nothing || beta <= nothing || Norm(gamma) <= eps * alpha * beta) continue;
        const Real size = Abs(gamma), zeta = (beta - alpha) / (2 * size);
        const Real root = fabs(zeta) + sqrt(Real(zeta * zeta + 1));
        const Real t = zeta < 0 ? Real(-1 / root) : Real(1 / root);
        const Real c = 1 / sqrt(Real(t * t + 1)), s = t * c;
        const Number<Real> phase = gamma / Number<Real>(size);
        RotateColumns(b, p, q, c, s, phase);
        RotateColumns(v, p, q, c, s, phase);
        rotated = true;
      }
    }
  }
  return absl::OkStatus();
}

// A = U diag(s) V^H, values descending; u and v as wide as they come in, m to min(m, n).
template <typename Real>
absl::Status Svd(const Matrix<Real>& a, Matrix<Real>& u, Matrix<Real>& values, Matrix<Real>& v,
                 Context& context) {
  if (a.rows() < a.columns()) return Svd(Adjoint(a), v, values, u, context);
  const int64_t n = a.columns();
  Matrix<Real> b = a, rotations = Matrix<Real>::Identity(n);
  if (absl::Status status = Orthogonalise(b, rotations, context); !status.ok()) return status;
  std::vector<Real> lengths(n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < a.rows(); ++i) lengths[j] += Norm(b(i, j));
    lengths[j] = sqrt(lengths[j]);
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return lengths[i] > lengths[j]; });
  const Real scale = n > 0 ? lengths[order[0]] : Real(0);
  for (int64_t k = 0; k < n; ++k) values[k] = lengths[order[k]];
  DropNoise(values, scale);
  Matrix<Real> sorted(n, n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t i = 0; i < n; ++i) sorted(i, k) = rotations(i, order[k]);
    FixPhase(sorted, k);
    for (int64_t i = 0; k < v.columns() && i < n; ++i) v(i, k) = sorted(i, k);
  }
  const Matrix<Real> images = a * sorted;
  for (int64_t k = 0; k < u.columns(); ++k) {
    if (k >= n || values[k].is_zero()) {
      Complete(u, k);
      continue;
    }
    for (int64_t i = 0; i < a.rows(); ++i) u(i, k) = images(i, k) / values[k];
  }
  DropNoise(u, Real(1));
  DropNoise(v, Real(1));
  return absl::OkStatus();
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SVD_H_
