// The Hessenberg and Schur forms: shifted QR steps as chains of plane rotations, one shift at a
// time for complex matrices, two for real ones. Tests: custom_call_test.cc.
#include <algorithm>

#include "interpreter/custom_calls/factorisations.h"

namespace assay::custom_calls {
namespace {

constexpr int kStepsPerValue = 200;  // far beyond what converges

// T := G T G^H and Z := Z G^H, where G turns rows k and k + 1 so that (x, y) becomes (r, 0).
void Turn(Matrix& t, Matrix& z, int64_t k, const Number& x, const Number& y) {
  const Real r = sqrt(Real(Norm(x) + Norm(y)));
  if (r.is_zero() || y.is_zero()) return;
  const Number c = x / Number(r), s = y / Number(r), c_conj = Conj(c), s_conj = Conj(s);
  for (int64_t j = 0; j < t.columns(); ++j) {
    const Number a = t(k, j), b = t(k + 1, j);
    t(k, j) = c_conj * a + s_conj * b;
    t(k + 1, j) = c * b - s * a;
  }
  for (Matrix* m : {&t, &z}) {
    for (int64_t i = 0; i < m->rows(); ++i) {
      const Number a = (*m)(i, k), b = (*m)(i, k + 1);
      (*m)(i, k) = c * a + s * b;
      (*m)(i, k + 1) = c_conj * b - s_conj * a;
    }
  }
}

// Zeroes t(row, column) by a turn with the row above.
void Chase(Matrix& t, Matrix& z, int64_t row, int64_t column) {
  Turn(t, z, row - 1, t(row - 1, column), t(row, column));
  t(row, column) = Number();
}

// Starts both forms: T is Hessenberg.
void Start(const Matrix& a, Matrix& t, Matrix& z) {
  const int64_t n = a.rows();
  Matrix packed = a, taus(std::max<int64_t>(n - 1, 0), 1);
  Hessenberg(packed, 1, n, taus);
  z = Matrix::Identity(n);
  for (int64_t k = n - 2; k >= 0; --k) ReflectRows(packed, k, k + 1, taus[k], z, 0, n);
  t = Matrix(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = std::max<int64_t>(i - 1, 0); j < n; ++j) t(i, j) = packed(i, j);
  }
}

// The first row of the unreduced block that ends with `last`; the element before it becomes zero.
int64_t BlockStart(Matrix& t, int64_t last, const Real& norm) {
  for (int64_t k = last; k > 0; --k) {
    Real beside = Abs(t(k, k)) + Abs(t(k - 1, k - 1));
    if (beside.is_zero()) beside = norm;
    if (Abs(t(k, k - 1)) > Negligible() * beside) continue;
    t(k, k - 1) = Number();
    return k;
  }
  return 0;
}

// The eigenvalue of the last block of order 2 that is nearer to its last element.
Number WilkinsonShift(const Matrix& t, int64_t last) {
  const Number half = (t(last - 1, last - 1) - t(last, last)) / Number(2.0);
  const Number root = Sqrt(half * half + t(last - 1, last) * t(last, last - 1));
  const Number far = Norm(half + root) > Norm(half - root) ? half + root : half - root;
  if (far.is_zero()) return t(last, last);
  return t(last, last) - t(last - 1, last) * t(last, last - 1) / far;
}

void SingleShiftStep(Matrix& t, Matrix& z, int64_t first, int64_t last, const Number& shift) {
  Turn(t, z, first, t(first, first) - shift, t(first + 1, first));
  for (int64_t k = first + 2; k <= last; ++k) Chase(t, z, k, k - 2);
}

// Both eigenvalues of the last block as shifts (sum and product), in real arithmetic.
void DoubleShiftStep(Matrix& t, Matrix& z, int64_t first, int64_t last, const Number& sum,
                     const Number& product) {
  const Number below = t(first + 1, first);
  const Number x =
      t(first, first) * (t(first, first) - sum) + t(first, first + 1) * below + product;
  const Number y = below * (t(first, first) + t(first + 1, first + 1) - sum);
  const Number w = below * t(first + 2, first + 1);
  Turn(t, z, first + 1, y, w);
  Turn(t, z, first, x, w.is_zero() ? y : Number(Real(sqrt(Real(Norm(y) + Norm(w))))));
  for (int64_t k = first; k + 2 <= last; ++k) {
    if (k + 3 <= last) Chase(t, z, k + 3, k);
    Chase(t, z, k + 2, k);
  }
}

// A real block of order 2 at k: upper triangular where its eigenvalues are real, else of equal
// diagonal elements.
void Standardise(Matrix& t, Matrix& z, int64_t k) {
  const Real half = (t(k, k).re - t(k + 1, k + 1).re) / 2;
  const Real c = t(k + 1, k).re, square = half * half + t(k, k + 1).re * c;
  if (c.is_zero()) return;
  if (square >= 0) {
    const Real root = sqrt(square);
    Turn(t, z, k, Number(half < 0 ? Real(half - root) : Real(half + root)), Number(c));
    t(k + 1, k) = Number();
    return;
  }
  const Real sigma = t(k, k + 1).re + c, length = sqrt(Real(sigma * sigma + 4 * half * half));
  if (!half.is_zero()) {
    const Real cosine = sqrt(Real((1 + fabs(sigma) / length) / 2));
    const Real sine = half / (length * cosine);
    Turn(t, z, k, Number(cosine), Number(sigma < 0 ? sine : Real(-sine)));
  }
  const Real mean = (t(k, k).re + t(k + 1, k + 1).re) / 2;
  t(k, k) = t(k + 1, k + 1) = mean;
}

bool IsExceptional(int step) { return step % 10 == 9; }

absl::Status Charge(const Matrix& t, int64_t first, int64_t last,
                    evaluator::EvaluationContext& context) {
  return context.ChargeCostly((last - first + 1) * t.rows() * 6);
}

}  // namespace

