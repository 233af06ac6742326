// Special parts, function by function. Tests: complex_functions_test.cc.
#include "evaluator/real/complex_special.h"

#include <cmath>
#include <limits>

#include "evaluator/real/exact_cases.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/real_patterns.h"

namespace assay::evaluator::real {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Below this a leading term with 106 bits is nearer to the result than to any midpoint it is not.
constexpr double kTiny = 0x1p-54;

using Complex = _Complex double;

Complex MakeComplex(double a, double b) {
  Complex z;
  __real__ z = a;
  __imag__ z = b;
  return z;
}

// Results for an operand with an infinite or NaN part are zeros, infinities, NaN and simple
// multiples of pi: C's Annex G, as the C library implements it.
Complex LibraryValue(RealFunction function, double a, double b) {
  const Complex z = MakeComplex(a, b);
  switch (function) {
    case RealFunction::kAcos:
      return __builtin_cacos(z);
    case RealFunction::kAcosh:
      return __builtin_cacosh(z);
    case RealFunction::kAsin:
      return __builtin_casin(z);
    case RealFunction::kAsinh:
      return __builtin_casinh(z);
    case RealFunction::kAtan:
      return __builtin_catan(z);
    case RealFunction::kAtanh:
      return __builtin_catanh(z);
    case RealFunction::kCos:
      return __builtin_ccos(z);
    case RealFunction::kCosh:
      return __builtin_ccosh(z);
    case RealFunction::kExp:
      return __builtin_cexp(z);
    case RealFunction::kExpm1: {
      const Complex e = __builtin_cexp(z);
      return MakeComplex(__real__ e - 1, __imag__ e);
    }
    case RealFunction::kLog:
      return __builtin_clog(z);
    case RealFunction::kLog1p:
      return __builtin_clog(MakeComplex(a + 1, b));
    case RealFunction::kSin:
      return __builtin_csin(z);
    case RealFunction::kSinh:
      return __builtin_csinh(z);
    case RealFunction::kSqrt:
      return __builtin_csqrt(z);
    case RealFunction::kTan:
      return __builtin_ctan(z);
    case RealFunction::kTanh:
      return __builtin_ctanh(z);
    case RealFunction::kAbs:
      return MakeComplex(std::isinf(a) || std::isinf(b) ? kInf : kNan, 0);
    case RealFunction::kLogistic:
      // Saturated on both sides; the imaginary part keeps the sign of sin b.
      if (std::isinf(a)) {
        const double size = std::isfinite(b) ? std::copysign(0.0, b == 0 ? b : std::sin(b)) : 0.0;
        return MakeComplex(a > 0 ? 1.0 : 0.0, size);
      }
      return MakeComplex(kNan, kNan);
    case RealFunction::kRsqrt:
      if (std::isinf(a) || std::isinf(b)) return MakeComplex(0, std::copysign(0.0, -b));
      return MakeComplex(kNan, kNan);
    case RealFunction::kCbrt:
    case RealFunction::kErf:
    case RealFunction::kSign:
      break;
  }
  return MakeComplex(kNan, kNan);
}

// Writes parts as patterns of one type.
class Parts {
 public:
  Parts(ElementType part, const RealContext& context) : part_(part), context_(context) {}

  uint64_t Exact(double value) const {
    return std::isnan(value) ? CanonicalNan(part_) : EncodeFloat(part_, value);
  }
  uint64_t Zero(bool negative) const { return Exact(negative ? -0.0 : 0.0); }
  // The operand is a value of the type.
  uint64_t Of(RealFunction function, double x) const {
    return RealPattern(function, part_, EncodeFloat(part_, x), context_);
  }
  uint64_t Of(RealFunction2 function, double a, double b) const {
    return RealPattern(function, part_, EncodeFloat(part_, a), EncodeFloat(part_, b), context_);
  }
  uint64_t Negated(uint64_t pattern) const {
    return pattern ^ (uint64_t{1} << (Info(part_).bits - 1));
  }
  uint64_t WithSign(uint64_t pattern, double sign) const {
    return std::signbit(sign) != IsNegative(part_, pattern) ? Negated(pattern) : pattern;
  }
  // pi / 2 with the sign of `sign`.
  uint64_t HalfPi(double sign) const {
    return Of(RealFunction2::kAtan2, std::copysign(1.0, sign), 0);
  }
  // pi or 0 by the sign of x.
  uint64_t Half(double x) const { return Of(RealFunction2::kAtan2, 0.0, x); }
  uint64_t Round(const Unrounded& value) const { return RoundToFloat(part_, value); }
  ElementType part() const { return part_; }

