// The Hessenberg and Schur forms: shifted QR steps as chains of plane rotations, one shift at a
// time for complex matrices, two for real ones. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SCHUR_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SCHUR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/custom_calls/linear_algebra/factor_qr.h"

namespace assay::runtime::custom_calls {
inline constexpr int kStepsPerValue = 200;  // far beyond what converges

// T := G T G^H and Z := Z G^H, where G turns rows k and k + 1 so that (x, y) becomes (r, 0).
template <typename Real>
void Turn(Matrix<Real>& t, Matrix<Real>& z, int64_t k, const Number<Real>& x,
          const Number<Real>& y) {
  const Real r = sqrt(Real(Norm(x) + Norm(y)));
  if (r == 0 || y.is_zero()) return;
  const Number<Real> c = x / Number<Real>(r), s = y / Number<Real>(r), c_conj = Conj(c),
                     s_conj = Conj(s);
  for (int64_t j = 0; j < t.columns(); ++j) {
    const Number<Real> a = t(k, j), b = t(k + 1, j);
    t(k, j) = c_conj * a + s_conj * b;
    t(k + 1, j) = c * b - s * a;
  }
  for (Matrix<Real>* m : {&t, &z}) {
    for (int64_t i = 0; i < m->rows(); ++i) {
      const Number<Real> a = (*m)(i, k), b = (*m)(i, k + 1);
      (*m)(i, k) = c * a + s * b;
      (*m)(i, k + 1) = c_conj * b - s_conj * a;
    }
  }
}

// Zeroes t(row, column) by a turn with the row above.
template <typename Real>
void Chase(Matrix<Real>& t, Matrix<Real>& z, int64_t row, int64_t column) {
  Turn(t, z, row - 1, t(row - 1, column), t(row, column));
  t(row, column) = Number<Real>();
}

// Starts both forms: T is Hessenberg.
template <typename Real>
void Start(const Matrix<Real>& a, Matrix<Real>& t, Matrix<Real>& z) {
  const int64_t n = a.rows();
  Matrix<Real> packed = a, taus(std::max<int64_t>(n - 1, 0), 1);
  Hessenberg(packed, 1, n, taus);
  z = Matrix<Real>::Identity(n);
  for (int64_t k = n - 2; k >= 0; --k) ReflectRows(packed, k, k + 1, taus[k], z, 0, n);
  t = Matrix<Real>(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = std::max<int64_t>(i - 1, 0); j < n; ++j) t(i, j) = packed(i, j);
  }
}

// The first row of the unreduced block that ends with `last`; the element before it becomes zero.
template <typename Real>
int64_t BlockStart(Matrix<Real>& t, int64_t last, const Real& norm) {
  for (int64_t k = last; k > 0; --k) {
    Real beside = Abs(t(k, k)) + Abs(t(k - 1, k - 1));
    if (beside == 0) beside = norm;
    if (Abs(t(k, k - 1)) > Negligible<Real>() * beside) continue;
    t(k, k - 1) = Number<Real>();
    return k;
  }
  return 0;
}

// The eigenvalue of the last block of order 2 that is nearer to its last element.
template <typename Real>
Number<Real> WilkinsonShift(const Matrix<Real>& t, int64_t last) {
  const Number<Real> half = (t(last - 1, last - 1) - t(last, last)) / Number<Real>(Real(2));
  const Number<Real> root = Sqrt(half * half + t(last - 1, last) * t(last, last - 1));
  const Number<Real> far = Norm(half + root) > Norm(half - root) ? half + root : half - root;
  if (far.is_zero()) return t(last, last);
  return t(last, last) - t(last - 1, last) * t(last, last - 1) / far;
}

template <typename Real>
void SingleShiftStep(Matrix<Real>& t, Matrix<Real>& z, int64_t first, int64_t last,
                     const Number<Real>& shift) {
  Turn(t, z, first, t(first, first) - shift, t(first + 1, first));
  for (int64_t k = first + 2; k <= last; ++k) Chase(t, z, k, k - 2);
}

// Both eigenvalues of the last block as shifts (sum and product), in real arithmetic.
template <typename Real>
void DoubleShiftStep(Matrix<Real>& t, Matrix<Real>& z, int64_t first, int64_t last,
                     const Number<Real>& sum, const Number<Real>& product) {
  const Number<Real> below = t(first + 1, first);
  const Number<Real> x =
      t(first, first) * (t(first, first) - sum) + t(first, first + 1) * below + product;
  const Number<Real> y = below * (t(first, first) + t(first + 1, first + 1) - sum);
  const Number<Real> w = below * t(first + 2, first + 1);
  Turn(t, z, first + 1, y, w);
  Turn(t, z, first, x, w.is_zero() ? y : Number<Real>(Real(sqrt(Real(Norm(y) + Norm(w))))));
  for (int64_t k = first; k + 2 <= last; ++k) {
    if (k + 3 <= last) Chase(t, z, k + 3, k);
    Chase(t, z, k + 2, k);
  }
}