void Hessenberg(Matrix& a, int64_t low, int64_t high, Matrix& taus) {
  // The rows below `high` are zero already: reflectors end there.
  for (int64_t k = low - 1; k + 1 < high; ++k) {
    Matrix packed(high, 1);
    for (int64_t i = k + 1; i < high; ++i) packed[i] = a(i, k);
    const Number tau = MakeReflector(packed, k + 1, 0);
    ReflectColumns(packed, 0, k + 1, tau, a, 0, high);
    ReflectRows(packed, 0, k + 1, Conj(tau), a, k + 1, a.columns());
    taus[k] = tau;
    for (int64_t i = k + 1; i < high; ++i) a(i, k) = packed[i];
  }
}

absl::Status ComplexSchur(const Matrix& a, Matrix& t, Matrix& z,
                          evaluator::EvaluationContext& context) {
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
    const Number shift =
        IsExceptional(steps) ? Number(Abs(t(last, last - 1))) : WilkinsonShift(t, last);
    SingleShiftStep(t, z, first, last, shift);
  }
  return absl::OkStatus();
}

absl::Status RealSchur(const Matrix& a, Matrix& t, Matrix& z,
                       evaluator::EvaluationContext& context) {
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
    Number sum = t(last, last) + t(last - 1, last - 1);
    Number product = t(last, last) * t(last - 1, last - 1) - t(last, last - 1) * t(last - 1, last);
    if (IsExceptional(steps)) {
      const Real size = Abs(t(last, last - 1)) + Abs(t(last - 1, last - 2));
      sum = Number(Real(size * 1.5));
      product = Number(Real(size * size));
    }
    DoubleShiftStep(t, z, first, last, sum, product);
  }
  return absl::OkStatus();
}

void Triangularise(Matrix& t, Matrix& z, int64_t k) {
  const Real w = sqrt(Real(-t(k, k + 1).re * t(k + 1, k).re));
  Turn(t, z, k, t(k, k + 1), Number(Real(0), w));
  t(k + 1, k) = Number();
}

}  // namespace assay::custom_calls
