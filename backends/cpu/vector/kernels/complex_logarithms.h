// Complex logarithms and powers. The sign of a zero imaginary part is kept and selects the side of
// a branch cut (ops_elementwise_and_types.md 6.12; special values as in C99's annex G). Included by
// sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_LOGARITHMS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_LOGARITHMS_H_

#include "backends/cpu/vector/kernels/complex_exponentials.h"
#include "backends/cpu/vector/wide_power.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// log|z| and the angle, of a finite number that is not zero.
PairPoint LogParts(Point z) {
  const double larger = Larger(Magnitude(z.re), Magnitude(z.im));
  const double exponent = ScaleExponent(larger);
  const PairPoint scaled = ScaledPoint(z, exponent);
  const Pair square = SquaredModulus(scaled);
  Pair re = Scaled(LogPair(square), 0.5) - Constant<Pair>(polynomials::kLn2) * exponent;
  // Near 1 by |z|^2 - 1 = (a - 1)(a + 1) + b^2, which does not cancel.
  const bool upright = Magnitude(z.im) > Magnitude(z.re);
  const double a = upright ? Magnitude(z.im) : Magnitude(z.re);
  const double b = upright ? z.re : z.im;
  if (a > 0.5 && a < 2) {
    const Pair excess = TwoSum(a, -1) * TwoSum(a, 1) + TwoProduct(b, b);
    if (Magnitude(excess.hi) < 0.25) re = Scaled(LogOnePlus(excess), 0.5);
  }
  return {re, Argument(scaled.im, scaled.re)};
}

Point ComplexLog(Point z) {
  if (IsInfinite(z.re) || IsInfinite(z.im)) return {kInfinity64, Atan2<Pair>(z.im, z.re)};
  if (IsNan(z.re) || IsNan(z.im)) return {kNan64, kNan64};
  if (z.re == 0 && z.im == 0) return {-kInfinity64, Atan2<Pair>(z.im, z.re)};
  return Rounded(LogParts(z));
}

Point ComplexLog1p(Point z) {
  const double larger = Larger(Magnitude(z.re), Magnitude(z.im));
  if (!IsFinite(z.re) || !IsFinite(z.im) || larger > 0x1p200) return ComplexLog({z.re + 1, z.im});
  if (z.im == 0 && z.re >= -1) return {larger < 0x1p-200 ? z.re : Log1p<Pair>(z.re), z.im};
  if (larger < 0x1p-200) {
    // a + b^2 / 2, which may cancel: with one rounding; a^2 / 2 is what is left of nothing.
    const double twice = Fma(z.im, z.im, 2 * z.re);
    return {twice == 0 && z.re != 0 ? z.re * z.re * 0.5 : 0.5 * twice, z.im};
  }
  if (z.re == -1) {
    const double height = Magnitude(z.im);
    return {High(LogPair(Number<Pair>(height))), WithSign(polynomials::kHalfPi[0], z.im)};
  }
  const Pair sum = TwoSum(1, z.re);
  const Pair excess = Number<Pair>(z.re) * TwoSum(2, z.re) + TwoProduct(z.im, z.im);
  const Pair re = Scaled(Magnitude(excess.hi) < 0.25 ? LogOnePlus(excess)
                                                     : LogPair(sum * sum + TwoProduct(z.im, z.im)),
                         0.5);
  return {re.hi, High(Argument(Number<Pair>(z.im), sum))};
}

// e^z for |z| below 4, with an error of about 2^-96: the series of z / 64, squared six times.
PairPoint PreciseExp(PairPoint z) {
  const PairPoint r = {Scaled(z.re, 0x1p-6), Scaled(z.im, 0x1p-6)};
  PairPoint sum = {Number<Pair>(1), Number<Pair>(0)};
  for (int k = 16; k > 0; --k) {
    const PairPoint term = sum * r;
    sum = {1.0 + term.re / static_cast<double>(k), term.im / static_cast<double>(k)};
  }
  for (int i = 0; i < 6; ++i) sum = sum * sum;
  return sum;
}

