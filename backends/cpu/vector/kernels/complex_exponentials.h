// Complex exponentials and what is made of them: logistic, hyperbolic and trigonometric functions
// (ops_elementwise_and_types.md 6.12; special values as in C99's annex G).
// Included by sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_EXPONENTIALS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_EXPONENTIALS_H_

#include "backends/cpu/vector/kernels/complex_arithmetic.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// 2^n value cis(angle) for a value that is not negative and may be infinite.
Point Polar(ScaledPair radius, bool infinite, Pair angle) {
  const Circular c = SineAndCosine(angle);
  if (infinite) {
    return {WithSign(kInfinity64, c.cosine.hi), WithSign(kInfinity64, c.sine.hi)};
  }
  return {RoundedProduct(radius, c.cosine), RoundedProduct(radius, c.sine)};
}

Point ComplexExp(Point z) {
  if (IsNan(z.re)) return {z.re, z.im == 0 ? z.im : kNan64};
  const bool infinite = z.re == kInfinity64;
  if (!IsFinite(z.im)) {
    if (infinite) return {z.re, kNan64};
    if (z.re == -kInfinity64) return {0, IsNan(z.im) ? 0 : WithSign(0, z.im)};
    return {kNan64, kNan64};
  }
  const ScaledPair radius = ExpScaled(Number<Pair>(z.re));
  if (z.im == 0) return {infinite ? kInfinity64 : Rounded(radius), z.im};
  if (z.re == -kInfinity64) {
    const Circular c = SineAndCosine(Number<Pair>(z.im));
    return {WithSign(0, c.cosine.hi), WithSign(0, c.sine.hi)};
  }
  return Polar(radius, infinite, Number<Pair>(z.im));
}

// e^a cis(b) - 1 for a of at most 45, from the angle's sine and cosine.
PairPoint ExpMinusOne(double a, const Circular& c) {
  const Pair m = Expm1Of(Number<Pair>(a));
  Pair less = c.cosine - 1.0;
  // Near zero by the sine: cos b - 1 = -sin^2 b / (1 + cos b).
  if (c.cosine.hi > 0) less = -(c.sine * c.sine / (1.0 + c.cosine));
  return {m * c.cosine + less, (1.0 + m) * c.sine};
}

Point ComplexExpm1(Point z) {
  if (!IsFinite(z.re) || !IsFinite(z.im)) {
    const Point e = ComplexExp(z);
    return {e.re - 1, e.im};
  }
  if (z.im == 0) return {Expm1<Pair>(z.re), z.im};
  if (Larger(Magnitude(z.re), Magnitude(z.im)) < 0x1p-200) {
    // a - b^2 / 2, which may cancel: with one rounding; -a^2 / 3 is what is left of nothing.
    const double twice = Fma(-z.im, z.im, 2 * z.re);
    return {twice == 0 && z.re != 0 ? z.re * z.re * (-1.0 / 3) : 0.5 * twice, z.im};
  }
  if (z.re > 45) return ComplexExp(z);
  const Circular c = SineAndCosine(Number<Pair>(z.im));
  Point result = Rounded(ExpMinusOne(z.re < -60 ? -60 : z.re, c));
  if (z.re < -60) result.im = RoundedProduct(ExpScaled(Number<Pair>(z.re)), c.sine);
  return {result.re, WithSign(result.im, c.sine.hi)};
}

// With t = e^-|a| cis(...) the function is 1 / (1 + t) or t / (1 + t), where |t| is at most 1. The
// imaginary part has the sign of sin b.
Point ComplexLogistic(Point z) {
  if (IsInfinite(z.re)) {
    const double height =
        IsFinite(z.im) ? WithSign(0, SineAndCosine(Number<Pair>(z.im)).sine.hi) : 0;
    return {z.re > 0 ? 1.0 : 0, height};
  }
  if (IsNan(z.re) || !IsFinite(z.im)) return {kNan64, kNan64};
  if (z.im == 0) return {Logistic<Pair>(z.re), z.im};
  const bool left = z.re < 0;
  const double a = -Magnitude(z.re);
  const Circular c = SineAndCosine(Number<Pair>(left ? z.im : -z.im));
  const ScaledPair radius = ExpScaled(Number<Pair>(a));
  if (radius.n < -200) {  // t beside 1 is nothing
    const double height = RoundedProduct(radius, left ? c.sine : -c.sine);
    return {left ? RoundedProduct(radius, c.cosine) : 1, height};
  }
  const PairPoint t = {radius.value * c.cosine, radius.value * c.sine};  // times 2^n
  const double power = PowerOfTwo(radius.n);
  PairPoint sum = {1.0 + Scaled(t.re, power), Scaled(t.im, power)};
  // Near the poles: -t = e^a cis(b - pi).
  if ((c.angle.quadrant & 3) == 2 && a > -1) {
    Circular turned = c;
    turned.sine = -c.sine;
    turned.cosine = -c.cosine;
    const PairPoint less = ExpMinusOne(a, turned);
    sum = {-less.re, -less.im};
  }
  Point result;
  if (left) {
    const PairPoint quotient = t / sum;
    result = {ScaledValue(quotient.re, radius.n), ScaledValue(quotient.im, radius.n)};
  } else {
    result = Rounded(PairPoint{Number<Pair>(1), Number<Pair>(0)} / sum);
  }
  return {result.re, WithSign(result.im, left ? c.sine.hi : -c.sine.hi)};
}

