// Complex numbers: parts, comparisons, arithmetic as vector code, and functions one at a time
// (ops_elementwise_and_types.md 6.12; special values as in C99's annex G). The sign of a zero
// imaginary part is kept and selects the side of a branch cut.
#include "backends/cpu/vector/kernels/complex_arithmetic.h"
#include "backends/cpu/vector/wide_power.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// ---- Exponentials, and functions made of them.

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

// ---- Logarithms.

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
  const double quarters = Magnitude(w.re) < 0x1p60 ? turned.quarters * w.re : 0;
  const double whole = Magnitude(quarters) < 0x1p50 ? Nearest(quarters).value : quarters;
  const Pair right_angle = Constant<Pair>(polynomials::kHalfPi);
  // An imaginary exponent turns the quarters into a factor.
  const ScaledPair radius = ExpScaled(product.re - right_angle * turned.quarters * bounded.im);
  const Pair turn = w.im == 0 ? log.im * w.re : product.im;
  const Pair angle = turn + right_angle * (quarters - whole);
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

// ---- Roots.

// sqrt(z) 2^-n, and n.
PairPoint ScaledRoot(Point z, double& n) {
  const double exponent = ScaleExponent(Larger(Magnitude(z.re), Magnitude(z.im)));
  n = -exponent / 2;
  return Root(ScaledPoint(z, exponent));
}

Point ComplexSqrt(Point z) {
  if (IsInfinite(z.im)) return {kInfinity64, z.im};
  if (z.re == kInfinity64) return {z.re, IsNan(z.im) ? z.im : WithSign(0, z.im)};
  if (z.re == -kInfinity64) {
    return {IsNan(z.im) ? kNan64 : 0, WithSign(kInfinity64, z.im)};
  }
  if (IsNan(z.re) || IsNan(z.im)) return {kNan64, kNan64};
  if (z.re == 0 && z.im == 0) return {0, z.im};
  double n;
  const Point root = Rounded(ScaledRoot(z, n));
  return {root.re * PowerOfTwo(n), root.im * PowerOfTwo(n)};
}

Point ComplexRsqrt(Point z) {
  if (IsInfinite(z.re) || IsInfinite(z.im)) return {0, WithSign(0, -z.im)};
  if (IsNan(z.re) || IsNan(z.im)) return {kNan64, kNan64};
  if (z.re == 0 && z.im == 0) return {kInfinity64, WithSign(0, -z.im)};
  double n;
  const PairPoint root = ScaledRoot(z, n);
  const Pair square = SquaredModulus(root);
  return {High(root.re / square) * PowerOfTwo(-n), -High(root.im / square) * PowerOfTwo(-n)};
}

double ComplexAbs(Point z) {
  if (IsInfinite(z.re) || IsInfinite(z.im)) return kInfinity64;
  if (IsNan(z.re) || IsNan(z.im)) return kNan64;
  const double exponent = ScaleExponent(Larger(Magnitude(z.re), Magnitude(z.im)));
  return High(SquareRoot(SquaredModulus(ScaledPoint(z, exponent)))) * PowerOfTwo(-exponent);
}

Point ComplexSign(Point z) {
  if (z.re == 0 && z.im == 0) return z;
  if (!IsFinite(z.re) || !IsFinite(z.im)) return {kNan64, kNan64};
  const PairPoint scaled = ScaledPoint(z, ScaleExponent(Larger(Magnitude(z.re), Magnitude(z.im))));
  const Pair modulus = SquareRoot(SquaredModulus(scaled));
  return {High(scaled.re / modulus), High(scaled.im / modulus)};
}

// ---- Inverse functions, by the formulas of Kahan, which hold at the cuts. Numbers beyond 2^400
// are so large that 1 beside them is nothing.

PairPoint RootOfOnePlus(Point z, double sign) {
  const Pair re = TwoSum(1, sign * z.re);
  if (re.hi != 0) return Root({re, {sign * z.im, 0}});
  // sqrt(+-ib), whose square may be too small for Root.
  const double exponent = ScaleExponent(Magnitude(z.im));
  const PairPoint root = Root({re, {sign * z.im * PowerOfTwo(exponent), 0}});
  const double power = PowerOfTwo(-exponent / 2);
  return {Scaled(root.re, power), Scaled(root.im, power)};
}
bool IsHuge(Point z) { return Larger(Magnitude(z.re), Magnitude(z.im)) > 0x1p400; }
bool IsNotFinite(Point z) { return !IsFinite(z.re) || !IsFinite(z.im); }

