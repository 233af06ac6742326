// Elementary functions, once for R = double (results of at most 24 bits) and once for R = Pair
// (results of 53): no branches, so that loops over them become vector code. Every function takes a
// double and gives the rounded double, specials included (ops_elementwise_and_types.md 6.10, 6.11).
//
// Largest errors: docs/cpu_accuracy.md. Included by sources that are compiled once for each
// instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_ELEMENTARY_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_ELEMENTARY_H_

#include "backends/cpu/vector/kernels/polynomials.h"
#include "backends/cpu/vector/kernels/real_arithmetic.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// A polynomial as precise as results of R are.
#define ASSAY_POLYNOMIAL(name, x)                             \
  (kIsPair<R> ? Polynomial(polynomials::k##name##Double, (x)) \
              : Polynomial(polynomials::k##name##Single, (x)))
template <typename R>
constexpr bool kIsPair = std::is_same_v<R, Pair>;

// e^x = 2^n (1 + m), |m| < 0.42.
template <typename R>
struct Exponential {
  R m;
  double n;
};

// |x| at most 2000.
template <typename R>
ASSAY_INLINE Exponential<R> Exponentiate(R x) {
  constexpr double kLog2E = 0x1.71547652b82fep0;
  constexpr const double(&kLn2)[3] = polynomials::kLn2Parts;
  const double n = Nearest(High(x) * kLog2E).value;
  // The first part has trailing zeros enough for an exact product; the difference is exact, too.
  const double first = Fma(-n, kLn2[0], High(x));
  if constexpr (kIsPair<R>) {
    const Pair second = TwoProduct(-n, kLn2[1]);
    Pair r = TwoSum(first, second.hi);
    r = FastTwoSum(r.hi, r.lo + (second.lo + Fma(-n, kLn2[2], Low(x))));
    const double h = r.hi;
    const Pair square = r * r;
    const double tail = h * h * h * ASSAY_POLYNOMIAL(Exp, h);
    return {r + (Scaled(square, 0.5) + tail), n};
  } else {
    const double r = Fma(-n, kLn2[1], first);
    return {Fma(r * r, Fma(r, ASSAY_POLYNOMIAL(Exp, r), 0.5), r), n};
  }
}

// r 2^n with one rounding, for n from -1100 to 1100.
template <typename R>
ASSAY_INLINE double ScaledValue(R r, double n) {
  const double half = Nearest(n * 0.5).value;
  return High(r) * PowerOfTwo(half) * PowerOfTwo(n - half);
}

ASSAY_INLINE double Clamped(double x, double limit) {
  const double low = x < -limit ? -limit : x;
  return low > limit ? limit : low;
}

template <typename R>
ASSAY_INLINE double ExpOf(R x) {
  const Exponential<R> e = Exponentiate(x);
  return ScaledValue(1.0 + e.m, e.n);
}
template <typename R>
ASSAY_INLINE double Exp(double x) {
  return ExpOf(Number<R>(Clamped(x, 760)));
}

// e^x - 1 as R, for |x| at most 700.
template <typename R>
ASSAY_INLINE R Expm1Of(R x) {
  const Exponential<R> e = Exponentiate(x);
  const double power = PowerOfTwo(e.n);
  return Sum<R>(power, -1) + Scaled(e.m, power);
}
template <typename R>
ASSAY_INLINE double Expm1(double x) {
  // By halves, which do not overflow before the result does.
  const double low = x < -60 ? -60 : x;
  const Exponential<R> e = Exponentiate(Number<R>(low > 760 ? 760 : low));
  const double half = PowerOfTwo((e.n < 1024 ? e.n : 1024) - 1);
  const R result = Sum<R>(half, -0.5) + Scaled(e.m, half);
  const double value = e.n > 1024 ? kInfinity64 : High(result) + High(result);
  return Magnitude(x) < 0x1p-60 ? x : value;
}

template <typename R>
ASSAY_INLINE double Logistic(double x) {
  // t / (1 + t) or 1 / (1 + t) with t = e^-|x|, which cannot overflow.
  const Exponential<R> e = Exponentiate(Number<R>(-Clamped(Magnitude(x), 760)));
  const R t = 1.0 + e.m;
  const double power = e.n < -1000 ? 0 : PowerOfTwo(e.n < -1000 ? -1000 : e.n);
  const R sum = 1.0 + Scaled(t, power);
  const bool negative = x < 0;
  const R quotient = Chosen(negative, t, Number<R>(1)) / sum;
  const double value = ScaledValue(quotient, negative ? e.n : 0);
  return x == x ? value : x;
}

template <typename R>
ASSAY_INLINE double Tanh(double x) {
  const double magnitude = Magnitude(x);
  const R m = Expm1Of(Number<R>(2 * (magnitude < 25 ? magnitude : 25)));
  const double value = High(m / (m + 2.0));
  return x == x ? WithSign(x == 0 ? x : value, x) : x;
}

template <typename R>
ASSAY_INLINE double Sinh(double x) {
  const double magnitude = Magnitude(x);
  const R m = Expm1Of(Number<R>(magnitude < 45 ? magnitude : 45));
  const double near = High(Scaled(m + m / (1.0 + m), 0.5));
  const Exponential<R> e = Exponentiate(Number<R>(magnitude < 760 ? magnitude : 760));
  const double far = ScaledValue(1.0 + e.m, e.n - 1);
  const double value = magnitude < 45 ? near : far;
  return x == x ? WithSign(x == 0 ? x : value, x) : x;
}

template <typename R>
ASSAY_INLINE double Cosh(double x) {
  const double magnitude = Magnitude(x);
  const R t = 1.0 + Expm1Of(Number<R>(magnitude < 45 ? magnitude : 45));
  const double near = High(Scaled(t + 1.0 / t, 0.5));
  const Exponential<R> e = Exponentiate(Number<R>(magnitude < 760 ? magnitude : 760));
  const double far = ScaledValue(1.0 + e.m, e.n - 1);
  return x == x ? (magnitude < 45 ? near : far) : x;
}

// log(x) of x = hi + lo, where hi is positive and finite and lo is small beside it.
template <typename R>
ASSAY_INLINE R LogOf(double hi, double lo) {
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  // Subnormal numbers are made normal first.
  const bool tiny = hi < 0x1p-1000;
  const double normal = tiny ? hi * 0x1p100 : hi;
  const double rest = tiny ? lo * 0x1p100 : lo;
  const uint64_t biased = (Bits(normal) - kRootOfHalf + (uint64_t{1023} << 52)) >> 52;
  const double exponent = FromBits(biased | Bits(0x1p52)) - 0x1p52 - 1023;
  const double scale = exponent < 1000 ? PowerOfTwo(-exponent) : 0;
  const R f = Sum<R>(FromBits(Bits(normal) - ((biased - 1023) << 52)) - 1, rest * scale);
  const double n = tiny ? exponent - 100 : exponent;
  const R s = f / (2.0 + f);
  const R square = s * s;
  const double z = High(square);
  const double tail = z * z * High(s) * ASSAY_POLYNOMIAL(Log, z);
  const R series = Scaled(s, 2) + (s * square * Constant<R>(polynomials::kTwoThirds) + tail);
  return Constant<R>(polynomials::kLn2) * n + series;
}

template <typename R>
ASSAY_INLINE double Log(double x) {
  const bool usual = x > 0 && x < kInfinity64;
  const double value = High(LogOf<R>(usual ? x : 1, 0));
  const double special = x == 0 ? -kInfinity64 : x > 0 ? x : kNan64;
  return usual ? value : special;
}

template <typename R>
ASSAY_INLINE double Log1p(double x) {
  const bool usual = (x > -1) & (x < kInfinity64);
  const Pair sum = TwoSum(1, usual ? x : 0);
  const double value = High(LogOf<R>(sum.hi, sum.lo));
  double special = x == -1 ? -kInfinity64 : kNan64;
  special = x > 0 ? x : special;
  const double result = usual ? value : special;
  return Magnitude(x) < 0x1p-60 ? x : result;
}

// log(1 + y) for y >= 0, precise relative to the result where y > 2^-40.
template <typename R>
ASSAY_INLINE R Log1pOf(R y) {
  const Pair sum = Pair{High(y), Low(y)} + 1.0;
  return LogOf<R>(sum.hi, sum.lo);
}

template <typename R>
ASSAY_INLINE double Asinh(double x) {
  const double magnitude = Magnitude(x);
  const bool large = magnitude > 0x1p500;
  const double a = large ? 1 : magnitude;
  const R square = Product<R>(a, a);
  const R y = a + square / (1.0 + SquareRoot(1.0 + square));
  const double near = High(Log1pOf(y));
  const double b = magnitude < kInfinity64 && large ? magnitude : 1;
  const double far = High(LogOf<R>(b, 0) + Constant<R>(polynomials::kLn2));
  // Below 2^-20 the series; x^5 is below the last place.
  const double series = Fma(magnitude * magnitude * magnitude, -1.0 / 6, magnitude);
  const double value = large ? far : magnitude < 0x1p-20 ? series : near;
  return magnitude < kInfinity64 ? WithSign(value, x) : x;
}

template <typename R>
ASSAY_INLINE double Acosh(double x) {
  const bool large = x > 0x1p500;
  const double a = !large && x >= 1 ? x : 1;
  const R t = Sum<R>(a, -1);
  const R y = t + SquareRoot(t * (t + 2.0));
  const double near = High(Log1pOf(y));
  const double b = x < kInfinity64 && large ? x : 1;
  const double far = High(LogOf<R>(b, 0) + Constant<R>(polynomials::kLn2));
  const double value = x < kInfinity64 ? (large ? far : near) : x;
  return x >= 1 ? (x == 1 ? 0 : value) : kNan64;
}

template <typename R>
ASSAY_INLINE double Atanh(double x) {
  const double magnitude = Magnitude(x);
  const double a = magnitude < 1 ? magnitude : 0;
  const R y = Number<R>(2 * a) / Sum<R>(1, -a);
  const double near = High(Scaled(Log1pOf(y), 0.5));
  const double series = Fma(magnitude * magnitude * magnitude, 1.0 / 3, magnitude);
  const double value = magnitude < 0x1p-20 ? series : near;
  const double special = magnitude == 1 ? kInfinity64 : kNan64;
  return magnitude < 1 ? WithSign(value, x) : WithSign(special, x);
}

template <typename R>
ASSAY_INLINE double Cbrt(double x) {
  const double magnitude = Magnitude(x);
  const bool usual = magnitude > 0 && magnitude < kInfinity64;
  const R third = LogOf<R>(usual ? magnitude : 1, 0) / 3.0;
  return usual ? WithSign(ExpOf(third), x) : x;
}

template <typename R>
ASSAY_INLINE double Rsqrt(double x) {
  const double root = __builtin_sqrt(x);
  const double y = 1 / root;
  if constexpr (!kIsPair<R>) return y;
  // One step of Newton's method with an exact residual.
  const Pair square = TwoProduct(y, y);
  const double rest = Fma(-square.hi, x, 1) - square.lo * x;
  const double better = Fma(0.5 * y, rest, y);
  return x > 0x1p-1000 && x < kInfinity64 ? better : y;
}

// An angle less a multiple of pi/2, and which.
template <typename R>
struct Angle {
  R rest;
  uint64_t quadrant;
};

// Magnitudes to 2^20; larger ones by argument_reduction.h.
constexpr double kLargestQuickAngle = 0x1p20;
template <typename R>
ASSAY_INLINE Angle<R> ReducedAngle(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr const double(&kParts)[4] = polynomials::kHalfPiParts;
  const Rounded n = Nearest(x * kTwoOverPi);
  const double first = Fma(-n.value, kParts[0], x);  // exact
  if constexpr (kIsPair<R>) {
    const Pair second = TwoSum(first, -n.value * kParts[1]);
    const Pair third = TwoSum(second.hi, -n.value * kParts[2]);
    const Pair sum = TwoSum(third.hi, third.lo + second.lo);
    return {FastTwoSum(sum.hi, Fma(-n.value, kParts[3], sum.lo)), n.bits};
  } else {
    const double second = Fma(-n.value, kParts[1], first);
    return {Fma(-n.value, kParts[2], second), n.bits};
  }
}

template <typename R>
ASSAY_INLINE R SineOf(R r) {
  const double z = High(r) * High(r);
  return r + High(r) * z * ASSAY_POLYNOMIAL(Sin, z);
}
template <typename R>
ASSAY_INLINE R CosineOf(R r) {
  const R square = r * r;
  const double z = High(square);
  return 1.0 - (Scaled(square, 0.5) - z * z * ASSAY_POLYNOMIAL(Cos, z));
}

template <typename R>
ASSAY_INLINE double SinOfAngle(Angle<R> angle) {
  const double value =
      High(Chosen((angle.quadrant & 1) != 0, CosineOf(angle.rest), SineOf(angle.rest)));
  return FromBits(Bits(value) ^ ((angle.quadrant & 2) << 62));
}
template <typename R>
ASSAY_INLINE double CosOfAngle(Angle<R> angle) {
  ++angle.quadrant;
  return SinOfAngle(angle);
}
template <typename R>
ASSAY_INLINE double TanOfAngle(Angle<R> angle) {
  const R sine = SineOf(angle.rest);
  const R cosine = CosineOf(angle.rest);
  const bool odd = (angle.quadrant & 1) != 0;
  return High(Chosen(odd, -cosine, sine) / Chosen(odd, sine, cosine));
}

template <typename R>
ASSAY_INLINE double Sin(double x) {
  return x == 0 ? x : SinOfAngle(ReducedAngle<R>(x));
}
template <typename R>
ASSAY_INLINE double Cos(double x) {
  return CosOfAngle(ReducedAngle<R>(x));
}
template <typename R>
ASSAY_INLINE double Tan(double x) {
  return x == 0 ? x : TanOfAngle(ReducedAngle<R>(x));
}

// The angle of the point (x, y) with y >= 0, neither both infinite nor both zero; components of
// ordinary size.
template <typename R>
ASSAY_INLINE R AngleOf(R y, R x) {
  const bool left = High(x) < 0;
  const R across = Chosen(left, -x, x);
  const bool steep = High(y) > High(across);
  const R small = Chosen(steep, across, y);
  const R large = Chosen(steep, y, across);
  // Above tan(pi/8) from pi/4.
  const bool upper = High(small) > 0.41421356237309503 * High(large);
  const R t = Chosen(upper, small - large, small) / Chosen(upper, small + large, large);
  const double z = High(t) * High(t);
  const R base = Constant<R>(polynomials::kQuarterPi);
  R angle = t + High(t) * z * ASSAY_POLYNOMIAL(Atan, z);
  angle = Chosen(upper, base + angle, angle);
  angle = Chosen(steep, Constant<R>(polynomials::kHalfPi) - angle, angle);
  return Chosen(left, Constant<R>(polynomials::kPi) - angle, angle);
}

// atan2 by the angle of a point (cosine, sine) of ordinary size, sine >= 0.
template <double (*kAngle)(double sine, double cosine)>
ASSAY_INLINE double Atan2By(double y, double x) {
  double a = Magnitude(y), b = Magnitude(x);
  // Two infinities are as two ones; so are two zeros, but for the angle between.
  const bool infinite = a == kInfinity64 && b == kInfinity64;
  const double larger = a > b ? a : b;
  const double scale = larger > 0x1p1000 ? 0x1p-600 : larger < 0x1p-900 ? 0x1p100 : 1;
  a = infinite ? 1 : a * scale;
  b = infinite ? 1 : b * scale;
  b = larger == 0 ? 1 : b;
  // An infinite component leaves the other nothing.
  const bool up = a == kInfinity64, across = b == kInfinity64;
  const double c = up ? 1 : across ? 0 : a;
  const double d = across ? 1 : up ? 0 : b;
  const double value = kAngle(c, WithSign(d, x));
  return x == x && y == y ? WithSign(value, y) : kNan64;
}
template <typename R>
ASSAY_INLINE double AngleOfPoint(double sine, double cosine) {
  return High(AngleOf(Number<R>(sine), Number<R>(cosine)));
}
template <typename R>
ASSAY_INLINE double Atan2(double y, double x) {
  return Atan2By<AngleOfPoint<R>>(y, x);
}

template <typename R>
ASSAY_INLINE R CosineFromSine(double x) {
  return SquareRoot(Sum<R>(1, -x) * Sum<R>(1, x));
}
template <typename R>
ASSAY_INLINE double Asin(double x) {
  const double magnitude = Magnitude(x);
  const double a = magnitude <= 1 ? magnitude : 0;
  const double value = High(AngleOf(Number<R>(a), CosineFromSine<R>(a)));
  return magnitude <= 1 ? WithSign(value, x) : kNan64;
}
template <typename R>
ASSAY_INLINE double Acos(double x) {
  const double a = Magnitude(x) <= 1 ? x : 0;
  const double value = High(AngleOf(CosineFromSine<R>(a), Number<R>(a)));
  return Magnitude(x) <= 1 ? (x == 1 ? 0 : value) : kNan64;
}

template <typename R>
ASSAY_INLINE double Erf(double x) {
  constexpr double kOneFrom = kIsPair<R> ? 6 : 4;
  const double magnitude = Magnitude(x);
  const double a = magnitude < 1 ? magnitude : 1;
  const double z = a * a;
  const R slope = Constant<R>(polynomials::kTwoOverSqrtPi) + z * ASSAY_POLYNOMIAL(Erf, z);
  const double near = High(slope * a);
  const double b = magnitude > 1 ? (magnitude < kOneFrom ? magnitude : kOneFrom) : 1;
  const Exponential<R> e = Exponentiate(-Product<R>(b, b));
  const double tail = (1 + High(e.m)) * PowerOfTwo(e.n) * ASSAY_POLYNOMIAL(Erfc, (b - 2) / (b + 2));
  const double far = magnitude < kOneFrom ? 1 - tail : 1;
  return x == x ? WithSign(magnitude < 1 ? near : far, x) : x;
}

template <typename R, double (*kExponential)(R) = ExpOf<R>>
ASSAY_INLINE double Power(double x, double y) {
  const double magnitude = Magnitude(x);
  const double size = Magnitude(y);
  // Doubles from 2^53 on are even integers.
  const double whole = size < 0x1p53 ? __builtin_trunc(size) : size;
  const bool integer = whole == size;
  const bool odd = integer & (size < 0x1p53) & (__builtin_trunc(size * 0.5) * 2 != size);
  const bool usual = (magnitude > 0) & (magnitude < kInfinity64);
  // Beyond 2^70 the result is 0, 1 or infinite all the same.
  const double exponent = size < 0x1p70 ? y : WithSign(0x1p70, y);
  const R product = LogOf<R>(usual ? magnitude : 1, 0) * exponent;
  const bool beyond = Magnitude(High(product)) > 760;
  const R clamped = Chosen(beyond, Number<R>(WithSign(760, High(product))), product);
  double value = kExponential(clamped);
  const bool grows = (magnitude > 1) == (y > 0);
  value = usual ? value : grows ? kInfinity64 : 0;
  value = size == kInfinity64 ? (magnitude == 1 ? 1 : grows ? kInfinity64 : 0) : value;
  const bool negative = Bits(x) >> 63 != 0;
  value = (negative & odd) ? -value : value;
  value = (negative & usual & !integer) ? kNan64 : value;
  value = ((x != x) | (y != y)) ? kNan64 : value;
  return ((y == 0) | (x == 1)) ? 1 : value;
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_ELEMENTARY_H_
