// The functions of f64, in f64 arithmetic with fused multiply-adds. What an operation loses is
// carried along where it would cost more than a fraction of a unit in the last place; the largest
// errors are about one unit (docs/cpu_accuracy.md). Pairs of doubles (real_arithmetic.h) are
// several times slower; `power` alone needs them, for its logarithm.
//
// The methods are those of fdlibm, without its branches. Included by sources that are compiled once
// for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_DOUBLES_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_DOUBLES_H_

#include "backends/cpu/vector/kernels/argument_reduction.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// e^x = 2^n (1 + m + low), |m| < 0.42.
struct Exponential64 {
  double m;
  double low;
  uint64_t n;  // as in Rounded::bits
};
// What |x| of at most 1500 leaves of multiples of log(2).
struct Reduced64 {
  Pair r;
  uint64_t n;
};
ASSAY_INLINE Reduced64 ReducedExponent(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep0;
  constexpr double kShift = 0x1.8p52;
  const double shifted = Fma(x, kLog2E, kShift);
  const double n = shifted - kShift;
  const double first = Fma(-n, polynomials::kLn2Parts[0], x);  // exact
  const double r = Fma(-n, polynomials::kLn2Parts[1], first);
  return {{r, Fma(-n, polynomials::kLn2Parts[1], first - r)}, Bits(shifted)};
}
ASSAY_INLINE Exponential64 ExponentialOf(Reduced64 reduced) {
  const double r = reduced.r.hi;
  const double rest = Fma(r * r, Polynomial(polynomials::kExp64, r), reduced.r.lo);
  const double m = r + rest;
  return {m, rest - (m - r), reduced.n};
}
ASSAY_INLINE Exponential64 Exponentiate64(double x) { return ExponentialOf(ReducedExponent(x)); }
// 2^n, for n from -1022 to 1023.
ASSAY_INLINE double Power64(uint64_t n) { return FromBits((n + 1023) << 52); }
// x 2^n in two steps, the second of which rounds. n from -2000 to 2000.
ASSAY_INLINE double Scaled64(double x, uint64_t n) {
  const uint64_t biased = n - (Bits(0x1.8p52) - 2046);
  const uint64_t half = biased >> 1;
  return x * FromBits(half << 52) * FromBits((biased - half) << 52);
}

ASSAY_INLINE double Exp64(double x) {
  const Exponential64 e = Exponentiate64(Clamped(x, 760));
  return Scaled64(1 + e.m, e.n);
}

ASSAY_INLINE double Expm1_64(double x) {
  // By halves, which do not overflow before the result does.
  const double low = x < -60 ? -60 : x;
  const Exponential64 e = Exponentiate64(low > 710 ? 710 : low);
  const double half = Power64(e.n - 1);
  const double whole = half - 0.5;
  const double part = half * e.m;
  const double sum = whole + part;
  const double lost = part - (sum - whole);
  const double result = sum + Fma(half, e.low, lost);
  return Magnitude(x) < 0x1p-60 ? x : result + result;
}

// t / (1 + t) or 1 / (1 + t) with t = e^-|x|.
ASSAY_INLINE double Logistic64(double x) {
  const double magnitude = Magnitude(x);
  const Exponential64 e = Exponentiate64(-(magnitude < 760 ? magnitude : 760));
  const double high = 1 + e.m;
  const double low = (e.m - (high - 1)) + e.low;
  const double t = Scaled64(high, e.n);
  const double sum = 1 + t;
  // What the sum has lost comes back by the quotient.
  const double lost = t - (sum - 1);
  const double inverse = 1 / sum;
  const double rest = Fma(-inverse, sum, 1) - lost * inverse;
  const double better_low = rest * inverse;
  const double better = inverse + better_low;
  const double left = Fma(high, inverse, Fma(high, better_low, low * inverse));
  const double value = x < 0 ? Scaled64(left, e.n) : better;
  return x == x ? value : x;
}