// |re asinh| of huge or infinite numbers: log 2|z|.
double HugeLog(Point z) {
  if (IsInfinite(z.re) || IsInfinite(z.im)) return kInfinity64;
  return High(LogParts(z).re + Constant<Pair>(polynomials::kLn2));
}

Point ComplexAsin(Point z) {
  if (IsNan(z.re) || IsNan(z.im)) {
    if (z.re == 0) return {z.re, kNan64};
    if (IsInfinite(z.im)) return {kNan64, z.im};
    return {kNan64, IsInfinite(z.re) ? WithSign(kInfinity64, z.im) : kNan64};
  }
  if (IsHuge(z)) return {Atan2<Pair>(z.re, Magnitude(z.im)), WithSign(HugeLog(z), z.im)};
  if (Larger(Magnitude(z.re), Magnitude(z.im)) < 0x1p-200) return z;
  const PairPoint minus = RootOfOnePlus(z, -1), plus = RootOfOnePlus(z, 1);
  const Pair along = minus.re * plus.re - minus.im * plus.im;
  const Pair across = minus.re * plus.im - minus.im * plus.re;
  return {z.re == 0 ? z.re : High(Argument(Number<Pair>(z.re), along)),
          WithSign(High(AsinhPair(across)), z.im)};
}

Point ComplexAcos(Point z) {
  if (IsNan(z.re) || IsNan(z.im)) {
    if (IsInfinite(z.im)) return {kNan64, -z.im};
    return {z.re == 0 ? polynomials::kHalfPi[0] : kNan64, IsInfinite(z.re) ? -kInfinity64 : kNan64};
  }
  if (IsHuge(z)) return {Atan2<Pair>(Magnitude(z.im), z.re), WithSign(HugeLog(z), -z.im)};
  const PairPoint minus = RootOfOnePlus(z, -1), plus = RootOfOnePlus(z, 1);
  const bool one = z.re == 1 && z.im == 0;
  const Pair half = one ? Number<Pair>(0) : Argument(minus.re, plus.re);
  const Pair across = plus.re * minus.im - plus.im * minus.re;
  return {High(Scaled(half, 2)), WithSign(High(AsinhPair(across)), -z.im)};
}

Point ComplexAcosh(Point z) {
  // i times or over acos, whichever has a real part that is not negative.
  const Point angle = ComplexAcos(z);
  return {Magnitude(angle.im), WithSign(angle.re, z.im)};
}

Point ComplexAsinh(Point z) { return DividedByI(ComplexAsin(TimesI(z))); }

Point ComplexAtanh(Point z) {
  if (IsNotFinite(z) || IsHuge(z)) {
    if (IsNan(z.re))
      return {IsInfinite(z.im) ? 0 : kNan64,
              IsInfinite(z.im) ? WithSign(polynomials::kHalfPi[0], z.im) : kNan64};
    if (IsNan(z.im)) return {IsInfinite(z.re) || z.re == 0 ? WithSign(0, z.re) : kNan64, kNan64};
    // Re 1/z, which is nothing.
    const double larger = Larger(Magnitude(z.re), Magnitude(z.im));
    const double a = z.re / larger, b = z.im / larger;
    const double inverse = IsInfinite(larger) ? WithSign(0, z.re) : a / (a * a + b * b) / larger;
    return {inverse, WithSign(polynomials::kHalfPi[0], z.im)};
  }
  if (Larger(Magnitude(z.re), Magnitude(z.im)) < 0x1p-200) return z;
  const double x = Magnitude(z.re), y = z.im;
  if (x == 1 && y == 0) return {WithSign(kInfinity64, z.re), y};
  const Pair less = TwoSum(1, -x), more = TwoSum(1, x);
  const Pair square = TwoProduct(y, y);
  const Pair distance = less * less + square;
  // x == 1 beside a y whose square underflows: log(4 / y^2) / 4.
  const Pair re =
      distance.hi > 0x1p-900
          ? Scaled(LogOnePlus(Number<Pair>(4 * x) / distance), 0.25)
          : Scaled(Constant<Pair>(polynomials::kLn2) - LogPair(Number<Pair>(Magnitude(y))), 0.5);
  const Pair im = Scaled(Argument(Number<Pair>(2 * y), less * more - square), 0.5);
  return {WithSign(x == 0 ? 0 : re.hi, z.re), im.hi};
}

