// Householder reflectors: QR without and with pivots, and products with Q.
// Tests: backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_FACTOR_QR_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_FACTOR_QR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "runtime/custom_calls/linear_algebra/matrix.h"

namespace assay::runtime::custom_calls {

// The reflector of the vector a(rows.., column), `first` being its leading row; v replaces the
// vector below, beta its first element. Gives tau.
template <typename Real>
Number<Real> MakeReflector(Matrix<Real>& a, int64_t first, int64_t column) {
  const Number<Real> alpha = a(first, column);
  Real below(0);
  for (int64_t i = first + 1; i < a.rows(); ++i) below += Norm(a(i, column));
  if (below == 0 && alpha.is_real()) return {};
  const Real length = sqrt(Real(Norm(alpha) + below));
  const Real beta = alpha.re < 0 ? length : Real(-length);
  const Number<Real> scale = Number<Real>(Real(1)) / (alpha - Number<Real>(beta));
  for (int64_t i = first + 1; i < a.rows(); ++i) a(i, column) = scale * a(i, column);
  a(first, column) = beta;
  return (Number<Real>(beta) - alpha) / Number<Real>(beta);
}

// A(first.., from..to) := H A with v in column `column` of `packed` below row `first`.
template <typename Real>
void ReflectRows(const Matrix<Real>& packed, int64_t column, int64_t first, const Number<Real>& tau,
                 Matrix<Real>& a, int64_t from, int64_t to) {
  if (tau.is_zero()) return;
  for (int64_t j = from; j < to; ++j) {
    Number<Real> sum = a(first, j);
    for (int64_t i = first + 1; i < packed.rows(); ++i) sum += Conj(packed(i, column)) * a(i, j);
    sum = tau * sum;
    a(first, j) -= sum;
    for (int64_t i = first + 1; i < packed.rows(); ++i) a(i, j) -= packed(i, column) * sum;
  }
}

// A(from..to, first..) := A H.
template <typename Real>
void ReflectColumns(const Matrix<Real>& packed, int64_t column, int64_t first,
                    const Number<Real>& tau, Matrix<Real>& a, int64_t from, int64_t to) {
  if (tau.is_zero()) return;
  for (int64_t i = from; i < to; ++i) {
    Number<Real> sum = a(i, first);
    for (int64_t j = first + 1; j < packed.rows(); ++j) sum += a(i, j) * packed(j, column);
    sum = tau * sum;
    a(i, first) -= sum;
    for (int64_t j = first + 1; j < packed.rows(); ++j) a(i, j) -= sum * Conj(packed(j, column));
  }
}

template <typename Real>
void Qr(Matrix<Real>& a, Matrix<Real>& taus) {
  for (int64_t k = 0; k < std::min(a.rows(), a.columns()); ++k) {
    taus[k] = MakeReflector(a, k, k);
    ReflectRows(a, k, k, Conj(taus[k]), a, k + 1, a.columns());
  }
}

// With pivots (from 1): columns whose pivot is not 0 go first, the others by remaining norm.
template <typename Real>
void PivotedQr(Matrix<Real>& a, Matrix<Real>& pivots, Matrix<Real>& taus) {
  std::vector<int64_t> order(a.columns());
  int64_t fixed = 0;
  for (int64_t j = 0; j < a.columns(); ++j) {
    order[j] = j;
    if (pivots[j].is_zero()) continue;
    SwapColumns(a, fixed, j);
    std::swap(order[fixed++], order[j]);
  }
  for (int64_t k = 0; k < std::min(a.rows(), a.columns()); ++k) {
    int64_t pivot = k;
    Real greatest = -1;
    for (int64_t j = k; k >= fixed && j < a.columns(); ++j) {
      Real norm(0);
      for (int64_t i = k; i < a.rows(); ++i) norm += Norm(a(i, j));
      if (norm > greatest) {
        greatest = norm;
        pivot = j;
      }
    }
    SwapColumns(a, k, pivot);
    std::swap(order[k], order[pivot]);
    taus[k] = MakeReflector(a, k, k);
    ReflectRows(a, k, k, Conj(taus[k]), a, k + 1, a.columns());
  }
  for (int64_t j = 0; j < a.columns(); ++j) pivots[j] = Real(order[j] + 1);
}

// The leading columns of H1 H2 ... Hk.
template <typename Real>
Matrix<Real> FormQ(const Matrix<Real>& packed, const Matrix<Real>& taus, int64_t columns) {
  Matrix<Real> q(packed.rows(), columns);
  for (int64_t i = 0; i < std::min(q.rows(), q.columns()); ++i) q(i, i) = Real(1);
  for (int64_t k = taus.size() - 1; k >= 0; --k) ReflectRows(packed, k, k, taus[k], q, 0, columns);
  return q;
}

// C := Q C, Q^H C, C Q or C Q^H.
template <typename Real>
void ApplyQ(const Matrix<Real>& packed, const Matrix<Real>& taus, bool left, bool adjoint,
            Matrix<Real>& c) {
  const int64_t count = taus.size();
  for (int64_t step = 0; step < count; ++step) {
    const int64_t k = left == adjoint ? step : count - 1 - step;
    const Number<Real> tau = adjoint ? Conj(taus[k]) : taus[k];
    if (left) {
      ReflectRows(packed, k, k, tau, c, 0, c.columns());
    } else {
      ReflectColumns(packed, k, k, tau, c, 0, c.rows());
    }
  }
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_FACTOR_QR_H_
