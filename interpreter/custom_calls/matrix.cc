// Tests: custom_call_test.cc.
#include "interpreter/custom_calls/matrix.h"

#include <utility>

namespace assay::custom_calls {

const Real& Negligible() {
  static const Real value = ldexp(Real(1), 8 - kRealBits);
  return value;
}

Number& Number::operator+=(const Number& b) {
  re += b.re;
  if (!b.im.is_zero()) im += b.im;
  return *this;
}
Number& Number::operator-=(const Number& b) {
  re -= b.re;
  if (!b.im.is_zero()) im -= b.im;
  return *this;
}
Number operator-(const Number& a) { return {Real(-a.re), a.is_real() ? Real() : Real(-a.im)}; }
Number operator+(Number a, const Number& b) { return std::move(a += b); }
Number operator-(Number a, const Number& b) { return std::move(a -= b); }

Number operator*(const Number& a, const Number& b) {
  if (a.is_real()) return b.is_real() ? Number(a.re * b.re) : Number(a.re * b.re, a.re * b.im);
  if (b.is_real()) return {a.re * b.re, a.im * b.re};
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Number operator/(const Number& a, const Number& b) {
  if (b.is_real()) return a.is_real() ? Number(a.re / b.re) : Number(a.re / b.re, a.im / b.re);
  const Real norm = Norm(b);
  const Number product = a * Conj(b);
  return {product.re / norm, product.im / norm};
}

Number Conj(const Number& a) { return a.is_real() ? a : Number(a.re, Real(-a.im)); }
Real Norm(const Number& a) {
  return a.is_real() ? Real(a.re * a.re) : Real(a.re * a.re + a.im * a.im);
}
Real Abs(const Number& a) { return a.is_real() ? Real(fabs(a.re)) : Real(sqrt(Norm(a))); }
Real Size(const Number& a) { return fabs(a.re) + fabs(a.im); }

Number Sqrt(const Number& a) {
  if (a.is_zero()) return {};
  const Real size = sqrt(Real((Abs(a) + fabs(a.re)) / 2));
  const Real other = a.im / (2 * size);
  if (a.re >= 0) return {size, other};
  return a.im < 0 ? Number(Real(-other), Real(-size)) : Number(other, size);
}

bool IsFinite(const Number& a) {
  using boost::multiprecision::isfinite;
  return isfinite(a.re) && isfinite(a.im);
}

Number ToNumber(ElementType type, Element value) {
  if (IsFloat(type)) return Number(DecodeFloat(type, value.bits));
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return {Real(DecodeFloat(part, value.bits)), Real(DecodeFloat(part, value.imag))};
  }
  return IsSigned(type) ? Number(Real(DecodeSigned(type, value.bits)))
                        : Number(Real(DecodeUnsigned(type, value.bits)));
}

namespace {

uint64_t RoundReal(ElementType type, const Real& value) {
  using boost::multiprecision::isinf;
  using boost::multiprecision::isnan;
  if (isnan(value)) return CanonicalNan(type);
  if (isinf(value)) return Infinity(type, value < 0);
  if (value.is_zero()) return RoundToFloat(type, {.negative = signbit(value) != 0});
  constexpr int kLeading = 127;
  int exponent = 0;
  const Real scaled = ldexp(frexp(Real(fabs(value)), &exponent), kLeading);
  const Real whole = trunc(scaled);
  return RoundToFloat(type, {.negative = value < 0,
                             .significand = static_cast<unsigned __int128>(whole),
                             .exponent = exponent - kLeading,
                             .sticky = whole != scaled});
}

uint64_t WrapInteger(ElementType type, const Real& value) {
  const Real word = ldexp(Real(1), 64);
  const Real rest = value - floor(Real(value / word)) * word;
  return EncodeInteger(type, static_cast<uint64_t>(rest));
}

}  // namespace

Element ToElement(ElementType type, const Number& value) {
  if (IsFloat(type)) return {RoundReal(type, value.re)};
  if (!IsComplex(type)) return {WrapInteger(type, value.re)};
  const ElementType part = Info(type).component;
  return {RoundReal(part, value.re), RoundReal(part, value.im)};
}

Matrix Matrix::Identity(int64_t n) {
  Matrix identity(n, n);
  for (int64_t i = 0; i < n; ++i) identity(i, i) = 1.0;
  return identity;
}

bool Matrix::is_finite() const {
  for (const Number& element : elements_) {
    if (!IsFinite(element)) return false;
  }
  return true;
}

Real Matrix::Frobenius() const {
  Real sum;
  for (const Number& element : elements_) sum += Norm(element);
  return sqrt(sum);
}

Matrix Adjoint(const Matrix& a) {
  Matrix adjoint(a.columns(), a.rows());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < a.columns(); ++j) adjoint(j, i) = Conj(a(i, j));
  }
  return adjoint;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows(), b.columns());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t k = 0; k < a.columns(); ++k) {
      if (a(i, k).is_zero()) continue;
      for (int64_t j = 0; j < b.columns(); ++j) product(i, j) += a(i, k) * b(k, j);
    }
  }
  return product;
}

void SwapRows(Matrix& a, int64_t i, int64_t j) {
  for (int64_t k = 0; i != j && k < a.columns(); ++k) std::swap(a(i, k), a(j, k));
}
void SwapColumns(Matrix& a, int64_t i, int64_t j) {
  for (int64_t k = 0; i != j && k < a.rows(); ++k) std::swap(a(k, i), a(k, j));
}

void RotateColumns(Matrix& a, int64_t p, int64_t q, const Real& c, const Real& s,
                   const Number& phase) {
  const Number turn = Conj(phase);
  for (int64_t i = 0; i < a.rows(); ++i) {
    const Number x = a(i, p), y = turn * a(i, q);
    a(i, p) = c * x - s * y;
    a(i, q) = s * x + c * y;
  }
}

void FixPhase(Matrix& a, int64_t column) {
  Real greatest;
  for (int64_t i = 0; i < a.rows(); ++i) greatest = std::max(greatest, Abs(a(i, column)));
  // Magnitudes that are equal but for rounding count as equal.
  const Real enough = greatest - ldexp(greatest, -kRealBits / 2);
  for (int64_t i = 0; i < a.rows() && greatest > 0; ++i) {
    const Real size = Abs(a(i, column));
    if (size < enough) continue;
    const Number turn = Conj(a(i, column)) / Number(size);
    for (int64_t k = 0; k < a.rows(); ++k) a(k, column) = turn * a(k, column);
    a(i, column) = size;
    return;
  }
}

void DropNoise(Matrix& a, const Real& scale) {
  const Real least = ldexp(scale, 40 - kRealBits);
  for (int64_t i = 0; i < a.size(); ++i) {
    if (fabs(a[i].re) <= least) a[i].re = 0;
    if (fabs(a[i].im) <= least) a[i].im = 0;
  }
}

}  // namespace assay::custom_calls