// atan2 beside the pole y = sign ix: `distance` is x + sign iy, all but nothing beside x.
Point Atan2BesidePole(Point y, Point x, double sign, Point distance) {
  if (distance.re == 0 && distance.im == 0) return {kNan64, kNan64};
  const PairPoint near = LogParts(distance);
  // A quarter of x - sign iy, which may overflow.
  const Point far = {0.25 * x.re + 0.25 * sign * y.im, 0.25 * x.im - 0.25 * sign * y.re};
  const double below = x.im - sign * y.re;
  const PairPoint other = LogParts({far.re, WithSign(far.im, below)});
  const Pair log = other.re + Constant<Pair>(polynomials::kLn2) * 2.0 - near.re;
  const Pair p = sign > 0 ? near.im : other.im, m = sign > 0 ? other.im : near.im;
  const Pair half = Scaled(p - m, 0.5);
  const Pair pi = Constant<Pair>(polynomials::kPi);
  const bool turns = Magnitude(High(p + m)) > pi.hi;
  const Pair angle = turns ? half + (half.hi > 0 ? -pi : pi) : half;
  return {angle.hi, sign * 0.5 * log.hi};
}

// A number of the sign of a b + c d, whose products may leave the range.
double SignOfProducts(double a, double b, double c, double d) {
  const double scales[] = {ExponentOf(Magnitude(a)), ExponentOf(Magnitude(b)),
                           ExponentOf(Magnitude(c)), ExponentOf(Magnitude(d))};
  const double first = Shifted(a, -scales[0]) * Shifted(b, -scales[1]);
  const double second = Shifted(c, -scales[2]) * Shifted(d, -scales[3]);
  const double lead = scales[0] + scales[1] - scales[2] - scales[3];
  if (first == 0 || second == 0) return first + second;
  if (lead > 100 || lead < -100) return lead > 0 ? first : second;
  return first * PowerOfTwo(lead) + second;
}

// -i log((x + iy) / sqrt(x^2 + y^2)) = -i log(p / s) with p = x + iy, m = x - iy, s^2 = pm. The
// logarithm of the modulus is log(|m|^2 / |p|^2) / 4, and |m|^2 - |p|^2 = 4 (x_r y_i - x_i y_r).
Point ComplexAtan2(Point y, Point x) {
  if (y.im == 0 && x.im == 0) return {Atan2<Pair>(y.re, x.re), 0};
  if (IsNotFinite(y) || IsNotFinite(x)) return {kNan64, kNan64};
  const double larger =
      Larger(Larger(Magnitude(y.re), Magnitude(y.im)), Larger(Magnitude(x.re), Magnitude(x.im)));
  if (larger == 0) return {Atan2<Pair>(y.re, x.re), 0};
  for (const double sign : {1.0, -1.0}) {
    const Point distance = {x.re - sign * y.im, x.im + sign * y.re};
    if (Larger(Magnitude(distance.re), Magnitude(distance.im)) < 0x1p-300 * larger) {
      return Atan2BesidePole(y, x, sign, distance);
    }
  }
  const double exponent = -ExponentOf(larger);
  auto near_one = [exponent](double part) { return Number<Pair>(Shifted(part, exponent)); };
  const PairPoint v = {near_one(y.re), near_one(y.im)}, u = {near_one(x.re), near_one(x.im)};
  const PairPoint p = {u.re - v.im, u.im + v.re};
  const PairPoint m = {u.re + v.im, u.im - v.re};
  const Pair p_square = SquaredModulus(p), m_square = SquaredModulus(m);
  // s^2 by its parts, whose signs decide on the side of the cut.
  PairPoint sum_of_squares = {(u.re * u.re - u.im * u.im) + (v.re * v.re - v.im * v.im),
                              Scaled(u.re * u.im + v.re * v.im, 2)};
  // Pairs lose the sign of a zero, and parts that are small beside others are lost altogether.
  if (Magnitude(sum_of_squares.im.hi) < 0x1p-900) {
    sum_of_squares.im.hi = WithSign(sum_of_squares.im.hi, SignOfProducts(x.re, x.im, y.re, y.im));
  }
  const PairPoint quotient = p / Root(sum_of_squares);
  Pair re = Argument(quotient.im, quotient.re);
  const bool small = SquaredModulus(v).hi < 0x1p-40 * SquaredModulus(u).hi;
  if (small) {
    // atan t = t - t^3 / 3, whose parts are precise relative to t = y / x = t' 2^n.
    const double up = -ExponentOf(Larger(Magnitude(y.re), Magnitude(y.im)));
    const PairPoint t = ScaledPoint({Shifted(y.re, up), Shifted(y.im, up)}, 0) / u;
    const double n = exponent - up;
    const double square = PowerOfTwo(n > -500 ? 2 * n : -1000);
    const PairPoint cube = t * t * t;
    const PairPoint sum = {t.re - Scaled(cube.re / 3.0, square),
                           t.im - Scaled(cube.im / 3.0, square)};
    const double angle = ScaledValue(sum.re, n < -1090 ? -1090 : n);
    const double turn =
        quotient.re.hi > 0 ? 0 : WithSign(polynomials::kPi[0], sum.re.hi == 0 ? y.re : -sum.re.hi);
    return {turn == 0 ? angle : turn + angle, ScaledValue(sum.im, n < -1090 ? -1090 : n)};
  }
  const Pair cross = Scaled(u.re * v.im - u.im * v.re, 4);
  const bool positive = cross.hi >= 0;
  const Pair divisor = positive ? p_square : m_square;
  const Pair log = LogOnePlus((positive ? cross : -cross) / divisor);
  return {re.hi, High(Scaled(positive ? log : -log, 0.25))};
}

