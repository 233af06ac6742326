// Complex roots, the modulus, and the inverses of the trigonometric and hyperbolic functions by the
// formulas of Kahan, which hold at the branch cuts (ops_elementwise_and_types.md 6.12). Numbers
// beyond 2^400 are so large that 1 beside them is nothing.
// Included by sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_INVERSES_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_INVERSES_H_

#include "backends/cpu/vector/kernels/complex_logarithms.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

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
  const Pair first = TwoProduct(Shifted(a, -scales[0]), Shifted(b, -scales[1]));
  const Pair second = TwoProduct(Shifted(c, -scales[2]), Shifted(d, -scales[3]));
  const double lead = scales[0] + scales[1] - scales[2] - scales[3];
  if (first.hi == 0 || second.hi == 0) return first.hi + second.hi;
  if (lead > 100 || lead < -100) return lead > 0 ? first.hi : second.hi;
  return High(Scaled(first, PowerOfTwo(lead)) + second);
}

// Positive if an angle beside pi is +pi, negative if it is -pi: the imaginary part of p / s, of
// which rounding may leave nothing beside the real one, has the opposite sign of that of p / m,
// which is that of y_r x_r + y_i x_i. On the axis, where it is an exact zero, the angle is +pi.
double SideOfTheCut(Point y, Point x) {
  const double lean = SignOfProducts(y.re, x.re, y.im, x.im);
  return lean == 0 ? 1 : -lean;
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
  PairPoint quotient = p / Root(sum_of_squares);
  if (quotient.re.hi < 0 && Magnitude(quotient.im.hi) < -0x1p-80 * quotient.re.hi) {
    quotient.im.hi = WithSign(quotient.im.hi, SideOfTheCut(y, x));
  }
  const Pair re = Argument(quotient.im, quotient.re);
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
    const double side = sum.re.hi == 0 ? SideOfTheCut(y, x) : -sum.re.hi;
    const double turn = quotient.re.hi > 0 ? 0 : WithSign(polynomials::kPi[0], side);
    return {turn == 0 ? angle : turn + angle, ScaledValue(sum.im, n < -1090 ? -1090 : n)};
  }
  const Pair cross = Scaled(u.re * v.im - u.im * v.re, 4);
  const bool positive = cross.hi >= 0;
  const Pair divisor = positive ? p_square : m_square;
  const Pair log = LogOnePlus((positive ? cross : -cross) / divisor);
  return {re.hi, High(Scaled(positive ? log : -log, 0.25))};
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_COMPLEX_INVERSES_H_
