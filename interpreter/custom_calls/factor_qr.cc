// Householder reflectors: QR without and with pivots, and products with Q.
// Tests: custom_call_test.cc.
#include <algorithm>
#include <utility>

#include "interpreter/custom_calls/factorisations.h"

namespace assay::custom_calls {

Number MakeReflector(Matrix& a, int64_t first, int64_t column) {
  const Number alpha = a(first, column);
  Real below;
  for (int64_t i = first + 1; i < a.rows(); ++i) below += Norm(a(i, column));
  if (below.is_zero() && alpha.is_real()) return {};
  const Real length = sqrt(Real(Norm(alpha) + below));
  const Real beta = alpha.re < 0 ? length : Real(-length);
  const Number scale = Number(1.0) / (alpha - Number(beta));
  for (int64_t i = first + 1; i < a.rows(); ++i) a(i, column) = scale * a(i, column);
  a(first, column) = beta;
  return (Number(beta) - alpha) / Number(beta);
}

void ReflectRows(const Matrix& packed, int64_t column, int64_t first, const Number& tau, Matrix& a,
                 int64_t from, int64_t to) {
  if (tau.is_zero()) return;
  for (int64_t j = from; j < to; ++j) {
    Number sum = a(first, j);
    for (int64_t i = first + 1; i < packed.rows(); ++i) sum += Conj(packed(i, column)) * a(i, j);
    sum = tau * sum;
    a(first, j) -= sum;
    for (int64_t i = first + 1; i < packed.rows(); ++i) a(i, j) -= packed(i, column) * sum;
  }
}

void ReflectColumns(const Matrix& packed, int64_t column, int64_t first, const Number& tau,
                    Matrix& a, int64_t from, int64_t to) {
  if (tau.is_zero()) return;
  for (int64_t i = from; i < to; ++i) {
    Number sum = a(i, first);
    for (int64_t j = first + 1; j < packed.rows(); ++j) sum += a(i, j) * packed(j, column);
    sum = tau * sum;
    a(i, first) -= sum;
    for (int64_t j = first + 1; j < packed.rows(); ++j) a(i, j) -= sum * Conj(packed(j, column));
  }
}

void Qr(Matrix& a, Matrix& taus) {
  for (int64_t k = 0; k < std::min(a.rows(), a.columns()); ++k) {
    taus[k] = MakeReflector(a, k, k);
    ReflectRows(a, k, k, Conj(taus[k]), a, k + 1, a.columns());
  }
}

void PivotedQr(Matrix& a, Matrix& pivots, Matrix& taus) {
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
      Real norm;
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
  for (int64_t j = 0; j < a.columns(); ++j) pivots[j] = static_cast<double>(order[j] + 1);
}

Matrix FormQ(const Matrix& packed, const Matrix& taus, int64_t columns) {
  Matrix q(packed.rows(), columns);
  for (int64_t i = 0; i < std::min(q.rows(), q.columns()); ++i) q(i, i) = 1.0;
  for (int64_t k = taus.size() - 1; k >= 0; --k) ReflectRows(packed, k, k, taus[k], q, 0, columns);
  return q;
}

void ApplyQ(const Matrix& packed, const Matrix& taus, bool left, bool adjoint, Matrix& c) {
  const int64_t count = taus.size();
  for (int64_t step = 0; step < count; ++step) {
    const int64_t k = left == adjoint ? step : count - 1 - step;
    const Number tau = adjoint ? Conj(taus[k]) : taus[k];
    if (left) {
      ReflectRows(packed, k, k, tau, c, 0, c.columns());
    } else {
      ReflectColumns(packed, k, k, tau, c, 0, c.rows());
    }
  }
}

}  // namespace assay::custom_calls