// ---- Loops.

template <Point (*kFunction)(Point)>
struct OfPoint : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE Complex<T> operator()(Complex<T> z) const {
    const Point result = kFunction({z.re, z.im});
    return {static_cast<T>(result.re), static_cast<T>(result.im)};
  }
};
template <Point (*kFunction)(Point, Point)>
struct OfPoints : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE Complex<T> operator()(Complex<T> z, Complex<T> w) const {
    const Point result = kFunction({z.re, z.im}, {w.re, w.im});
    return {static_cast<T>(result.re), static_cast<T>(result.im)};
  }
};
struct Modulus : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(Complex<T> z) const {
    return static_cast<T>(ComplexAbs({z.re, z.im}));
  }
};

// c64: products of parts are exact in double. c128: a b - c d with an error of 1.5 units (Kahan).
ASSAY_INLINE double Difference(double a, double b, double c, double d) {
  const double product = c * d;
  return Fma(a, b, -product) - Fma(c, d, -product);
}
struct Multiply : Plain {
  using Plain::Plain;
  ASSAY_INLINE Complex<float> operator()(Complex<float> z, Complex<float> w) const {
    const double a = z.re, b = z.im, c = w.re, d = w.im;
    return {static_cast<float>(a * c - b * d), static_cast<float>(a * d + b * c)};
  }
  ASSAY_INLINE Complex<double> operator()(Complex<double> z, Complex<double> w) const {
    return {Difference(z.re, w.re, z.im, w.im), Difference(z.re, w.im, -z.im, w.re)};
  }
};

struct Divide : Plain {
  using Plain::Plain;
  ASSAY_INLINE Complex<float> operator()(Complex<float> z, Complex<float> w) const {
    const double a = z.re, b = z.im, c = w.re, d = w.im;
    const double square = c * c + d * d;
    return {static_cast<float>((a * c + b * d) / square),
            static_cast<float>((b * c - a * d) / square)};
  }
  ASSAY_INLINE Complex<double> operator()(Complex<double> z, Complex<double> w) const {
    const double n = ExponentOf(Larger(Magnitude(z.re), Magnitude(z.im)));
    const double m = ExponentOf(Larger(Magnitude(w.re), Magnitude(w.im)));
    const double a = Shifted(z.re, -n), b = Shifted(z.im, -n);
    const double c = Shifted(w.re, -m), d = Shifted(w.im, -m);
    const Pair square = TwoProduct(c, c) + TwoProduct(d, d);
    double up = n - m;
    up = up < -1090 ? -1090 : up > 1090 ? 1090 : up;
    return {Shifted(High((TwoProduct(a, c) + TwoProduct(b, d)) / square), up),
            Shifted(High((TwoProduct(b, c) - TwoProduct(a, d)) / square), up)};
  }
};

