// Eigenvalues and both kinds of eigenvectors of general matrices, from the Schur form.
// Tests: custom_call_test.cc.
#include "interpreter/custom_calls/factorisations.h"

namespace assay::custom_calls {
namespace {

bool IsReal(const Matrix& a) {
  for (int64_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_real()) return false;
  }
  return true;
}

// What the substitution divides by; never zero, so that defective matrices get vectors too.
Number Gap(const Number& a, const Number& b, const Real& norm) {
  const Number gap = a - b;
  const Real least = Negligible() * (norm.is_zero() ? Real(1) : norm);
  return Abs(gap) < least ? Number(least) : gap;
}

// The eigenvector of T for t(k, k), in all of the space.
Matrix RightVector(const Matrix& t, const Matrix& z, int64_t k, const Real& norm) {
  Matrix y(t.rows(), 1);
  y[k] = 1.0;
  for (int64_t i = k - 1; i >= 0; --i) {
    for (int64_t j = i + 1; j <= k; ++j) y[i] -= t(i, j) * y[j];
    y[i] = y[i] / Gap(t(i, i), t(k, k), norm);
  }
  return z * y;
}

Matrix LeftVector(const Matrix& t, const Matrix& z, int64_t k, const Real& norm) {
  Matrix w(t.rows(), 1);
  w[k] = 1.0;
  for (int64_t j = k + 1; j < t.rows(); ++j) {
    for (int64_t i = k; i < j; ++i) w[j] -= w[i] * t(i, j);
    w[j] = w[j] / Gap(t(j, j), t(k, k), norm);
  }
  for (int64_t i = 0; i < w.size(); ++i) w[i] = Conj(w[i]);
  return z * w;
}

void Place(Matrix vector, bool is_real, int64_t k, Matrix& vectors) {
  const Number scale = Number(Real(1 / vector.Frobenius()));
  for (int64_t i = 0; i < vector.size(); ++i) vector[i] = scale * vector[i];
  FixPhase(vector, 0);
  DropNoise(vector, 1);
  for (int64_t i = 0; i < vector.size(); ++i) {
    vectors(i, k) = is_real ? Number(vector[i].re) : vector[i];
  }
}

void PlaceConjugate(int64_t k, Matrix& vectors) {
  for (int64_t i = 0; i < vectors.rows(); ++i) vectors(i, k + 1) = Conj(vectors(i, k));
}

}  // namespace

absl::Status GeneralEigen(const Matrix& a, Matrix& values, Matrix* left, Matrix* right,
                          evaluator::EvaluationContext& context) {
  const bool real = IsReal(a);
  Matrix t, z;
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

}  // namespace assay::custom_calls