// log z of a finite number that is not zero, with an error of about 2^-90: one step of Newton's
// method. Parts near zero are precise as LogParts gives them.
PairPoint PreciseLog(Point z) {
  double exponent = ExponentOf(Larger(Magnitude(z.re), Magnitude(z.im)));
  if (exponent == -1) exponent = 0;  // so that numbers near 1 stay there
  const Point near = {Shifted(z.re, -exponent), Shifted(z.im, -exponent)};
  const PairPoint log = LogParts(near);
  const PairPoint ratio =
      PairPoint{Number<Pair>(near.re), Number<Pair>(near.im)} * PreciseExp({-log.re, -log.im});
  PairPoint result = {log.re + (ratio.re - 1.0), log.im + ratio.im};
  if (Magnitude(log.re.hi) < 0x1p-20) result.re = log.re;
  if (Magnitude(log.im.hi) < 0x1p-20) result.im = log.im;
  return {result.re + Constant<Pair>(polynomials::kLn2) * exponent, result.im};
}

// A number as i^quarters times one near the positive axis; on a diagonal the rest is `z` itself.
struct Turned {
  Point rest;
  double quarters;
  bool on_diagonal;
};
Turned TurnedToAxis(Point z) {
  const bool below = Bits(z.im) >> 63 != 0;
  if (Magnitude(z.re) == Magnitude(z.im)) {
    const double quarters = z.re > 0 ? 0.5 : 1.5;
    return {z, below ? -quarters : quarters, true};
  }
  if (Magnitude(z.im) > Magnitude(z.re)) {
    return {below ? TimesI(z) : DividedByI(z), below ? -1.0 : 1.0, false};
  }
  if (z.re > 0) return {z, 0, false};
  return {{-z.re, -z.im}, below ? -2.0 : 2.0, false};
}

// i^quarters z for a whole number, without zeros of a negative sign.
Point TurnedBack(Point z, double quarters) {
  const double rest = quarters - 4 * __builtin_trunc(quarters * 0.25);
  switch (static_cast<int>(rest) & 3) {
    case 1:
      return {0 - z.im, z.re};
    case 2:
      return {0 - z.re, 0 - z.im};
    case 3:
      return {z.im, 0 - z.re};
    default:
      return z;
  }
}

Point ComplexPower(Point z, Point w) {
  if (w.re == 0 && w.im == 0) return {1, 0};
  if (z.re == 1 && z.im == 0) return {1, 0};
  if (z.re == 0 && z.im == 0) {
    return w.im == 0 && w.re > 0 ? Point{0, 0} : Point{kNan64, kNan64};
  }
  if (w.im == 0 && z.im == 0 && z.re > 0) {
    const double sign = FromBits(Bits(z.im) ^ Bits(w.re));
    return {Power<Pair>(z.re, w.re), IsNan(w.re) ? kNan64 : WithSign(0, sign)};
  }
  if (!IsFinite(z.re) || !IsFinite(z.im) || !IsFinite(w.re) || !IsFinite(w.im)) {
    return {kNan64, kNan64};
  }
  // Beyond 2^400 nothing but overflow, underflow or noise is left; products stay finite.
  const Point bounded = {Clamped(w.re, 0x1p400), Clamped(w.im, 0x1p400)};
  // Whole quarters of the angle are counted apart, so that results on an axis are exact.
  const Turned turned = TurnedToAxis(z);
  PairPoint log = PreciseLog(turned.rest);
  if (turned.on_diagonal) log.im = Number<Pair>(0);
  const PairPoint product = log * PairPoint{Number<Pair>(bounded.re), Number<Pair>(bounded.im)};
  // Of larger numbers all are multiples of 8.
  const Pair quarters =
      Magnitude(w.re) < 0x1p60 ? TwoProduct(turned.quarters, w.re) : Number<Pair>(0);
  const double whole = Magnitude(quarters.hi) < 0x1p50 ? Nearest(quarters.hi).value : quarters.hi;
  const Pair right_angle = Constant<Pair>(polynomials::kHalfPi);
  // An imaginary exponent turns the quarters into a factor.
  const ScaledPair radius = ExpScaled(product.re - right_angle * turned.quarters * bounded.im);
  const Pair turn = w.im == 0 ? log.im * w.re : product.im;
  const Pair angle = turn + right_angle * TwoSum(quarters.hi - whole, quarters.lo);
  if (angle.hi == 0) return TurnedBack({Rounded(radius), 0}, whole);
  const bool on_unit_circle_and_axis = log.re.hi == 0 && log.im.hi == 0;
  const bool is_large = Larger(Magnitude(w.re), Magnitude(w.im)) > 0x1p60;
  if ((is_large || Magnitude(angle.hi) > 0x1p30) && !on_unit_circle_and_axis) {
    Point result;
    WidePower(z.re, z.im, w.re, w.im, &result.re, &result.im);
    return result;
  }
  return TurnedBack(Polar(radius, false, angle), whole);
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_LOGARITHMS_H_