struct RealPart : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(Complex<T> z) const {
    return z.re;
  }
};
struct ImaginaryPart : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(Complex<T> z) const {
    return z.im;
  }
};
struct ImaginaryPartOfReal : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T) const {
    return 0;
  }
};
struct FromParts : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE Complex<T> operator()(T re, T im) const {
    return {re, im};
  }
};
struct Equal : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE uint8_t operator()(Complex<T> z, Complex<T> w) const {
    return z.re == w.re && z.im == w.im;
  }
};
struct NotEqual : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE uint8_t operator()(Complex<T> z, Complex<T> w) const {
    return !(z.re == w.re && z.im == w.im);
  }
};

template <typename T>
void FillComplexLane(KernelTable& table, Lane lane) {
  using Z = Complex<T>;
  auto set = [&](KernelOp op, BlockKernel kernel) { At(table, op, lane) = kernel; };
  set(KernelOp::kAbs, Unary<Modulus, T, Z>);
  set(KernelOp::kAcos, Unary<OfPoint<ComplexAcos>, Z, Z>);
  set(KernelOp::kAcosh, Unary<OfPoint<ComplexAcosh>, Z, Z>);
  set(KernelOp::kAsin, Unary<OfPoint<ComplexAsin>, Z, Z>);
  set(KernelOp::kAsinh, Unary<OfPoint<ComplexAsinh>, Z, Z>);
  set(KernelOp::kAtan2, Binary<OfPoints<ComplexAtan2>, Z, Z>);
  set(KernelOp::kAtanh, Unary<OfPoint<ComplexAtanh>, Z, Z>);
  set(KernelOp::kCos, Unary<OfPoint<ComplexCos>, Z, Z>);
  set(KernelOp::kCosh, Unary<OfPoint<ComplexCosh>, Z, Z>);
  set(KernelOp::kDivide, Binary<Divide, Z, Z>);
  set(KernelOp::kExp, Unary<OfPoint<ComplexExp>, Z, Z>);
  set(KernelOp::kExpm1, Unary<OfPoint<ComplexExpm1>, Z, Z>);
  set(KernelOp::kImag, Unary<ImaginaryPart, T, Z>);
  set(KernelOp::kLog, Unary<OfPoint<ComplexLog>, Z, Z>);
  set(KernelOp::kLog1p, Unary<OfPoint<ComplexLog1p>, Z, Z>);
  set(KernelOp::kLogistic, Unary<OfPoint<ComplexLogistic>, Z, Z>);
  set(KernelOp::kMultiply, Binary<Multiply, Z, Z>);
  set(KernelOp::kPower, Binary<OfPoints<ComplexPower>, Z, Z>);
  set(KernelOp::kReal, Unary<RealPart, T, Z>);
  set(KernelOp::kRsqrt, Unary<OfPoint<ComplexRsqrt>, Z, Z>);
  set(KernelOp::kSign, Unary<OfPoint<ComplexSign>, Z, Z>);
  set(KernelOp::kSin, Unary<OfPoint<ComplexSin>, Z, Z>);
  set(KernelOp::kSinh, Unary<OfPoint<ComplexSinh>, Z, Z>);
  set(KernelOp::kSqrt, Unary<OfPoint<ComplexSqrt>, Z, Z>);
  set(KernelOp::kTan, Unary<OfPoint<ComplexTan>, Z, Z>);
  set(KernelOp::kTanh, Unary<OfPoint<ComplexTanh>, Z, Z>);
  At(table, KernelOp::kComplex, LaneFor<T>()) = Binary<FromParts, Z, T>;
  At(table, KernelOp::kImag, LaneFor<T>()) = Unary<ImaginaryPartOfReal, T, T>;
  const int number = static_cast<int>(lane);
  table.compare[static_cast<int>(Direction::kEq)][number] = Binary<Equal, uint8_t, Z>;
  table.compare[static_cast<int>(Direction::kNe)][number] = Binary<NotEqual, uint8_t, Z>;
}

}  // namespace

void FillComplex(KernelTable& table) {
  FillComplexLane<float>(table, Lane::kC64);
  FillComplexLane<double>(table, Lane::kC128);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
