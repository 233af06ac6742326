// Elementary functions on binary floats of W bits, from + - * / sqrt and long constants alone.
//
// Every function here has a relative error below 2^-(W - 64) on the arguments it documents; the
// claims behind it are at each function (an operation contributes 2^-W, "units" are 2^-W relative).
// Boost's own functions are not used: its trigonometric reduction is wrong for large arguments.
// Source: reference accuracy_design.md 4 and 7. Tests: big_tier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_BIG_MATH_H_
#define ASSAY_EVALUATOR_REAL_BIG_MATH_H_

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "evaluator/real/big_constants.h"

namespace assay::evaluator::real {

template <int kBits>
class BigMath {
 public:
  using Integer = boost::multiprecision::cpp_int;
  using Float = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<kBits, boost::multiprecision::digit_base_2, void, int>,
      boost::multiprecision::et_off>;

  // The interface that ball.h requires.
  static Float Abs(const Float& x) { return fabs(x); }
  static Float Sqrt(const Float& x) { return sqrt(x); }
  static Float Scale(const Float& x, int exponent) { return ldexp(x, exponent); }
  static Float Infinity() { return std::numeric_limits<Float>::infinity(); }
  static const Float& kRoundoff() {
    static const Float value = ldexp(Float(1), 1 - kBits);
    return value;
  }
  static const Float& kFunctionError() {
    static const Float value = ldexp(Float(1), 64 - kBits);
    return value;
  }
  static double kUnderflow() { return 0; }

  static const Float& Pi() {
    static const Float value = Constant(PiInteger());
    return value;
  }
  static const Float& Ln2() {
    static const Float value = Constant(Ln2Integer());
    return value;
  }

  // Any x; beyond +-kExpLimit the value is that of the limit, out of every type's range.
  // r = x - k ln 2 is off by |k| <= 2^15 units; 16 squarings multiply the error by 2^16: below 2^34
  // units in all.
  static Float Exp(const Float& x) {
    const Float y = x > kExpLimit ? Float(kExpLimit) : x < -kExpLimit ? Float(-kExpLimit) : x;
    const int k = static_cast<int>(std::lround(static_cast<double>(y) * 1.4426950408889634));
    Float r = ldexp(Float(y - k * Ln2()), -kSquarings);
    Float power = Expm1Series(r) + 1;
    for (int i = 0; i < kSquarings; ++i) power *= power;
    return ldexp(power, k);
  }
  // The difference loses at most 11 bits.
  static Float Expm1(const Float& x) {
    return fabs(x) < kSmall ? Expm1Series(x) : Float(Exp(x) - 1);
  }
  // x > 0. Halley's step triples the correct bits; the last one inherits the error of Exp, at most
  // 2^34 units absolute, against |log| > 2^-11 outside the series.
  static Float Log(const Float& x) {
    int exponent;
    Float m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
      m *= 2;
      --exponent;
    }
    const Float t = m - 1;  // exact
    Float log_m;
    if (fabs(t) < kSmall) {
      log_m = Log1pSeries(t);
    } else {
      log_m = std::log(static_cast<double>(m));
      for (int correct = 48; correct < kBits; correct *= 3) {
        const Float e = Exp(log_m);
        log_m += 2 * (m - e) / (m + e);
      }
    }
    // No cancellation: |log m| < 0.35 and ln 2 > 0.69.
    return exponent == 0 ? log_m : Float(log_m + exponent * Ln2());
  }
  // x > -1.
  static Float Log1p(const Float& x) {
    return fabs(x) < kSmall ? Log1pSeries(x) : Log(Float(1 + x));
  }

  // sin and cos of x * 2^scale, x a double. Reduction leaves |r| <= pi/4 to 2^-(W + 60) relative:
  // the product with 2/pi is off by 2^(1024 - kConstantBits + 3) at most, and no double is closer
  // to a multiple of pi/2 than 2^-62.
  static void SinCos(double x, int scale, Float& sine, Float& cosine) {
    Float r = ldexp(Float(x), scale);
    unsigned quadrant = 0;
    if (fabs(r) > 0.785) r = Reduce(x, scale, quadrant);
    Float s, c;
    SinCosSeries(r, s, c);
    Place(quadrant, s, c, sine, cosine);
  }

  // sin and cos of any x, with an absolute error bound: x minus a multiple of a rounded pi/2.
  static void SinCosOf(const Float& x, Float& sine, Float& cosine, Float& error) {
    if (!(fabs(x) < ldexp(Float(1), kBits / 4 * 3))) {
      sine = cosine = 0;
      error = 1;
      return;
    }
    const Float half_pi = Pi() / 2;
    const Float turns = round(Float(x / half_pi));
    Float s, c;
    SinCosSeries(Float(x - turns * half_pi), s, c);
    Place(static_cast<unsigned>(static_cast<Integer>(turns) & 3), s, c, sine, cosine);
    error = (fabs(x) + 1) * ldexp(Float(1), 16 - kBits);
  }