 private:
  ElementType part_;
  const RealContext& context_;
};

// b = +-0: real functions of a, and zeros that keep the side of the axis.
KnownParts OnRealAxis(RealFunction f, const Parts& p, double a, double b) {
  switch (f) {
    case RealFunction::kAcos:
      if (std::fabs(a) <= 1) return {p.Of(f, a), p.Zero(!std::signbit(b))};
      return {p.Half(a), p.WithSign(p.Of(RealFunction::kAcosh, std::fabs(a)), -b)};
    case RealFunction::kAcosh:
      if (a >= 1) return {p.Of(f, a), p.Zero(std::signbit(b))};
      if (a >= -1) return {p.Zero(false), p.WithSign(p.Of(RealFunction::kAcos, a), b)};
      return {p.Of(f, -a), p.Of(RealFunction2::kAtan2, b, -1)};
    case RealFunction::kAsin:
      if (std::fabs(a) <= 1) return {p.Of(f, a), p.Exact(b)};
      return {p.HalfPi(a), p.WithSign(p.Of(RealFunction::kAcosh, std::fabs(a)), b)};
    case RealFunction::kAtanh:
      if (std::fabs(a) <= 1) return {p.Of(f, a), p.Exact(b)};
      return {std::nullopt, p.HalfPi(b)};
    case RealFunction::kCos:
      return {p.Of(f, a), p.Zero(std::signbit(std::sin(a)) == std::signbit(b))};
    case RealFunction::kCosh:
      return {p.Of(f, a), p.Zero(std::signbit(a) != std::signbit(b))};
    case RealFunction::kSin:
      return {p.Of(f, a), p.Zero(std::signbit(std::cos(a)) != std::signbit(b))};
    case RealFunction::kLog:
      return {p.Of(f, std::fabs(a)), p.Of(RealFunction2::kAtan2, b, a)};
    case RealFunction::kLog1p:
      if (a >= -1) return {p.Of(f, a), p.Exact(b)};
      return {std::nullopt, p.Of(RealFunction2::kAtan2, b, -1)};
    case RealFunction::kSqrt:
      if (a >= 0) return {a == 0 ? p.Zero(false) : p.Of(f, a), p.Exact(b)};
      return {p.Zero(false), p.WithSign(p.Of(f, -a), b)};
    case RealFunction::kRsqrt:
      if (a == 0) return {p.Exact(kInf), p.Exact(-b)};
      if (a > 0) return {p.Of(f, a), p.Exact(-b)};
      return {p.Zero(false), p.WithSign(p.Of(f, -a), -b)};
    case RealFunction::kSign:
      return {a == 0 ? p.Zero(false) : p.Exact(std::copysign(1.0, a)),
              a == 0 ? p.Zero(false) : p.Exact(b)};
    case RealFunction::kAbs:
      return {p.Exact(std::fabs(a)), p.Zero(false)};
    case RealFunction::kAsinh:
    case RealFunction::kAtan:
    case RealFunction::kCbrt:
    case RealFunction::kExp:
    case RealFunction::kExpm1:
    case RealFunction::kLogistic:
    case RealFunction::kSinh:
    case RealFunction::kTan:
    case RealFunction::kTanh:
      // The derivative on the axis is positive, so the zero keeps its sign.
      if (f == RealFunction::kCbrt && a < 0) return {};
      return {p.Of(f, a), p.Exact(b)};
    case RealFunction::kErf:
      break;
  }
  return {};
}

// a * b * 2^scale, exactly.
Unrounded Product(double a, double b, int scale) {
  const OddParts x = Split(a), y = Split(b);
  return {x.negative != y.negative, static_cast<unsigned __int128>(x.significand) * y.significand,
          int64_t{x.exponent} + y.exponent + scale, false};
}

// a = +-0, b not zero.
KnownParts OnImaginaryAxis(RealFunction f, const Parts& p, double a, double b) {
  switch (f) {
    case RealFunction::kAbs:
      return {p.Exact(std::fabs(b)), p.Zero(false)};
    case RealFunction::kAcos:
      return {p.HalfPi(1), p.Negated(p.Of(RealFunction::kAsinh, b))};
    case RealFunction::kAcosh:
      return {p.Of(RealFunction::kAsinh, std::fabs(b)), p.HalfPi(b)};
    case RealFunction::kAsin:
      return {p.Exact(a), p.Of(RealFunction::kAsinh, b)};
    case RealFunction::kAsinh:
      if (std::fabs(b) <= 1) return {p.Exact(a), p.Of(RealFunction::kAsin, b)};
      return {p.WithSign(p.Of(RealFunction::kAcosh, std::fabs(b)), a), p.HalfPi(b)};
    case RealFunction::kAtan:
      if (std::fabs(b) <= 1) return {p.Exact(a), p.Of(RealFunction::kAtanh, b)};
      return {p.HalfPi(a), std::nullopt};
    case RealFunction::kAtanh:
      return {p.Exact(a), p.Of(RealFunction::kAtan, b)};
    case RealFunction::kCos:
      return {p.Of(RealFunction::kCosh, b), p.Zero(std::signbit(a) == std::signbit(b))};
    case RealFunction::kCosh:
      return {p.Of(RealFunction::kCos, b), p.Zero(std::signbit(a) != std::signbit(std::sin(b)))};
    case RealFunction::kExp:
      return {p.Of(RealFunction::kCos, b), p.Of(RealFunction::kSin, b)};
    case RealFunction::kExpm1:
      return {std::nullopt, p.Of(RealFunction::kSin, b)};
    case RealFunction::kLog:
      return {p.Of(f, std::fabs(b)), p.HalfPi(b)};
    case RealFunction::kLogistic:
      // im: tan(b/2)/2 = b/4 + b^3/96 + ...
      if (std::fabs(b) < kTiny) return {p.Exact(0.5), p.Round(JustOutside(Product(b, 1, -2)))};
      return {p.Exact(0.5), std::nullopt};
    case RealFunction::kSign:
      return {p.Exact(a), p.Exact(std::copysign(1.0, b))};
    case RealFunction::kSin:
      return {p.Exact(a), p.Of(RealFunction::kSinh, b)};
    case RealFunction::kSinh:
      return {p.Zero(std::signbit(a) != std::signbit(std::cos(b))), p.Of(RealFunction::kSin, b)};
    case RealFunction::kTan:
      return {p.Exact(a), p.Of(RealFunction::kTanh, b)};
    case RealFunction::kTanh:
      return {p.Exact(a), p.Of(RealFunction::kTan, b)};
    default:
      return {};
  }
}

// Both parts of the operand non-zero and below 2^-54: leading terms that may be midpoints, and the
// side on which the rest of the series lies.
KnownParts Tiny(RealFunction f, const Parts& p, double a, double b) {
  const double size_a = std::fabs(a), size_b = std::fabs(b);
  const auto beside = [&](const Unrounded& value, bool inside) {
    return p.Round(inside ? JustInside(value) : JustOutside(value));
  };
  switch (f) {
    case RealFunction::kCos:  // im: -sin a sinh b = -a b (1 + (b^2 - a^2)/6 - ...)
      return {std::nullopt, beside(Product(-a, b, 0), size_a >= size_b)};
    case RealFunction::kCosh:  // im: sinh a sin b
      return {std::nullopt, beside(Product(a, b, 0), size_b >= size_a)};
    case RealFunction::kLogistic: {  // im: b/4 (1 - (3 a^2 - b^2)/12 + ...)
      ExactSum sum;
      for (int i = 0; i < 3; ++i) sum.AddProduct(a, a);
      sum.AddProduct(-b, b);
      // Rounding keeps the sign of what underflows.
      const bool inside = !IsNegative(ElementType::kF64, sum.Round(ElementType::kF64));
      return {std::nullopt, beside(Product(b, 1, -2), inside)};
    }
    default:
      return {};
  }
}

// Points off the axes where one part is exact or real.
KnownParts OffAxes(RealFunction f, const Parts& p, double a, double b) {
  if (std::fabs(a) < kTiny && std::fabs(b) < kTiny) return Tiny(f, p, a, b);
  if (f == RealFunction::kLog) return {std::nullopt, p.Of(RealFunction2::kAtan2, b, a)};
  if (f == RealFunction::kLog1p) {
    KnownParts parts;
    const double sum = a + 1;
    const bool exact = sum - 1 == a && DecodeFloat(p.part(), EncodeFloat(p.part(), sum)) == sum;
    if (exact) parts.imag = p.Of(RealFunction2::kAtan2, b, sum);
    if (a == -1 && std::fabs(b) == 1) parts.real = p.Zero(false);  // |1 + z| = 1
    return parts;
  }
  // atanh near +-i: re = a/2 - a^3/12 + ...; atan near +-1 likewise, im = b/2 - ...
  if (f == RealFunction::kAtanh && std::fabs(b) == 1 && std::fabs(a) < kTiny) {
    return {p.Round(JustInside(Product(a, 1, -1))), std::nullopt};
  }
  if (f == RealFunction::kAtan && std::fabs(a) == 1 && std::fabs(b) < kTiny) {
    return {std::nullopt, p.Round(JustInside(Product(b, 1, -1)))};
  }
  return {};
}

bool IsFinite(double a, double b) { return std::isfinite(a) && std::isfinite(b); }

// The angle of z in eighths of a turn where it is a multiple of pi/4, else 0 (also for positive z).
int Eighths(double a, double b) {
  if (b == 0) return a > 0 ? 0 : std::signbit(b) ? -4 : 4;
  if (a == 0) return b > 0 ? 2 : -2;
  if (std::fabs(a) != std::fabs(b)) return 0;
  const int size = a > 0 ? 1 : 3;
  return b > 0 ? size : -size;
}

// z^c for a real exponent and finite z off the positive axis: exact zeros where the result lies on
// an axis, real powers where z does too.
KnownParts RealExponent(const Parts& p, double a, double b, double c) {
  const int eighths = Eighths(a, b);
  const double quarters = c * eighths / 2;  // the result's angle in quarter turns
  if (eighths == 0 || !std::isfinite(quarters) || std::trunc(quarters) != quarters) return {};
  if (std::fma(c, eighths, -2 * quarters) != 0) return {};  // not exactly
  const int quadrant = (static_cast<int>(std::fmod(quarters, 4)) + 4) & 3;
  std::optional<uint64_t> size;
  if (eighths % 2 == 0) {
    size = p.Of(RealFunction2::kPower, std::fabs(a == 0 ? b : a), c);
    if (quadrant >= 2) size = p.Negated(*size);
  }
  const uint64_t zero = p.Zero(false);
  return quadrant % 2 == 0 ? KnownParts{size, zero} : KnownParts{zero, size};
}

KnownParts SpecialPower(const Parts& p, double a, double b, double c, double d) {
  const uint64_t zero = p.Zero(false), nan = p.Exact(kNan);
  const bool real_exponent = d == 0;
  if ((c == 0 && d == 0) || (a == 1 && b == 0)) return {p.Exact(1), zero};
  if (a == 0 && b == 0) {
    return real_exponent && c > 0 ? KnownParts{zero, zero} : KnownParts{nan, nan};
  }
  if (real_exponent && b == 0 && a > 0) {
    const bool negative = std::signbit(b) != std::signbit(c);
    return {p.Of(RealFunction2::kPower, a, c), std::isnan(c) ? nan : p.Zero(negative)};
  }
  if (!IsFinite(a, b) || !IsFinite(c, d)) return {nan, nan};
  if (real_exponent) return RealExponent(p, a, b, c);
  // |z| = 1 on an axis and an imaginary exponent: exp(-d theta).
  const bool on_unit_axis = std::fabs(a) + std::fabs(b) == 1 && (a == 0 || b == 0);
  if (c == 0 && on_unit_axis) return {std::nullopt, zero};
  return {};
}

}  // namespace

KnownParts SpecialParts(RealFunction function, ElementType part, double a, double b,
                        const RealContext& context) {
  const Parts p(part, context);
  if (!IsFinite(a, b)) {
    const Complex value = LibraryValue(function, a, b);
    return {p.Exact(__real__ value), p.Exact(__imag__ value)};
  }
  if (function == RealFunction::kLog && a == 0 && b == 0) {
    return {p.Exact(-kInf), p.Of(RealFunction2::kAtan2, b, a)};
  }
  if (b == 0) return OnRealAxis(function, p, a, b);
  if (function == RealFunction::kLog1p || a != 0) return OffAxes(function, p, a, b);
  return OnImaginaryAxis(function, p, a, b);
}

KnownParts SpecialParts(RealFunction2 function, ElementType part, double a, double b, double c,
                        double d, const RealContext& context) {
  const Parts p(part, context);
  if (function == RealFunction2::kPower) return SpecialPower(p, a, b, c, d);
  if (b == 0 && d == 0) return {p.Of(function, a, c), p.Zero(false)};
  if (!IsFinite(a, b) || !IsFinite(c, d)) return {p.Exact(kNan), p.Exact(kNan)};
  return {};
}

}  // namespace assay::evaluator::real
