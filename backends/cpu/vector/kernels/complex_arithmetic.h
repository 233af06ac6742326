// Complex numbers whose parts are pairs of doubles, for functions of c64 and c128 alike: one at a
// time, with branches. Included by sources that are compiled once for each instruction set; see
// loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_ARITHMETIC_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_ARITHMETIC_H_

#include "backends/cpu/vector/kernels/argument_reduction.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

using Point = Complex<double>;    // operands and results
using PairPoint = Complex<Pair>;  // between

ASSAY_INLINE bool IsNan(double x) { return x != x; }
ASSAY_INLINE bool IsInfinite(double x) { return Magnitude(x) == kInfinity64; }
ASSAY_INLINE bool IsFinite(double x) { return Magnitude(x) < kInfinity64; }
ASSAY_INLINE double Larger(double a, double b) { return a > b ? a : b; }

ASSAY_INLINE Point Rounded(PairPoint z) { return {z.re.hi, z.im.hi}; }
ASSAY_INLINE PairPoint operator+(PairPoint z, PairPoint w) { return {z.re + w.re, z.im + w.im}; }
ASSAY_INLINE PairPoint operator*(PairPoint z, PairPoint w) {
  return {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
}
ASSAY_INLINE PairPoint Conjugate(PairPoint z) { return {z.re, -z.im}; }
ASSAY_INLINE Pair SquaredModulus(PairPoint z) { return z.re * z.re + z.im * z.im; }
ASSAY_INLINE PairPoint operator/(PairPoint z, PairPoint w) {
  const Pair square = SquaredModulus(w);
  const PairPoint product = z * Conjugate(w);
  return {product.re / square, product.im / square};
}
// i z and -i z of rounded results.
ASSAY_INLINE Point TimesI(Point z) { return {-z.im, z.re}; }
ASSAY_INLINE Point DividedByI(Point z) { return {z.im, -z.re}; }

// The power of two by which numbers near the ends of double's range are scaled to near 1, and 0
// for the others; the exponent of the largest part decides.
ASSAY_INLINE double ScaleExponent(double larger) {
  return larger > 0x1p480 ? -600 : larger < 0x1p-480 && larger > 0 ? 600 : 0;
}
ASSAY_INLINE PairPoint ScaledPoint(Point z, double exponent) {
  const double power = PowerOfTwo(exponent);
  return {{z.re * power, 0}, {z.im * power, 0}};
}

// The power of two that brings a number of any size near 1.
ASSAY_INLINE double ExponentOf(double x) {
  const uint64_t field = Bits(x < 0x1p-1000 ? x * 0x1p100 : x) >> 52;
  const double exponent = FromBits(field | Bits(0x1p52)) - 0x1p52 - 1023;
  return x == 0 ? 0 : x < 0x1p-1000 ? exponent - 100 : exponent > 1023 ? 1023 : exponent;
}
ASSAY_INLINE double Shifted(double x, double exponent) { return ScaledValue(x, exponent); }
// The principal root of a number of ordinary size; the sign of a zero imaginary part selects the
// side of the cut.
inline PairPoint Root(PairPoint z) {
  const Pair modulus = SquareRoot(SquaredModulus(z));
  const bool left = z.re.hi < 0;
  const Pair along = left ? -z.re : z.re;
  const Pair larger = SquareRoot(Scaled(along + modulus, 0.5));
  if (larger.hi == 0) return {Number<Pair>(0), z.im};
  const bool below = Bits(z.im.hi) >> 63 != 0;
  const Pair height = below ? -z.im : z.im;
  const Pair smaller = height / Scaled(larger, 2);
  const Pair re = left ? smaller : larger;
  const Pair im = left ? larger : smaller;
  return {re, below ? -im : im};
}

// The angle of a point, not both parts zero or infinite; -0 is below the axis.
inline Pair Argument(Pair y, Pair x) {
  const bool below = Bits(y.hi) >> 63 != 0;
  const Pair angle = AngleOf(below ? -y : y, x);
  return below ? -angle : angle;
}

// log(1 + y) for y above -1/2.
inline Pair LogOnePlus(Pair y) {
  if (Magnitude(y.hi) < 0x1p-36) return y + y.hi * y.hi * Fma(y.hi, 1.0 / 3, -0.5);
  return Log1pOf(y);
}

// log(x) of any positive number.
inline Pair LogPair(Pair x) { return LogOf<Pair>(x.hi, x.lo); }

inline Pair AsinhPair(Pair x) {
  const bool negative = x.hi < 0;
  const Pair a = negative ? -x : x;
  Pair value = a;
  if (a.hi > 0x1p400) {
    value = LogPair(a) + Constant<Pair>(polynomials::kLn2);
  } else if (a.hi > 0x1p-30) {
    const Pair square = a * a;
    value = LogOnePlus(a + square / (1.0 + SquareRoot(1.0 + square)));
  } else {
    value = a + a.hi * a.hi * a.hi * (-1.0 / 6);
  }
  return negative ? -value : value;
}

// Sine and cosine of any finite angle, which may have a low part.
struct Circular {
  Pair sine, cosine;
  Angle<Pair> angle;
};
inline Circular SineAndCosine(Pair x) {
  auto reduced = [](double part) {
    return Magnitude(part) <= kLargestQuickAngle ? ReducedAngle<Pair>(part)
                                                 : ReducedLargeAngle<Pair>(part);
  };
  Angle<Pair> angle = reduced(x.hi);
  if (Magnitude(x.lo) < 0x1p-20) {
    angle.rest = angle.rest + x.lo;
  } else {  // both parts have turns
    const Angle<Pair> more = reduced(x.lo);
    const Angle<Pair> last = ReducedAngle<Pair>(High(angle.rest + more.rest));
    const Pair low = angle.rest + more.rest - High(angle.rest + more.rest);
    angle = {last.rest + low, angle.quadrant + more.quadrant + last.quadrant};
  }
  Pair sine = SineOf(angle.rest), cosine = CosineOf(angle.rest);
  if (x.hi == 0) sine = x;
  if ((angle.quadrant & 1) != 0) {
    const Pair former = sine;
    sine = cosine;
    cosine = -former;
  }
  if ((angle.quadrant & 2) != 0) {
    sine = -sine;
    cosine = -cosine;
  }
  return {sine, cosine, angle};
}

// value 2^n.
struct ScaledPair {
  Pair value;
  double n;
};
// Rounds once, for n of at most 3000 in magnitude and a value of ordinary size.
inline double Rounded(ScaledPair x) {
  const double third = Nearest(x.n / 3).value;
  const double power = PowerOfTwo(third);
  return High(x.value) * power * power * PowerOfTwo(x.n - 2 * third);
}
// The rounded product. A zero has the sign of the product, which pairs lose.
inline double RoundedProduct(ScaledPair x, Pair y) {
  const bool tiny = Magnitude(y.hi) < 0x1p-480;
  const Pair factor = tiny ? Scaled(y, 0x1p600) : y;
  const double product = Rounded(ScaledPair{x.value * factor, tiny ? x.n - 600 : x.n});
  return WithSign(product, FromBits(Bits(x.value.hi) ^ Bits(y.hi)));
}

// e^x, and the hyperbolic functions, of finite or infinite x; results overflow when rounded only.
inline ScaledPair ExpScaled(Pair x) {
  const double hi = Clamped(x.hi, 1500);
  const Exponential<Pair> e = Exponentiate(hi == x.hi ? x : Number<Pair>(hi));
  return {1.0 + e.m, e.n < -1090 ? -1090 : e.n};
}
inline ScaledPair SinhScaled(double x) {
  const double magnitude = Magnitude(x);
  ScaledPair result = ExpScaled(Number<Pair>(magnitude));
  result.n -= 1;
  if (magnitude < 45) {
    const Pair m = Expm1Of(Number<Pair>(magnitude));
    result = {Scaled(m + m / (1.0 + m), 0.5), 0};
  }
  if (Bits(x) >> 63 != 0) result.value = -result.value;
  return result;
}
inline ScaledPair CoshScaled(double x) {
  const double magnitude = Magnitude(x);
  ScaledPair result = ExpScaled(Number<Pair>(magnitude));
  result.n -= 1;
  if (magnitude < 45) {
    const Pair t = 1.0 + Expm1Of(Number<Pair>(magnitude));
    result = {Scaled(t + 1.0 / t, 0.5), 0};
  }
  return result;
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_ARITHMETIC_H_
