// Complex numbers whose parts are of a real type: 200 bits for the reference interpreter, double or
// long double for backends. Real numbers are complex ones whose imaginary part is zero; they cost
// what real ones cost. Tests: backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_NUMBER_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_NUMBER_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "spec/element/element.h"

namespace assay::runtime::custom_calls {

// Functions of floats, for every precision. Other real types have functions of their own.
using std::fabs, std::isfinite, std::ldexp, std::sqrt;

// What the factorisations need to know of a real type beside its arithmetic.
template <typename Real>
struct RealTraits;
// static constexpr int kNegligible: what counts as nothing beside 1 in an iteration that converges
// is
//   2 to this power.
// static constexpr int kNoise: what is left where exact results are zero is at most 2 to this power
//   beside 1.
// static uint64_t Round(ElementType type, const Real& value): the pattern of a float, rounded once.
// static uint64_t Wrap(ElementType type, const Real& value): the pattern of an integer modulo
// 2^bits.

// The types of the machine. Squares of long double do not overflow where those of f64 do, nor those
// of double where those of f32 do.
template <typename Real>
struct MachineRealTraits {
  static constexpr int kNegligible = 3 - std::numeric_limits<Real>::digits;
  static constexpr int kNoise = 1 - std::numeric_limits<Real>::digits;
  static uint64_t Round(ElementType type, Real value) {
    return EncodeFloat(type, static_cast<double>(value));
  }
  // Results that are integers are sizes and positions.
  static uint64_t Wrap(ElementType type, Real value) {
    const bool fits = std::isfinite(value) && std::fabs(value) < Real(0x1p63);
    return EncodeInteger(type, fits ? static_cast<uint64_t>(static_cast<int64_t>(value)) : 0);
  }
};
template <>
struct RealTraits<double> : MachineRealTraits<double> {};
template <>
struct RealTraits<long double> : MachineRealTraits<long double> {};

template <typename Real>
Real Negligible() {
  return ldexp(Real(1), RealTraits<Real>::kNegligible);
}
// The square root of the last place of 1.
template <typename Real>
Real HalfPrecision() {
  return ldexp(Real(1), -std::numeric_limits<Real>::digits / 2);
}

template <typename Real>
struct Number {
  Real re = Real(0), im = Real(0);
  Number() = default;
  Number(Real real) : re(std::move(real)) {}  // NOLINT: a real number is a number
  Number(Real real, Real imag) : re(std::move(real)), im(std::move(imag)) {}

  bool is_real() const { return im == 0; }
  bool is_zero() const { return re == 0 && im == 0; }
  Number& operator+=(const Number& b) {
    re += b.re;
    if (!b.is_real()) im += b.im;
    return *this;
  }
  Number& operator-=(const Number& b) {
    re -= b.re;
    if (!b.is_real()) im -= b.im;
    return *this;
  }

  // Friends, so that real numbers become numbers where they are operands.
  friend Number operator-(const Number& a) {
    return {Real(-a.re), a.is_real() ? Real(0) : Real(-a.im)};
  }
  friend Number operator+(Number a, const Number& b) { return std::move(a += b); }
  friend Number operator-(Number a, const Number& b) { return std::move(a -= b); }
  friend Number operator*(const Number& a, const Number& b) {
    if (a.is_real()) return b.is_real() ? Number(a.re * b.re) : Number(a.re * b.re, a.re * b.im);
    if (b.is_real()) return {a.re * b.re, a.im * b.re};
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Number operator/(const Number& a, const Number& b) {
    if (b.is_real()) return a.is_real() ? Number(a.re / b.re) : Number(a.re / b.re, a.im / b.re);
    const Real norm = Norm(b);
    const Number product = a * Conj(b);
    return {product.re / norm, product.im / norm};
  }
  friend Number Conj(const Number& a) { return a.is_real() ? a : Number(a.re, Real(-a.im)); }
  // |a|^2
  friend Real Norm(const Number& a) {
    return a.is_real() ? Real(a.re * a.re) : Real(a.re * a.re + a.im * a.im);
  }
  friend Real Abs(const Number& a) { return a.is_real() ? Real(fabs(a.re)) : Real(sqrt(Norm(a))); }
  // |re| + |im|, by which LAPACK selects pivots.
  friend Real Size(const Number& a) { return fabs(a.re) + fabs(a.im); }
  friend Number Sqrt(const Number& a) {
    if (a.is_zero()) return {};
    const Real size = sqrt(Real((Abs(a) + fabs(a.re)) / 2));
    const Real other = a.im / (2 * size);
    if (a.re >= 0) return {size, other};
    return a.im < 0 ? Number(Real(-other), Real(-size)) : Number(other, size);
  }
  friend bool IsFinite(const Number& a) { return isfinite(a.re) && isfinite(a.im); }
};

template <typename Real>
Number<Real> ToNumber(ElementType type, Element value) {
  if (IsFloat(type)) return Number<Real>(Real(DecodeFloat(type, value.bits)));
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return {Real(DecodeFloat(part, value.bits)), Real(DecodeFloat(part, value.imag))};
  }
  return IsSigned(type) ? Number<Real>(Real(DecodeSigned(type, value.bits)))
                        : Number<Real>(Real(DecodeUnsigned(type, value.bits)));
}

// Rounded once; integers modulo 2^bits.
template <typename Real>
Element ToElement(ElementType type, const Number<Real>& value) {
  if (IsFloat(type)) return {RealTraits<Real>::Round(type, value.re)};
  if (!IsComplex(type)) return {RealTraits<Real>::Wrap(type, value.re)};
  const ElementType part = Info(type).component;
  return {RealTraits<Real>::Round(part, value.re), RealTraits<Real>::Round(part, value.im)};
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_NUMBER_H_
