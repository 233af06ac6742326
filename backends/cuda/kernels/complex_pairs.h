// Complex functions of two operands: powers and atan2. Branch cuts are decided by exact signs of
// sums of products, angles of many turns by fixed-point numbers. Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_PAIRS_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_PAIRS_H_

#include "backends/cuda/kernels/wide.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// An angle as eighths of a turn and a rest of at most a sixteenth, so that multiples of the former
// can be reduced exactly.
struct SplitAngle {
  int eighths = 0;
  Pair rest;
};
ASSAY_DEVICE SplitAngle SplitAngleOf(Complex z) {
  const double x = Magnitude(z.re), y = Magnitude(z.im);
  SplitAngle angle;
  if (y <= 0.4 * x) {
    angle.rest = AnglePair({y, 0}, {x, 0});
  } else if (x <= 0.4 * y) {
    angle = {2, -AnglePair({x, 0}, {y, 0})};
  } else {
    const int e = ExponentOf(x > y ? x : y);
    const Pair a = {Scale(x, -e), 0}, b = {Scale(y, -e), 0};
    angle = {1, x == y ? Pair{0, 0} : AnglePair(b - a, a + b)};
  }
  if (SignBit(z.re)) angle = {4 - angle.eighths, -angle.rest};
  if (SignBit(z.im)) angle = {-angle.eighths, -angle.rest};
  return angle;
}
// Sine and cosine of w eighths of a turn, so many times, and an angle.
ASSAY_DEVICE SinCos SinCosOfEighths(int times, double w, Pair angle) {
  // The eighths, modulo a turn, and their fraction.
  const Pair product = ExactProduct(Remainder(w, 8), times);
  const double eighths = Remainder(product.high, 8);
  const double whole = NearestInteger(eighths);
  const Pair fraction = ExactSum(eighths - whole, product.low);
  const SinCos at = SinCosOf(Times(HalfPi(), 0.5) * fraction + angle);
  const Pair diagonal = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};  // the root of 1/2
  SinCos turn;
  switch (static_cast<int>(whole) & 7) {
    case 0:
      turn = {{0, 0}, {1, 0}};
      break;
    case 1:
      turn = {diagonal, diagonal};
      break;
    case 2:
      turn = {{1, 0}, {0, 0}};
      break;
    case 3:
      turn = {diagonal, -diagonal};
      break;
    case 4:
      turn = {{0, 0}, {-1, 0}};
      break;
    case 5:
      turn = {-diagonal, -diagonal};
      break;
    case 6:
      turn = {{-1, 0}, {0, 0}};
      break;
    default:
      turn = {-diagonal, diagonal};
  }
  return {at.sin * turn.cos + at.cos * turn.sin, at.cos * turn.cos - at.sin * turn.sin};
}

ASSAY_DEVICE double LargerOf(double x, double y) {
  return Magnitude(x) > Magnitude(y) ? Magnitude(x) : Magnitude(y);
}
ASSAY_DEVICE_CALL Complex Power(Complex z, Complex w) {
  if (w.re == 0 && w.im == 0) return {1, 0};
  if (z.re == 1 && z.im == 0) return {1, 0};
  if (z.re == 0 && z.im == 0) {
    return w.im == 0 && w.re > 0 ? Complex{0, 0} : NanComplex();
  }
  if (z.re == InfinityValue() && z.im == 0 && w.im == 0 && !IsNanValue(w.re)) {
    return {w.re > 0 ? InfinityValue() : 0, 0};
  }
  if (!IsFiniteComplex(z) || !IsFiniteComplex(w)) return NanComplex();
  const ComplexPair log = LogPair(Exactly(z));
  const SplitAngle split = SplitAngleOf(z);
  const double most = LargerOf(split.rest.high * w.re, log.re.high * w.im);
  const bool cancels = Magnitude(log.re.high) < 0x1p-20 && LargerOf(w.re, w.im) > 0x1p40;
  const ComplexPair product = Multiply(log, Exactly(w));
  Pair size = product.re;
  // Logarithms and angles are precise to about 2^-64: too little for angles of many turns, and for
  // the modulus where large terms cancel. Where they do not, it is beyond the range.
  bool precise = most < 0x1p7 && !cancels;
  const double term = LargerOf(log.re.high * w.re, log.im.high * w.im);
  if (!(term < 0x1p11)) {
    const double estimate = log.re.high * w.re - log.im.high * w.im;
    precise = precise && Magnitude(estimate) > LargerOf(2000, 0x1p-40 * term);
    size = {estimate > 0 ? 1900.0 : -1900.0, 0};
  } else if (Magnitude(size.high) > 1900) {
    size = {size.high > 0 ? 1900.0 : -1900.0, 0};
  }
  if (!precise) return WidePower(z, w);
  const SinCos angle = SinCosOfEighths(split.eighths, w.re, split.rest * w.re + log.re * w.im);
  const Scaled e = ExpScaled(size);
  return FinishScaled({e.value * angle.cos, e.value * angle.sin}, e.exponent);
}