// sinh and cosh of a + bi are sinh a cos b + i cosh a sin b and cosh a cos b + i sinh a sin b.
Point ComplexSinh(Point z) {
  if (!IsFinite(z.im)) {
    if (z.re == 0) return {z.re, kNan64};
    return {IsInfinite(z.re) ? kInfinity64 : kNan64, kNan64};
  }
  if (IsNan(z.re)) return {z.re, z.im == 0 ? z.im : kNan64};
  if (z.im == 0) return {Sinh<Pair>(z.re), z.im};
  const Circular c = SineAndCosine(Number<Pair>(z.im));
  if (IsInfinite(z.re)) {
    return {WithSign(kInfinity64, z.re) * WithSign(1, c.cosine.hi),
            WithSign(kInfinity64, c.sine.hi)};
  }
  return {z.re == 0 ? WithSign(0, z.re) * WithSign(1, c.cosine.hi)
                    : RoundedProduct(SinhScaled(z.re), c.cosine),
          RoundedProduct(CoshScaled(z.re), c.sine)};
}

Point ComplexCosh(Point z) {
  if (!IsFinite(z.im)) {
    if (z.re == 0) return {kNan64, 0};
    return {IsInfinite(z.re) ? kInfinity64 : kNan64, kNan64};
  }
  if (IsNan(z.re)) return {z.re, z.im == 0 ? z.im : kNan64};
  if (z.im == 0) return {Cosh<Pair>(z.re), WithSign(1, z.re) * z.im};
  const Circular c = SineAndCosine(Number<Pair>(z.im));
  if (IsInfinite(z.re)) {
    return {WithSign(kInfinity64, c.cosine.hi), z.re * WithSign(1, c.sine.hi)};
  }
  return {RoundedProduct(CoshScaled(z.re), c.cosine),
          z.re == 0 ? z.re * WithSign(1, c.sine.hi) : RoundedProduct(SinhScaled(z.re), c.sine)};
}

// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b), whose divisor is a sum of squares.
Point ComplexTanh(Point z) {
  if (IsNan(z.re)) return {z.re, z.im == 0 ? z.im : kNan64};
  if (IsInfinite(z.re)) {
    double sign = 1;
    if (IsFinite(z.im)) {
      const Circular c = SineAndCosine(Number<Pair>(z.im));
      sign = WithSign(1, c.sine.hi) * WithSign(1, c.cosine.hi);
    }
    return {WithSign(1, z.re), WithSign(0, sign)};
  }
  if (!IsFinite(z.im)) return {z.re == 0 ? z.re : kNan64, kNan64};
  if (z.im == 0) return {Tanh<Pair>(z.re), z.im};
  const Circular c = SineAndCosine(Number<Pair>(z.im));
  if (Magnitude(z.re) > 40) {
    const ScaledPair decay = ExpScaled(Number<Pair>(-2 * Magnitude(z.re)));
    return {WithSign(1, z.re), RoundedProduct(decay, Scaled(c.sine, 4) * c.cosine)};
  }
  const Pair sinh = SinhScaled(z.re).value, cosh = CoshScaled(z.re).value;
  const Pair scaled_sinh = z.re == 0 ? Number<Pair>(z.re) : sinh;
  const Pair divisor = scaled_sinh * scaled_sinh + c.cosine * c.cosine;
  return {z.re == 0 ? z.re : High(scaled_sinh * cosh / divisor), High(c.sine * c.cosine / divisor)};
}

Point ComplexSin(Point z) {
  // The undetermined sign of an infinite height is positive on either side.
  if (IsInfinite(z.im) && !IsFinite(z.re)) return {kNan64, kInfinity64};
  return DividedByI(ComplexSinh(TimesI(z)));
}
Point ComplexCos(Point z) { return ComplexCosh(TimesI(z)); }
Point ComplexTan(Point z) { return DividedByI(ComplexTanh(TimesI(z))); }

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_EXPONENTIALS_H_
