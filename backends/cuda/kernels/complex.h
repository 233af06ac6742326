// Complex arithmetic and functions over pairs of doubles: both parts are computed as a Pair, which
// keeps cancellation errors of the usual formulas small, and rounded once. Branch cuts and special
// values are those of C99. Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_H_

#include "backends/cuda/kernels/trigonometry.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

struct Complex {
  double re = 0;
  double im = 0;
};
struct ComplexPair {
  Pair re;
  Pair im;
};

ASSAY_DEVICE bool IsFiniteComplex(Complex z) { return IsFiniteValue(z.re) && IsFiniteValue(z.im); }
ASSAY_DEVICE bool IsInfiniteComplex(Complex z) {
  return Magnitude(z.re) == InfinityValue() || Magnitude(z.im) == InfinityValue();
}
ASSAY_DEVICE bool HasNan(Complex z) { return IsNanValue(z.re) || IsNanValue(z.im); }
ASSAY_DEVICE Complex NanComplex() { return {NanValue(), NanValue()}; }
ASSAY_DEVICE Complex Rounded(ComplexPair z) { return {Rounded(z.re), Rounded(z.im)}; }
ASSAY_DEVICE ComplexPair Exactly(Complex z) { return {{z.re, 0}, {z.im, 0}}; }
ASSAY_DEVICE ComplexPair Times(ComplexPair z, double power) {
  return {Times(z.re, power), Times(z.im, power)};
}
ASSAY_DEVICE int ExponentOf(double x) { return x == 0 ? -1075 : Split(x).exponent; }
// Of the larger part; -1075 for zero.
ASSAY_DEVICE int ExponentOf(ComplexPair z) {
  const int re = ExponentOf(z.re.high), im = ExponentOf(z.im.high);
  return re > im ? re : im;
}
ASSAY_DEVICE Pair ScaledPair(Pair a, int n) { return {Scale(a.high, n), Scale(a.low, n)}; }
ASSAY_DEVICE ComplexPair Scaled2(ComplexPair z, int n) {
  return {ScaledPair(z.re, n), ScaledPair(z.im, n)};
}