// A real block of order 2 at k: upper triangular where its eigenvalues are real, else of equal
// diagonal elements.
template <typename Real>
void Standardise(Matrix<Real>& t, Matrix<Real>& z, int64_t k) {
  const Real half = (t(k, k).re - t(k + 1, k + 1).re) / 2;
  const Real c = t(k + 1, k).re, square = half * half + t(k, k + 1).re * c;
  if (c == 0) return;
  if (square >= 0) {
    const Real root = sqrt(square);
    Turn(t, z, k, Number<Real>(half < 0 ? Real(half - root) : Real(half + root)), Number<Real>(c));
    t(k + 1, k) = Number<Real>();
    return;
  }
  const Real sigma = t(k, k + 1).re + c, length = sqrt(Real(sigma * sigma + 4 * half * half));
  if (half != 0) {
    const Real cosine = sqrt(Real((1 + fabs(sigma) / length) / 2));
    const Real sine = half / (length * cosine);
    Turn(t, z, k, Number<Real>(cosine), Number<Real>(sigma < 0 ? sine : Real(-sine)));
  }
  const Real mean = (t(k, k).re + t(k + 1, k + 1).re) / 2;
  t(k, k) = t(k + 1, k + 1) = mean;
}

inline bool IsExceptional(int step) { return step % 10 == 9; }

template <typename Real>
absl::Status Charge(const Matrix<Real>& t, int64_t first, int64_t last, Context& context) {
  return context.ChargeCostly((last - first + 1) * t.rows() * 6);
}

// Q^H A Q is zero below the first subdiagonal, for rows and columns low to high (from 1).
template <typename Real>
void Hessenberg(Matrix<Real>& a, int64_t low, int64_t high, Matrix<Real>& taus) {
  // The rows below `high` are zero already: reflectors end there.
  for (int64_t k = low - 1; k + 1 < high; ++k) {
    Matrix<Real> packed(high, 1);
    for (int64_t i = k + 1; i < high; ++i) packed[i] = a(i, k);
    const Number<Real> tau = MakeReflector(packed, k + 1, 0);
    ReflectColumns(packed, 0, k + 1, tau, a, 0, high);
    ReflectRows(packed, 0, k + 1, Conj(tau), a, k + 1, a.columns());
    taus[k] = tau;
    for (int64_t i = k + 1; i < high; ++i) a(i, k) = packed[i];
  }
}

// A = Z T Z^H with upper triangular T.
template <typename Real>
absl::Status ComplexSchur(const Matrix<Real>& a, Matrix<Real>& t, Matrix<Real>& z,
                          Context& context) {
  Start(a, t, z);
  const Real norm = t.Frobenius();
  int steps = 0;
  for (int64_t last = t.rows() - 1; last > 0;) {
    const int64_t first = BlockStart(t, last, norm);
    if (first == last || ++steps > kStepsPerValue) {
      --last;
      steps = 0;
      continue;
    }
    if (absl::Status status = Charge(t, first, last, context); !status.ok()) return status;
    const Number<Real> shift =
        IsExceptional(steps) ? Number<Real>(Abs(t(last, last - 1))) : WilkinsonShift(t, last);
    SingleShiftStep(t, z, first, last, shift);
  }
  return absl::OkStatus();
}

// Of a real matrix: T with blocks of order 2 on the diagonal for complex pairs; their diagonal
// elements are equal, the others of opposite sign.
template <typename Real>
absl::Status RealSchur(const Matrix<Real>& a, Matrix<Real>& t, Matrix<Real>& z, Context& context) {
  Start(a, t, z);
  const Real norm = t.Frobenius();
  int steps = 0;
  for (int64_t last = t.rows() - 1; last > 0;) {
    const int64_t first = BlockStart(t, last, norm);
    if (first + 1 >= last || ++steps > kStepsPerValue) {
      if (first + 1 == last) Standardise(t, z, first);
      last -= first == last ? 1 : 2;
      steps = 0;
      continue;
    }
    if (absl::Status status = Charge(t, first, last, context); !status.ok()) return status;
    Number<Real> sum = t(last, last) + t(last - 1, last - 1);
    Number<Real> product =
        t(last, last) * t(last - 1, last - 1) - t(last, last - 1) * t(last - 1, last);
    if (IsExceptional(steps)) {
      const Real size = Abs(t(last, last - 1)) + Abs(t(last - 1, last - 2));
      sum = Number<Real>(Real(size * 1.5));
      product = Number<Real>(Real(size * size));
    }
    DoubleShiftStep(t, z, first, last, sum, product);
  }
  return absl::OkStatus();
}

// Makes such a block at k triangular, its eigenvalue of positive imaginary part first.
template <typename Real>
void Triangularise(Matrix<Real>& t, Matrix<Real>& z, int64_t k) {
  const Real w = sqrt(Real(-t(k, k + 1).re * t(k + 1, k).re));
  Turn(t, z, k, t(k, k + 1), Number<Real>(Real(0), w));
  t(k + 1, k) = Number<Real>();
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SCHUR_H_