  // Any t. Halving is stable and keeps the relative error; fewer than 16 steps of 8 units.
  static Float Atan(const Float& t) {
    if (t < 0) return -Atan(Float(-t));
    if (t > 1) return Pi() / 2 - Atan(Float(1 / t));
    Float r = t;
    int halvings = 0;
    while (r > 0x1p-8) {
      r /= 1 + sqrt(Float(1 + r * r));
      ++halvings;
    }
    const Float square = r * r;
    Float power = r, sum = r;
    for (int k = 3; fabs(power) > Float(ldexp(fabs(sum), -kBits - 4)); k += 2) {
      power *= -square;
      sum += power / k;
    }
    return ldexp(sum, halvings);
  }
  // Finite, not both zero.
  static Float Atan2(const Float& y, const Float& x) {
    const Float size_y = fabs(y);
    Float angle;
    if (x == 0) {
      angle = Pi() / 2;
    } else {
      angle = Atan(Float(size_y / fabs(x)));
      if (x < 0) angle = Pi() - angle;
    }
    // Of a zero y, too: -0 is the other side of the cut.
    return signbit(y) ? Float(-angle) : angle;
  }

  static Float Sinh(const Float& x) {
    const Float e = Expm1(fabs(x));
    const Float value = (e + e / (e + 1)) / 2;
    return x < 0 ? Float(-value) : value;
  }
  static Float Cosh(const Float& x) {
    const Float e = Exp(fabs(x));
    return (e + 1 / e) / 2;
  }

  // |x| < 8. All terms are positive, so nothing cancels; the tail is below the last term because
  // 2 x^2 / (2 n + 1) < 1/2 there. exp(-x^2) has 2^34 units.
  static Float Erf(const Float& x) {
    const Float twice_square = 2 * x * x;
    Float term = 1, sum = 1;
    for (int n = 1; term > ldexp(sum, -kBits - 4) || 4 * twice_square > 2 * n + 1; ++n) {
      term *= twice_square;
      term /= 2 * n + 1;
      sum += term;
    }
    return 2 * x * Exp(Float(-x * x)) * sum / sqrt(Pi());
  }

 private:
  static constexpr int kExpLimit = 20000;
  static constexpr int kSquarings = 16;
  static constexpr double kSmall = 0x1p-10;

  static Float Constant(const Integer& scaled) { return ldexp(Float(scaled), -kConstantBits); }

  // |x| <= 2^-10: each term gains 10 bits or more.
  static Float Expm1Series(const Float& x) {
    Float term = x, sum = x;
    for (int n = 2; fabs(term) > ldexp(fabs(sum), -kBits - 4); ++n) {
      term *= x;
      term /= n;
      sum += term;
    }
    return sum;
  }
  // log(1 + x) = 2 artanh(x / (2 + x)), |x| <= 2^-10: all terms have one sign.
  static Float Log1pSeries(const Float& x) {
    const Float s = x / (2 + x);
    const Float square = s * s;
    Float power = s, sum = s;
    for (int k = 3; fabs(power) > ldexp(fabs(sum), -kBits - 4); k += 2) {
      power *= square;
      sum += power / k;
    }
    return 2 * sum;
  }
  // |r| < 0.8: alternating series whose first term dominates.
  static void SinCosSeries(const Float& r, Float& s, Float& c) {
    const Float square = -r * r;
    Float term = 1;
    s = 0;
    c = 0;
    for (int n = 1; term != 0 && (n < 4 || fabs(term) > Float(ldexp(Float(1), -kBits - 8)));
         n += 2) {
      c += term;
      term /= n;
      s += term;  // sin r / r
      term *= square / (n + 1);
    }
    s *= r;
  }
  // Computes sin and cos of r + quadrant * pi/2 from those of r.
  static void Place(unsigned quadrant, const Float& s, const Float& c, Float& sine, Float& cosine) {
    sine = quadrant & 1 ? c : s;
    cosine = quadrant & 1 ? s : c;
    if (quadrant & 2) sine = -sine;
    if (quadrant == 1 || quadrant == 2) cosine = -cosine;
  }
  // x * 2^scale - quadrant * pi/2, quadrant modulo 4.
  static Float Reduce(double x, int scale, unsigned& quadrant) {
    int exponent;
    const double fraction = std::frexp(x, &exponent);
    const auto significand = static_cast<int64_t>(std::ldexp(fraction, 53));
    const int shift = kConstantBits - (exponent - 53 + scale);
    const Integer product = TwoOverPiInteger() * std::abs(significand);
    Integer turns = (product + (Integer(1) << (shift - 1))) >> shift;
    const Integer rest = product - (turns << shift);
    const unsigned q = static_cast<unsigned>(turns & 3);
    Float r = ldexp(Float(rest), -shift) * (Pi() / 2);
    quadrant = x < 0 ? (4 - q) & 3 : q;
    return x < 0 ? Float(-r) : r;
  }
};

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_BIG_MATH_H_