// Near zero by a polynomial, elsewhere 1 - 2 / (e^2x + 1).
ASSAY_INLINE double Tanh64(double x) {
  const double magnitude = Magnitude(x);
  const double square = x * x;
  const double near = Fma(x * square, Polynomial(polynomials::kTanh64, square), x);
  const double clamped = magnitude < 22 ? magnitude : 22;
  const Exponential64 e = Exponentiate64(clamped + clamped);
  const double power = Power64(e.n);
  const double far = 1 - 2 / (Fma(e.m, power, power) + 1);
  const double value = WithSign(magnitude < 0.625 ? near : far, x);
  return x == x ? value : x;
}

// e^|x| / 2 and what it lacks, for |x| up to where the result overflows.
ASSAY_INLINE Pair HalfExponential(double magnitude) {
  const Exponential64 e = Exponentiate64(magnitude < 720 ? magnitude : 720);
  const double high = 1 + e.m;
  const double low = (e.m - (high - 1)) + e.low;
  const uint64_t n = e.n - 1;
  return {Scaled64(high, n), Scaled64(low, n)};
}
ASSAY_INLINE double Sinh64(double x) {
  const double magnitude = Magnitude(x);
  const double square = x * x;
  const double near = Fma(x * square, Polynomial(polynomials::kSinh64, square), x);
  const Pair half = HalfExponential(magnitude);
  // A quarter of the inverse is half of e^-x.
  const double far = half.hi + (half.lo - 0.25 / half.hi);
  const double value = magnitude < 1 ? near : WithSign(half.hi < kInfinity64 ? far : half.hi, x);
  return x == x ? value : x;
}
ASSAY_INLINE double Cosh64(double x) {
  const double magnitude = Magnitude(x);
  const Pair half = HalfExponential(magnitude);
  const double far = half.hi + (half.lo + 0.25 / half.hi);
  const double value = half.hi < kInfinity64 ? far : half.hi;
  return x == x ? value : x;
}

// log(x) + ratio, where x is positive and finite and ratio is tiny.
ASSAY_INLINE double Log64Of(double x, double ratio) {
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const bool tiny = x < 0x1p-1000;
  const double normal = tiny ? x * 0x1p100 : x;
  const uint64_t biased = (Bits(normal) - kRootOfHalf + (uint64_t{1023} << 52)) >> 52;
  const double n = FromBits(biased | Bits(0x1p52)) - (tiny ? 0x1p52 + 1123 : 0x1p52 + 1023);
  const double f = FromBits(Bits(normal) - ((biased - 1023) << 52)) - 1;
  const double half_square = 0.5 * f * f;
  const double s = f / (2 + f);
  const double z = s * s;
  const double series = z * Polynomial(polynomials::kLog64, z);
  // f - (f^2/2 - s (f^2/2 + series)) is the logarithm of 1 + f.
  const double rest = Fma(n, polynomials::kLn2Parts[1], ratio);
  const double low = half_square - Fma(s, half_square + series, rest);
  const double high = n * polynomials::kLn2Parts[0];  // exact
  // |high| is above |f| or 0.
  const double sum = high + f;
  return sum + ((f - (sum - high)) - low);
}
ASSAY_INLINE double Log64(double x) {
  const bool usual = (x > 0) & (x < kInfinity64);
  const double value = Log64Of(usual ? x : 1, 0);
  const double special = x == 0 ? -kInfinity64 : x > 0 ? x : kNan64;
  return usual ? value : special;
}
// log(1 + y + low) for y > -1, low tiny beside y.
ASSAY_INLINE double Log1p64Of(double y, double low) {
  const Pair sum = TwoSum(1, y);
  return Log64Of(sum.hi, (sum.lo + low) / sum.hi);
}
ASSAY_INLINE double Log1p64(double x) {
  const bool usual = (x > -1) & (x < kInfinity64);
  const double value = Log1p64Of(usual ? x : 0, 0);
  double special = x == -1 ? -kInfinity64 : kNan64;
  special = x > 0 ? x : special;
  const double result = usual ? value : special;
  return Magnitude(x) < 0x1p-54 ? x : result;
}