// The sign of a b + c d of finite numbers: -1, 0 or 1.
ASSAY_DEVICE int SignOfProduct(double a, double b) {
  if (a == 0 || b == 0) return 0;
  return SignBit(a) == SignBit(b) ? 1 : -1;
}
ASSAY_DEVICE_CALL int SignOfSum(double a, double b, double c, double d) {
  const int first = SignOfProduct(a, b), second = SignOfProduct(c, d);
  if (first == 0 || second == 0 || first == second) return first != 0 ? first : second;
  const Parts p = Split(a), q = Split(b), r = Split(c), s = Split(d);
  const int apart = p.exponent + q.exponent - r.exponent - s.exponent;
  if (apart > 2 || apart < -2) return apart > 0 ? first : second;
  const Pair x = Times(ExactProduct(p.mantissa, q.mantissa), PowerOfTwo(apart));
  const Pair y = ExactProduct(r.mantissa, s.mantissa);
  if (x.high != y.high) return x.high > y.high ? first : second;
  if (x.low == y.low) return 0;
  return x.low > y.low ? first : second;
}

// a + b of complex numbers, halved where the sum is beyond the range.
struct ComplexSum {
  ComplexPair value;
  bool halved = false;
};
ASSAY_DEVICE ComplexSum ExactComplexSum(Complex a, Complex b) {
  ComplexSum sum = {{ExactSum(a.re, b.re), ExactSum(a.im, b.im)}, false};
  if (!IsFiniteValue(sum.value.re.high) || !IsFiniteValue(sum.value.im.high)) {
    sum = {{ExactSum(0.5 * a.re, 0.5 * b.re), ExactSum(0.5 * a.im, 0.5 * b.im)}, true};
  }
  return sum;
}