ASSAY_DEVICE_CALL ComplexPair Multiply(ComplexPair a, ComplexPair b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Of numbers that are scaled to about 1.
ASSAY_DEVICE_CALL ComplexPair Divide(ComplexPair a, ComplexPair b) {
  const Pair square = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

ASSAY_DEVICE Complex Add(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
ASSAY_DEVICE double ProductSum(double a, double b, double c, double d) {
  const double plain = a * b + c * d;
  if (!IsFiniteValue(plain) || Magnitude(plain) < 0x1p-900) return plain;
  return Rounded(ExactProduct(a, b) + ExactProduct(c, d));
}
ASSAY_DEVICE Complex Multiply(Complex a, Complex b) {
  return {ProductSum(a.re, b.re, -a.im, b.im), ProductSum(a.re, b.im, a.im, b.re)};
}
ASSAY_DEVICE double UnitOrZero(double x) { return WithSign(IsFiniteValue(x) ? 0 : 1, SignBit(x)); }
ASSAY_DEVICE_CALL Complex Divide(Complex a, Complex b) {
  if (IsFiniteComplex(a) && IsFiniteComplex(b)) {
    if (b.re == 0 && b.im == 0) {
      if (a.re == 0 && a.im == 0) return NanComplex();
      const double infinity = WithSign(InfinityValue(), SignBit(b.re));
      return {infinity * a.re, infinity * a.im};
    }
    const int ea = ExponentOf(Exactly(a)), eb = ExponentOf(Exactly(b));
    const ComplexPair quotient = Divide(Scaled2(Exactly(a), -ea), Scaled2(Exactly(b), -eb));
    return {Scale(Rounded(quotient.re), ea - eb), Scale(Rounded(quotient.im), ea - eb)};
  }
  if (IsInfiniteComplex(a) && IsFiniteComplex(b)) {
    const double x = UnitOrZero(a.re), y = UnitOrZero(a.im);
    return {InfinityValue() * (x * b.re + y * b.im), InfinityValue() * (y * b.re - x * b.im)};
  }
  if (IsFiniteComplex(a) && IsInfiniteComplex(b)) {
    const double x = UnitOrZero(b.re), y = UnitOrZero(b.im);
    return {0 * (a.re * x + a.im * y), 0 * (a.im * x - a.re * y)};
  }
  return NanComplex();
}

ASSAY_DEVICE_CALL double Abs(Complex z) {
  if (IsInfiniteComplex(z)) return InfinityValue();
  if (HasNan(z)) return NanValue();
  if (z.re == 0 || z.im == 0) return Magnitude(z.re) + Magnitude(z.im);
  const int e = ExponentOf(Exactly(z));
  const ComplexPair s = Scaled2(Exactly(z), -e);
  return Scale(Rounded(Root(s.re * s.re + s.im * s.im)), e);
}
ASSAY_DEVICE Complex Sign(Complex z) {
  if (HasNan(z) || IsInfiniteComplex(z)) return NanComplex();
  if (z.re == 0 && z.im == 0) return {0, 0};
  const ComplexPair s = Scaled2(Exactly(z), -ExponentOf(Exactly(z)));
  const Pair length = Root(s.re * s.re + s.im * s.im);
  return {z.re == 0 ? z.re : Rounded(s.re / length), z.im == 0 ? z.im : Rounded(s.im / length)};
}

// The principal square root of z != 0, finite.
ASSAY_DEVICE_CALL ComplexPair Root(ComplexPair z) {
  int e = ExponentOf(z);
  e -= e & 1;
  const ComplexPair s = Scaled2(z, -e);
  const Pair length = Root(s.re * s.re + s.im * s.im);
  const bool left = SignBit(s.re.high), below = SignBit(s.im.high);
  const Pair larger = Root(Times(length + (left ? -s.re : s.re), 0.5));
  Pair smaller = {s.im.high, 0};  // a zero keeps its sign
  if (s.im.high != 0) smaller = s.im / Times(larger, 2);
  ComplexPair root = {larger, smaller};
  if (left) root = {below ? -smaller : smaller, below ? -larger : larger};
  return Scaled2(root, e / 2);
}
ASSAY_DEVICE Complex Sqrt(Complex z) {
  if (z.re == 0 && z.im == 0) return {0, z.im};
  if (IsFiniteComplex(z)) {
    // Far apart parts would be lost in the scaling of the larger one.
    if (z.im == 0) {
      const double root = SquareRoot(Magnitude(z.re));
      return SignBit(z.re) ? Complex{0, WithSign(root, SignBit(z.im))} : Complex{root, z.im};
    }
    return Rounded(Root(Exactly(z)));
  }
  if (Magnitude(z.im) == InfinityValue()) return {InfinityValue(), z.im};
  if (z.re == InfinityValue()) {
    return {z.re, IsNanValue(z.im) ? NanValue() : WithSign(0, SignBit(z.im))};
  }
  if (z.re == -InfinityValue()) {
    if (IsNanValue(z.im)) return {NanValue(), InfinityValue()};
    return {0, WithSign(InfinityValue(), SignBit(z.im))};
  }
  return NanComplex();
}
ASSAY_DEVICE Complex Rsqrt(Complex z) {
  if (z.re == 0 && z.im == 0) return {InfinityValue(), -z.im};
  if (IsFiniteComplex(z)) {
    if (z.im == 0 && !SignBit(z.re)) return {Rsqrt(z.re), -z.im};
    int e = ExponentOf(Exactly(z));
    e -= e & 1;
    const ComplexPair root = Root(Scaled2(Exactly(z), -e));
    const Complex inverse = Rounded(Divide({{1, 0}, {0, 0}}, root));
    return {Scale(inverse.re, -e / 2), Scale(inverse.im, -e / 2)};
  }
  if (IsInfiniteComplex(z)) return {0, WithSign(0, !SignBit(z.im))};
  return NanComplex();
}

// The logarithm of z != 0, finite.
ASSAY_DEVICE_CALL ComplexPair LogPair(ComplexPair z) {
  const int e = ExponentOf(z);
  Pair log;
  if (e >= -1 && e <= 1) {
    const Pair above = (z.re * z.re + -1.0) + z.im * z.im;
    log = Magnitude(above.high) < 0.25 ? Log1pPair(above) : LogPair(z.re * z.re + z.im * z.im, 0);
  } else {
    const ComplexPair s = Scaled2(z, -e);
    log = LogPair(s.re * s.re + s.im * s.im, 2 * e);
  }
  return {Times(log, 0.5), AnglePair(z.im, z.re)};
}
ASSAY_DEVICE Complex Log(Complex z) {
  if (z.re == 0 && z.im == 0) return {-InfinityValue(), Atan2(z.im, z.re)};
  if (IsFiniteComplex(z)) {
    const ComplexPair log = LogPair(Exactly(z));
    return {Rounded(log.re), Atan2(z.im, z.re)};
  }
  return {IsInfiniteComplex(z) ? InfinityValue() : NanValue(), Atan2(z.im, z.re)};
}
ASSAY_DEVICE Complex Log1p(Complex z) {
  if (!IsFiniteComplex(z) || Magnitude(z.re) > 0x1p60 || Magnitude(z.im) > 0x1p60) return Log(z);
  if (z.re == -1 && z.im == 0) return {-InfinityValue(), z.im};
  const Pair x = {z.re, 0}, y = {z.im, 0};
  const Pair above = (Times(x, 2) + x * x) + y * y;
  const Pair sum = ExactSum(1, z.re);
  const Pair log = Magnitude(above.high) < 0.25 ? Log1pPair(above) : Times(LogPair({sum, y}).re, 2);
  const double angle = z.im == 0 ? Atan2(z.im, sum.high) : Rounded(AnglePair(y, sum));
  return {Rounded(Times(log, 0.5)), angle};
}

ASSAY_DEVICE SinCos SinCosOf(Pair x) {
  const SinCos at = SinCosPair(x.high);
  return {at.sin + at.cos * x.low, at.cos - at.sin * x.low};
}
// e^z as a value times a power of two, for finite parts.
ASSAY_DEVICE_CALL ComplexPair ExpPair(ComplexPair z, int* exponent) {
  Pair x = z.re;
  if (x.high > 1900) x = {1900, 0};
  if (x.high < -1900) x = {-1900, 0};
  const Scaled e = ExpScaled(x);
  const SinCos angle = SinCosOf(z.im);
  *exponent = e.exponent;
  return {e.value * angle.cos, e.value * angle.sin};
}
ASSAY_DEVICE Complex FinishScaled(ComplexPair z, int exponent) {
  return {Scale(Rounded(z.re), exponent), Scale(Rounded(z.im), exponent)};
}
ASSAY_DEVICE Complex Exp(Complex z) {
  if (z.im == 0) return {Exp(z.re), z.im};
  if (!IsFiniteValue(z.im)) {
    if (z.re == -InfinityValue()) return {0, 0};
    if (z.re == InfinityValue()) return {InfinityValue(), NanValue()};
    return NanComplex();
  }
  if (IsNanValue(z.re)) return NanComplex();
  if (!IsFiniteValue(z.re)) {
    const SinCos angle = SinCosPair(z.im);
    const double size = z.re > 0 ? InfinityValue() : 0;
    return {size * angle.cos.high, size * angle.sin.high};
  }
  int exponent;
  const ComplexPair e = ExpPair(Exactly(z), &exponent);
  return FinishScaled(e, exponent);
}
ASSAY_DEVICE Complex Expm1(Complex z) {
  if (z.im == 0) return {Expm1(z.re), z.im};
  if (!IsFiniteComplex(z) || z.re > 60 || z.re < -60) {
    const Complex e = Exp(z);
    return {e.re - 1, e.im};
  }
  const SinCos angle = SinCosPair(z.im);
  const Pair half = SinCosPair(0.5 * z.im).sin;
  const Pair e = Expm1Pair({z.re, 0});
  return {Rounded(e * angle.cos - Times(half * half, 2)), Rounded((e + 1.0) * angle.sin)};
}

// sinh and cosh of x, times 2^-exponent.
struct Hyperbolic {
  Pair sinh;
  Pair cosh;
  int exponent = 0;
};
ASSAY_DEVICE_CALL Hyperbolic HyperbolicOf(double x) {
  const double a = Magnitude(x);
  Hyperbolic h;
  if (a > 40) {
    const Scaled e = ExpScaled({a > 1900 ? 1900 : a, 0});
    h = {e.value, e.value, e.exponent - 1};
  } else if (a < 0x1p-100) {
    h = {{a, 0}, {1, 0}, 0};
  } else {
    const Pair e = Expm1Pair({a, 0});
    h.sinh = Times(e + e / (e + 1.0), 0.5);
    h.cosh = Times((e + 1.0) + Pair{1, 0} / (e + 1.0), 0.5);
  }
  if (SignBit(x)) h.sinh = -h.sinh;
  return h;
}
ASSAY_DEVICE Complex Sinh(Complex z) {
  if (z.im == 0) return {Sinh(z.re), z.im};
  if (z.re == 0)
    return {IsFiniteValue(z.im) ? WithSign(0, SignBit(z.re) != SignBit(Cos(z.im))) : 0, Sin(z.im)};
  if (!IsFiniteValue(z.im)) {
    return {Magnitude(z.re) == InfinityValue() ? InfinityValue() : NanValue(), NanValue()};
  }
  if (IsNanValue(z.re)) return NanComplex();
  const SinCos angle = SinCosPair(z.im);
  if (!IsFiniteValue(z.re)) {
    return {z.re * angle.cos.high, InfinityValue() * angle.sin.high};
  }
  const Hyperbolic h = HyperbolicOf(z.re);
  return FinishScaled({h.sinh * angle.cos, h.cosh * angle.sin}, h.exponent);
}
ASSAY_DEVICE Complex Cosh(Complex z) {
  if (z.im == 0)
    return {Cosh(z.re), IsNanValue(z.re) ? 0 : WithSign(0, SignBit(z.re) != SignBit(z.im))};
  if (z.re == 0) {
    if (!IsFiniteValue(z.im)) return {NanValue(), 0};
    return {Cos(z.im), WithSign(0, SignBit(z.re) != SignBit(Sin(z.im)))};
  }
  if (!IsFiniteValue(z.im)) {
    return {Magnitude(z.re) == InfinityValue() ? InfinityValue() : NanValue(), NanValue()};
  }
  if (IsNanValue(z.re)) return NanComplex();
  const SinCos angle = SinCosPair(z.im);
  if (!IsFiniteValue(z.re)) {
    return {InfinityValue() * angle.cos.high, z.re * angle.sin.high};
  }
  const Hyperbolic h = HyperbolicOf(z.re);
  return FinishScaled({h.cosh * angle.cos, h.sinh * angle.sin}, h.exponent);
}
ASSAY_DEVICE Complex Tanh(Complex z) {
  if (z.im == 0) return {Tanh(z.re), z.im};
  if (z.re == 0) return {z.re, IsFiniteValue(z.im) ? Tan(z.im) : NanValue()};
  if (IsNanValue(z.re)) return NanComplex();
  if (Magnitude(z.re) > 60) {
    if (!IsFiniteValue(z.im)) {
      if (IsFiniteValue(z.re)) return NanComplex();
      return {WithSign(1, SignBit(z.re)), 0};
    }
    const SinCos angle = SinCosPair(z.im);
    const double small = Exp(-2 * Magnitude(z.re));
    return {WithSign(1, SignBit(z.re)), 4 * angle.sin.high * angle.cos.high * small};
  }
  if (!IsFiniteValue(z.im)) return NanComplex();
  const SinCos angle = SinCosPair(z.im);
  const Hyperbolic h = HyperbolicOf(z.re);
  // sinh cosh + i sin cos over sinh^2 + cos^2.
  const Pair divisor = h.sinh * h.sinh + angle.cos * angle.cos;
  if (h.exponent != 0) {
    const double small = Exp(-2 * Magnitude(z.re));
    return {WithSign(1, SignBit(z.re)), 4 * angle.sin.high * angle.cos.high * small};
  }
  return {Rounded(h.sinh * h.cosh / divisor), Rounded(angle.sin * angle.cos / divisor)};
}
ASSAY_DEVICE Complex TurnLeft(Complex z) { return {-z.im, z.re}; }   // i z
ASSAY_DEVICE Complex TurnRight(Complex z) { return {z.im, -z.re}; }  // -i z
ASSAY_DEVICE Complex Sin(Complex z) {
  if (!IsFiniteValue(z.re) && Magnitude(z.im) == InfinityValue()) {
    return {NanValue(), InfinityValue()};
  }
  return TurnRight(Sinh(TurnLeft(z)));
}
ASSAY_DEVICE Complex Cos(Complex z) { return Cosh(TurnLeft(z)); }
ASSAY_DEVICE Complex Tan(Complex z) { return TurnRight(Tanh(TurnLeft(z))); }

ASSAY_DEVICE Complex Logistic(Complex z) {
  if (HasNan(z)) return NanComplex();
  if (z.im == 0 && !IsNanValue(z.re)) {
    return {Logistic(z.re), z.im};
  }
  if (!IsFiniteValue(z.im)) {
    if (z.re == -InfinityValue()) return {0, 0};
    if (z.re == InfinityValue()) return {1, 0};
    return NanComplex();
  }
  if (z.re < -300) return Exp(z);
  if (z.re > 300) {
    const Complex e = Exp({-z.re, -z.im});
    return {1, -e.im};
  }
  int exponent;
  ComplexPair e = ExpPair({{-Magnitude(z.re), 0}, {z.re < 0 ? z.im : -z.im, 0}}, &exponent);
  e = Scaled2(e, exponent);
  const ComplexPair divisor = {e.re + 1.0, e.im};
  const ComplexPair one = {{1, 0}, {0, 0}};
  return Rounded(Divide(z.re < 0 ? e : one, divisor));
}

// log(2 |z|), of large numbers.
ASSAY_DEVICE double LogTwice(Complex z) {
  if (IsInfiniteComplex(z)) return InfinityValue();
  const Pair two = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  return Rounded(LogPair(Exactly(z)).re + two);
}
ASSAY_DEVICE bool IsLarge(Complex z) {
  return Magnitude(z.re) > 0x1p110 || Magnitude(z.im) > 0x1p110;
}
ASSAY_DEVICE Pair AsinhPair(Pair x) {
  const bool negative = SignBit(x.high);
  const Pair a = negative ? -x : x;
  if (a.high < 0x1p-60) return x;
  const Pair square = a * a;
  const Pair log = Log1pPair(square / (Root(square + 1.0) + 1.0) + a);
  return negative ? -log : log;
}
ASSAY_DEVICE ComplexPair RootOrZero(ComplexPair z) {
  if (z.re.high == 0 && z.im.high == 0) return {{0, 0}, z.im};
  return Root(z);
}
// The roots of 1 - z and 1 + z.
ASSAY_DEVICE ComplexPair RootBelow(Complex z) {
  return RootOrZero({ExactSum(1, -z.re), {-z.im, 0}});
}
ASSAY_DEVICE ComplexPair RootAbove(Complex z) { return RootOrZero({ExactSum(1, z.re), {z.im, 0}}); }
ASSAY_DEVICE_CALL Complex Asin(Complex z) {
  if (HasNan(z)) return z.re == 0 ? Complex{z.re, NanValue()} : NanComplex();
  if (IsLarge(z)) {
    return {Atan2(z.re, Magnitude(z.im)), WithSign(LogTwice(z), SignBit(z.im))};
  }
  const ComplexPair below = RootBelow(z), above = RootAbove(z);
  const Pair divisor = below.re * above.re - below.im * above.im;
  const Pair im = below.re * above.im - below.im * above.re;
  const double angle = z.re == 0 ? z.re : Rounded(AnglePair({z.re, 0}, divisor));
  return {angle, z.im == 0 && Magnitude(z.re) <= 1
                     ? z.im
                     : WithSign(Rounded(AsinhPair(im)), SignBit(z.im))};
}
ASSAY_DEVICE_CALL Complex Acos(Complex z) {
  if (HasNan(z)) return NanComplex();
  if (IsLarge(z)) {
    return {Atan2(Magnitude(z.im), z.re), WithSign(LogTwice(z), !SignBit(z.im))};
  }
  const ComplexPair below = RootBelow(z), above = RootAbove(z);
  const Pair im = above.re * below.im - above.im * below.re;
  const Pair half =
      below.re.high == 0 && above.re.high == 0 ? Pair{0, 0} : AnglePair(below.re, above.re);
  return {Rounded(Times(half, 2)), z.im == 0 && Magnitude(z.re) <= 1
                                       ? -z.im
                                       : WithSign(Rounded(AsinhPair(im)), !SignBit(z.im))};
}
ASSAY_DEVICE Complex Asinh(Complex z) { return TurnRight(Asin(TurnLeft(z))); }
ASSAY_DEVICE Complex Acosh(Complex z) {
  if (HasNan(z)) return NanComplex();
  const Complex w = Acos(z);
  return {Magnitude(w.im), WithSign(w.re, SignBit(z.im))};
}
ASSAY_DEVICE_CALL Complex Atanh(Complex z) {
  if (HasNan(z)) return NanComplex();
  if (z.im == 0 && Magnitude(z.re) <= 1) return {Atanh(z.re), z.im};
  if (z.re == 0) return {z.re, Atan(z.im)};
  if (IsLarge(z)) {
    double re = 0;
    if (IsFiniteComplex(z)) re = Divide(Complex{1, 0}, z).re;
    return {WithSign(re, SignBit(z.re)), WithSign(0x1.921fb54442d18p+0, SignBit(z.im))};
  }
  const Pair x = {Magnitude(z.re), 0}, y = {z.im, 0};
  const Pair below = -x + 1.0, above = x + 1.0;
  Pair re;
  if (below.high == 0 && Magnitude(z.im) < 0x1p-300) {  // 2 log(2 / |y|)
    const Pair two = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    re = Times(two - LogOf(Magnitude(z.im)), 2);
  } else {
    re = Log1pPair(Times(x, 4) / (below * below + y * y));
  }
  const Pair divisor = below * above - y * y;
  double im = 0;
  if (z.im == 0) {
    im = WithSign(0x1.921fb54442d18p+0, SignBit(z.im));
  } else {
    im = Rounded(Times(AnglePair(Times(y, 2), divisor), 0.5));
  }
  return {WithSign(Rounded(Times(re, 0.25)), SignBit(z.re)), im};
}
}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_H_