ASSAY_INLINE double Asinh64(double x) {
  const double magnitude = Magnitude(x);
  const bool large = magnitude > 0x1p500;
  const double a = large ? 1 : magnitude;
  const double square = a * a;
  const double rest = square / (1 + __builtin_sqrt(1 + square));
  const Pair y = TwoSum(a, rest);
  const double near = Log1p64Of(y.hi, y.lo);
  const double far = Log64Of(large ? magnitude : 1, 0) + polynomials::kLn2[0];
  // Below 2^-20 the series; x^5 is below the last place.
  const double series = Fma(magnitude * square, -1.0 / 6, magnitude);
  const double value = large ? far : magnitude < 0x1p-20 ? series : near;
  return magnitude < kInfinity64 ? WithSign(value, x) : x;
}
ASSAY_INLINE double Acosh64(double x) {
  const bool large = x > 0x1p500;
  const double t = (!large && x >= 1 ? x : 1) - 1;  // exact below 2
  const double root = __builtin_sqrt(Fma(t, t, t + t));
  const Pair y = TwoSum(t, root);
  const double near = Log1p64Of(y.hi, y.lo);
  const double far = Log64Of(large ? x : 1, 0) + polynomials::kLn2[0];
  const double value = x < kInfinity64 ? (large ? far : near) : x;
  return x >= 1 ? (x == 1 ? 0 : value) : kNan64;
}
ASSAY_INLINE double Atanh64(double x) {
  const double magnitude = Magnitude(x);
  const double a = magnitude < 1 ? magnitude : 0;
  // 2a / (1 - a), with what the quotient and the difference lose.
  const double below = 1 - a;
  const double lost = (1 - below) - a;
  const double y = (a + a) / below;
  const double y_low = (Fma(-y, below, a + a) - y * lost) / below;
  const double near = 0.5 * Log1p64Of(y, y_low);
  const double series = Fma(magnitude * magnitude * magnitude, 1.0 / 3, magnitude);
  const double value = magnitude < 0x1p-20 ? series : near;
  const double special = magnitude == 1 ? kInfinity64 : kNan64;
  return magnitude < 1 ? WithSign(value, x) : WithSign(special, x);
}

// A root of 26 bits by a polynomial, whose square is exact, and a step of Halley's method.
ASSAY_INLINE double Cbrt64(double x) {
  const double magnitude = Magnitude(x);
  const bool usual = (magnitude > 0) & (magnitude < kInfinity64);
  const bool tiny = magnitude < 0x1p-1000;
  const double normal = usual ? (tiny ? magnitude * 0x1p99 : magnitude) : 1;
  // normal = m 8^k 2^j with m from 1/2 to 1.
  const uint64_t biased = Bits(normal) >> 52;
  const double exponent = FromBits(biased | Bits(0x1p52)) - (0x1p52 + 1022);
  const double k = Nearest(exponent * (1.0 / 3) - 0.3125).value;
  const double j = exponent - 3 * k;  // 0, 1 or 2
  const double m = FromBits((Bits(normal) & ((uint64_t{1} << 52) - 1)) | Bits(0.5));
  const double root_of_power = j == 0 ? 1 : j == 1 ? 0x1.428a2f98d728bp0 : 0x1.965fea53d6e3dp0;
  const double start = Polynomial(polynomials::kCbrt64, m) * root_of_power;
  const double r = FromBits((Bits(start) + (uint64_t{1} << 26)) & ~((uint64_t{1} << 27) - 1));
  const double scaled = m * (j == 0 ? 1 : j == 1 ? 2 : 4);
  const double square = r * r;  // exact
  const double error = Fma(-square, r, scaled);
  const double root = r + r * error / (2 * (square * r) + scaled);
  const double value = root * PowerOfTwo(tiny ? k - 33 : k);
  return usual ? WithSign(value, x) : x;
}