// What atan2 of complex numbers is made of: p = x + i y and m = x - i y, whose product is
// s = x^2 + y^2. The result is -i log(p / sqrt(s)), and (p / sqrt(s))^2 = p / m.
struct AtanParts {
  ComplexSum p, m;
  int ex = 0, ey = 0;
  bool below = false;  // the side of the cut on which s lies, as the sign of its imaginary part
  int slope = 0;       // the sign of the imaginary part of p / m, which is exact, too
};
ASSAY_DEVICE_CALL AtanParts AtanPartsOf(Complex y, Complex x) {
  AtanParts parts;
  parts.p = ExactComplexSum(x, TurnLeft(y));
  parts.m = ExactComplexSum(x, TurnRight(y));
  parts.ex = ExponentOf(Exactly(x));
  parts.ey = ExponentOf(Exactly(y));
  const int side = SignOfSum(x.re, x.im, y.re, y.im);
  parts.below = side < 0;
  // On the axis the zeros of both squares tell the side.
  if (side == 0) {
    parts.below = (x.re == 0 || x.im == 0) && SignBit(x.re) != SignBit(x.im) &&
                  SignBit(y.re) != SignBit(y.im);
  }
  parts.slope = SignOfSum(x.re, y.re, x.im, y.im);
  return parts;
}
// The angle of p less half the angle of s. The angles of p and m add up to that of s or to a turn
// more or less; it is an angle of p / sqrt(s) that is wanted, from -pi to pi.
ASSAY_DEVICE Pair AtanAngle(const AtanParts& parts) {
  const Pair p = AnglePair(parts.p.value.im, parts.p.value.re);
  const Pair m = AnglePair(parts.m.value.im, parts.m.value.re);
  const double sum = p.high + m.high;
  int turns = 0;
  if (Magnitude(sum) > 3.6) {
    turns = sum > 0 ? 1 : -1;
  } else if (Magnitude(sum) > 2.6) {  // the side of the cut is known exactly
    turns = sum > 0 ? (parts.below ? 1 : 0) : (parts.below ? 0 : -1);
  }
  Pair angle = Times(p - m, 0.5) + Pi() * static_cast<double>(turns);
  const Pair turn = Times(Pi(), 2);
  if (angle.high > 3.6) angle = angle - turn;
  if (angle.high < -3.6) angle = angle + turn;
  if (Magnitude(angle.high) > 2.6) {
    if (parts.slope > 0 && angle.high > 0) angle = angle - turn;
    if (parts.slope < 0 && angle.high < 0) angle = angle + turn;
    if (parts.slope == 0) angle = Pi();
  }
  return angle;
}
// The real part of atan(y / x) for a y that is small beside x: half the angle of p / m, which is
// a positive number times |x|^2 - |y|^2 + 2 i Re(x conj(y)).
ASSAY_DEVICE double SmallAngle(const AtanParts& parts, ComplexPair y, ComplexPair x) {
  const int apart = parts.ey - parts.ex;
  const Pair slope = x.re * y.re + x.im * y.im, square = x.re * x.re + x.im * x.im;
  if (apart < -60) return Scale(Rounded(slope / square), apart);
  const double power = PowerOfTwo(apart);
  const Pair rest = Times(y.re * y.re + y.im * y.im, power * power);
  return Rounded(Times(AnglePair(Times(slope, 2 * power), square - rest), 0.5));
}
// log|m / p|, as half the logarithm of |m|^2 / |p|^2 = 1 + 4 (x_re y_im - x_im y_re) / |p|^2.
ASSAY_DEVICE double AtanHeight(const AtanParts& parts, ComplexPair y, ComplexPair x) {
  const int larger = parts.ex > parts.ey ? parts.ex : parts.ey;
  const ComplexPair p = Scaled2(parts.p.value, (parts.p.halved ? 1 : 0) - larger);
  const ComplexPair m = Scaled2(parts.m.value, (parts.m.halved ? 1 : 0) - larger);
  if (ExponentOf(p) < -10 || ExponentOf(m) < -10) {
    const Pair two = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    Pair log = LogPair(parts.m.value).re - LogPair(parts.p.value).re;
    if (parts.m.halved) log = log + two;
    if (parts.p.halved) log = log - two;
    return Rounded(Times(log, 0.5));
  }
  const int apart = parts.ex + parts.ey - 2 * larger;
  const Pair cross = x.re * y.im - x.im * y.re;
  const bool positive = !SignBit(cross.high);
  const ComplexPair divisor = positive ? p : m;
  const Pair square = divisor.re * divisor.re + divisor.im * divisor.im;
  if (apart < -60) return Scale(Rounded(cross / square), apart);
  const Pair excess = Times((positive ? cross : -cross) / square, 4 * PowerOfTwo(apart));
  const Pair log = Times(Log1pPair(excess), 0.25);
  return Rounded(positive ? log : -log);
}
// -i log((x + i y) / sqrt(x^2 + y^2)).
ASSAY_DEVICE_CALL Complex Atan2(Complex y, Complex x) {
  if (y.im == 0 && x.im == 0) return {Atan2(y.re, x.re), 0};
  if (!IsFiniteComplex(y) || !IsFiniteComplex(x)) return NanComplex();
  const AtanParts parts = AtanPartsOf(y, x);
  if (ExponentOf(parts.p.value) < -1074 || ExponentOf(parts.m.value) < -1074) return NanComplex();
  const ComplexPair near_y = Scaled2(Exactly(y), -parts.ey);
  const ComplexPair near_x = Scaled2(Exactly(x), -parts.ex);
  const Pair angle = AtanAngle(parts);
  double re = Rounded(angle);
  if (parts.ey - parts.ex < -1) {  // the difference of two angles would cancel
    const double small = SmallAngle(parts, near_y, near_x);
    re = small;
    if (Magnitude(angle.high) > 1.6) {  // on the other side, and from -pi to pi
      re = small - WithSign(Pi().high, parts.slope < 0 || parts.slope == 0);
    }
  }
  return {re, AtanHeight(parts, near_y, near_x)};
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_PAIRS_H_
