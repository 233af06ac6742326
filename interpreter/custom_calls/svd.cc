// Singular values by one-sided Jacobi rotations. Tests: custom_call_test.cc.
#include <algorithm>
#include <numeric>

#include "interpreter/custom_calls/factorisations.h"

namespace assay::custom_calls {
namespace {

constexpr int kMostRotationSweeps = 60;

// Column k as a unit vector orthogonal to those before it: the basis vector that lies furthest from
// them, made orthogonal twice.
void Complete(Matrix& q, int64_t k) {
  int64_t furthest = 0;
  Real least = 2;
  for (int64_t i = 0; i < q.rows(); ++i) {
    Real inside;
    for (int64_t j = 0; j < k; ++j) inside += Norm(q(i, j));
    if (inside < least - ldexp(Real(1), -kRealBits / 2)) {
      least = inside;
      furthest = i;
    }
  }
  for (int64_t i = 0; i < q.rows(); ++i) q(i, k) = i == furthest ? 1.0 : 0.0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t j = 0; j < k; ++j) {
      Number along;
      for (int64_t i = 0; i < q.rows(); ++i) along += Conj(q(i, j)) * q(i, k);
      for (int64_t i = 0; i < q.rows(); ++i) q(i, k) -= along * q(i, j);
    }
  }
  Real norm;
  for (int64_t i = 0; i < q.rows(); ++i) norm += Norm(q(i, k));
  const Number scale = Number(Real(1 / sqrt(norm)));
  for (int64_t i = 0; i < q.rows(); ++i) q(i, k) = scale * q(i, k);
}

// Makes the columns of b orthogonal by rotations, which v collects.
absl::Status Orthogonalise(Matrix& b, Matrix& v, evaluator::EvaluationContext& context) {
  const Real eps = Negligible() * Negligible();
  const Real norm = b.Frobenius(), nothing = norm * norm * eps;
  bool rotated = true;
  for (int sweep = 0; sweep < kMostRotationSweeps && rotated; ++sweep) {
    rotated = false;
    for (int64_t p = 0; p < b.columns(); ++p) {
      for (int64_t q = p + 1; q < b.columns(); ++q) {
        if (absl::Status status = context.ChargeCostly(b.rows()); !status.ok()) return status;
        Real alpha, beta;
        Number gamma;
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
        const Number phase = gamma / Number(size);
        RotateColumns(b, p, q, c, s, phase);
        RotateColumns(v, p, q, c, s, phase);
        rotated = true;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Svd(const Matrix& a, Matrix& u, Matrix& values, Matrix& v,
                 evaluator::EvaluationContext& context) {
  if (a.rows() < a.columns()) return Svd(Adjoint(a), v, values, u, context);
  const int64_t n = a.columns();
  Matrix b = a, rotations = Matrix::Identity(n);
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
  Matrix sorted(n, n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t i = 0; i < n; ++i) sorted(i, k) = rotations(i, order[k]);
    FixPhase(sorted, k);
    for (int64_t i = 0; k < v.columns() && i < n; ++i) v(i, k) = sorted(i, k);
  }
  const Matrix images = a * sorted;
  for (int64_t k = 0; k < u.columns(); ++k) {
    if (k >= n || values[k].is_zero()) {
      Complete(u, k);
      continue;
    }
    for (int64_t i = 0; i < a.rows(); ++i) u(i, k) = images(i, k) / values[k];
  }
  DropNoise(u, 1);
  DropNoise(v, 1);
  return absl::OkStatus();
}

}  // namespace assay::custom_calls