// The sine or cosine of an angle of at most pi/4, whose low part counts as far as it matters.
ASSAY_INLINE double Sine64(Pair r) {
  const double z = r.hi * r.hi;
  return r.hi + Fma(r.hi * z, Polynomial(polynomials::kSin64, z), Fma(-0.5 * z, r.lo, r.lo));
}
// What the sine and the cosine lack is returned, too.
ASSAY_INLINE Pair Sine64Pair(Pair r) {
  const double z = r.hi * r.hi;
  return FastTwoSum(r.hi,
                    Fma(r.hi * z, Polynomial(polynomials::kSin64, z), Fma(-0.5 * z, r.lo, r.lo)));
}
ASSAY_INLINE Pair Cosine64Pair(Pair r) {
  const double z = r.hi * r.hi;
  const double z_low = Fma(r.hi, r.hi, -z);
  const double half = 0.5 * z;
  const double high = 1 - half;
  const double rest =
      Fma(z * z, Polynomial(polynomials::kCos64, z), Fma(-0.5, z_low, -(r.hi * r.lo)));
  return FastTwoSum(high, ((1 - high) - half) + rest);
}
ASSAY_INLINE double Sin64OfAngle(Angle<Pair> angle) {
  const double sine = Sine64(angle.rest);
  const Pair cosine = Cosine64Pair(angle.rest);
  const double value = (angle.quadrant & 1) != 0 ? cosine.hi + cosine.lo : sine;
  return FromBits(Bits(value) ^ ((angle.quadrant & 2) << 62));
}
ASSAY_INLINE double Cos64OfAngle(Angle<Pair> angle) {
  ++angle.quadrant;
  return Sin64OfAngle(angle);
}
ASSAY_INLINE double Tan64OfAngle(Angle<Pair> angle) {
  const Pair sine = Sine64Pair(angle.rest);
  const Pair cosine = Cosine64Pair(angle.rest);
  const bool odd = (angle.quadrant & 1) != 0;
  const Pair above = Chosen(odd, -cosine, sine), below = Chosen(odd, sine, cosine);
  const double inverse = 1 / below.hi;
  const double quotient = above.hi * inverse;
  const double rest = (Fma(-quotient, below.hi, above.hi) + above.lo) - quotient * below.lo;
  return Fma(rest, inverse, quotient);
}
// Reduction of magnitudes to 2^20 by pi/2 in four parts. The first two differences lose nothing
// that they do not give back: the minuend is a multiple of the subtrahend's last place.
ASSAY_INLINE Angle<Pair> ReducedAngle64(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr const double(&kParts)[4] = polynomials::kHalfPiParts;
  const double shifted = Fma(x, kTwoOverPi, 0x1.8p52);
  const double n = shifted - 0x1.8p52;
  const double first = Fma(-n, kParts[0], x);  // exact, as are n kParts[1] and n kParts[2]
  const Pair second = FastTwoSum(first, -n * kParts[1]);
  const Pair third = FastTwoSum(second.hi, -n * kParts[2]);
  const double low = (second.lo + third.lo) - n * kParts[3];
  return {FastTwoSum(third.hi, low), Bits(shifted)};
}
ASSAY_INLINE double Sin64(double x) { return x == 0 ? x : Sin64OfAngle(ReducedAngle64(x)); }
ASSAY_INLINE double Cos64(double x) { return Cos64OfAngle(ReducedAngle64(x)); }
ASSAY_INLINE double Tan64(double x) { return x == 0 ? x : Tan64OfAngle(ReducedAngle64(x)); }

// The angle of the point (x, y) with y >= 0, neither both infinite nor both zero.
ASSAY_INLINE double Angle64Of(double y, double x) {
  const double across = Magnitude(x);
  const bool steep = y > across;
  const double small = steep ? across : y, large = steep ? y : across;
  // Above tan(pi/8) from pi/4.
  const bool upper = small > 0.41421356237309503 * large;
  const double above = upper ? small - large : small;
  const double below = upper ? small + large : large;
  const double t = above / below;
  const double above_low = upper ? small - (above + large) : 0;
  const double below_low = upper ? small - (below - large) : 0;
  const double t_low = ((Fma(-t, below, above) + above_low) - t * below_low) / below;
  const double z = t * t;
  const double tail = Fma(t * z, Polynomial(polynomials::kAtan64, z), t_low);
  // base + sign (t + tail), where the base is a multiple of pi/4.
  const bool left = Bits(x) >> 63 != 0;
  double base = upper ? polynomials::kQuarterPi[0] : 0;
  double base_low = upper ? polynomials::kQuarterPi[1] : 0;
  base = steep ? polynomials::kHalfPi[0] - base : base;
  base_low = steep ? polynomials::kHalfPi[1] - base_low : base_low;
  base = left ? polynomials::kPi[0] - base : base;
  base_low = left ? polynomials::kPi[1] - base_low : base_low;
  const bool falls = steep != left;
  const double main = falls ? -t : t;
  const double rest = falls ? -tail : tail;
  const double sum = base + main;
  return sum + ((main - (sum - base)) + (rest + base_low));
}
ASSAY_INLINE double Atan2_64(double y, double x) { return Atan2By<Angle64Of>(y, x); }

// asin(v) = v + v^3 p(v^2) to 1/2; above, of the half angle: v^2 = (1 - |x|) / 2. By 2 v, v exact.
struct ArcSine {
  double v;
  double rest;
  bool half;
};
ASSAY_INLINE ArcSine ArcSineOf(double magnitude) {
  const bool half = magnitude > 0.5;
  const double z = half ? Fma(-0.5, magnitude, 0.5) : magnitude * magnitude;
  const double root = __builtin_sqrt(z);
  const double v = half ? root : magnitude;
  const bool lacks = half & (root > 0);
  const double lost = lacks ? Fma(-root, root, z) / (root + root) : 0;
  return {v, Fma(v * z, Polynomial(polynomials::kAsin64, z), lost), half};
}
ASSAY_INLINE double Asin64(double x) {
  const double magnitude = Magnitude(x);
  const ArcSine a = ArcSineOf(magnitude <= 1 ? magnitude : 0);
  const double high = Fma(-2, a.v, polynomials::kHalfPi[0]);
  const double lost = (polynomials::kHalfPi[0] - high) - (a.v + a.v);
  const double far = high + (lost + Fma(-2, a.rest, polynomials::kHalfPi[1]));
  const double value = a.half ? far : a.v + a.rest;
  return magnitude <= 1 ? WithSign(value, x) : kNan64;
}
ASSAY_INLINE double Acos64(double x) {
  const double magnitude = Magnitude(x);
  const ArcSine a = ArcSineOf(magnitude <= 1 ? magnitude : 0);
  const bool left = x < 0;
  // pi/2 -+ (v + rest), or 2 (v + rest), from pi if x is negative.
  const double base = a.half ? (left ? polynomials::kPi[0] : 0) : polynomials::kHalfPi[0];
  const double base_low = a.half ? (left ? polynomials::kPi[1] : 0) : polynomials::kHalfPi[1];
  const double factor = a.half ? (left ? -2 : 2) : (left ? 1 : -1);
  const double part = factor * a.v;
  const double sum = base + part;
  const double lost = part - (sum - base);
  const double value = sum + (lost + Fma(factor, a.rest, base_low));
  return magnitude <= 1 ? value : kNan64;
}

ASSAY_INLINE double Erf64(double x) {
  const double magnitude = Magnitude(x);
  const double a = magnitude < 1 ? magnitude : 1;
  const double z = a * a;
  const double slope = Fma(z, Polynomial(polynomials::kErfDouble, z),
                           (polynomials::kTwoOverSqrtPi[0] - 1) + polynomials::kTwoOverSqrtPi[1]);
  const double near = Fma(a, slope, a);
  const double b = magnitude > 1 ? (magnitude < 6 ? magnitude : 6) : 1;
  const Exponential64 e = Exponentiate64(-(b * b));
  const double power = Power64(e.n);
  const double tail =
      Fma(power, e.m, power) * Polynomial(polynomials::kErfcDouble, (b - 2) / (b + 2));
  const double value = WithSign(magnitude < 1 ? near : 1 - tail, x);
  return x == x ? value : x;
}

// For `power`, whose logarithm is a pair.
ASSAY_INLINE double ExpOf64(Pair x) {
  Reduced64 reduced = ReducedExponent(x.hi);
  reduced.r = FastTwoSum(reduced.r.hi, reduced.r.lo + x.lo);
  const Exponential64 e = ExponentialOf(reduced);
  return Scaled64(1 + e.m, e.n);
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_DOUBLES_H_
