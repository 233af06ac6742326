// Numbers of about 106 bits as sums of two doubles, with a bound on the error of every operation.
// They are the first tier of long computations (factorisations, Fourier transforms), at a few
// nanoseconds per operation.
//
// The exact value lies within `rad` of hi + lo, and |lo| <= 2^-53 |hi|. Bounds are computed from
// the actual rounding errors, so exact operations keep rad = 0: small integers stay exact, and ties
// among them are decided here. Infinities and NaN have a radius that is not finite.
//
// Proof. TwoSum and TwoProduct are free of error except where a product comes near underflow. A
// bound is a sum of at most eight rounded terms, each below 2^-53 relative; Up() makes up for them,
// and for |value| <= (1 + 2^-52) |hi|, by 2^-48, and for the underflow of a term by 2^-1000, which
// nothing loses where products stay above 2^-960. Tests: dd_tier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_DD_BALL_H_
#define ASSAY_EVALUATOR_REAL_DD_BALL_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluator/real/enclosure.h"
#include "spec/element/element_type.h"

namespace assay::evaluator::real {

// a + b = sum + error.
inline double TwoSum(double a, double b, double& error) {
  const double sum = a + b;
  const double z = sum - a;
  error = (a - (sum - z)) + (b - z);
  return sum;
}

// a * b = product + error.
inline double TwoProduct(double a, double b, double& error) {
  const double product = a * b;
#if defined(__FP_FAST_FMA)
  error = __builtin_fma(a, b, -product);
#else
  constexpr double kSplitter = 134217729;  // 2^27 + 1
  const double ca = a * kSplitter, cb = b * kSplitter;
  const double ah = ca - (ca - a), bh = cb - (cb - b);
  const double al = a - ah, bl = b - bh;
  error = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
#endif
  return product;
}

struct DdBall {
  double hi = 0, lo = 0, rad = 0;

  DdBall() = default;
  DdBall(double exact) : hi(exact) {}  // NOLINT: numbers are balls
  DdBall(double high, double low, double radius) : hi(high), lo(low), rad(radius) {}
  static DdBall Unknown() { return {0, 0, std::numeric_limits<double>::infinity()}; }
  // Returns a radius above `bound`, which is the rounded sum of a few terms.
  static double Up(double bound) { return bound * (1 + 0x1p-48) + 0x1p-1000; }

  bool IsZero() const { return hi == 0 && rad == 0; }
  // Returns true if every number of the ball is positive; false for NaN.
  bool IsPositive() const { return hi > rad * (1 + 0x1p-48); }
  bool IsNegative() const { return -hi > rad * (1 + 0x1p-48); }
  bool MayBeZero() const { return !IsPositive() && !IsNegative(); }

  DdBall operator-() const { return {-hi, -lo, rad}; }
  friend DdBall operator+(const DdBall& a, const DdBall& b) {
    double e, f, g, low, h, k;
    const double s = TwoSum(a.hi, b.hi, e);
    const double t = TwoSum(a.lo, b.lo, f);
    const double c = TwoSum(e, t, g);
    const double high = TwoSum(s, c, low);
    low = TwoSum(low, TwoSum(f, g, h), k);
    DdBall sum;
    sum.hi = TwoSum(high, low, sum.lo);
    // Additions never underflow: no bound needs more than the factor.
    sum.rad = (a.rad + b.rad + std::fabs(h) + std::fabs(k)) * (1 + 0x1p-48);
    return sum;
  }
  friend DdBall operator-(const DdBall& a, const DdBall& b) { return a + -b; }
  friend DdBall operator*(const DdBall& a, const DdBall& b) {
    if (a.IsZero() || b.IsZero()) return DdBall();
    double e, g;
    const double p = TwoProduct(a.hi, b.hi, e);
    const double c1 = a.hi * b.lo, c2 = a.lo * b.hi;
    DdBall product;
    product.hi = TwoSum(p, TwoSum(e, c1 + c2, g), product.lo);
    const double low_parts = std::fabs(a.lo) + std::fabs(b.lo);
    if (low_parts + a.rad + b.rad == 0 && std::fabs(p) >= 0x1p-960) return product;
    const double cut =
        std::fabs(g) + (std::fabs(c1) + std::fabs(c2)) * 0x1p-52 + std::fabs(a.lo * b.lo);
    product.rad = Up(cut + std::fabs(a.hi) * b.rad + a.rad * (std::fabs(b.hi) + b.rad));
    return product;
  }
  // The remainder a - q b bounds the error of the quotient q.
  friend DdBall operator/(const DdBall& a, const DdBall& b) {
    const double size = std::fabs(b.hi) - b.rad * (1 + 0x1p-40);
    if (!(size > std::fabs(b.hi) * 0.5)) return Unknown();
    if (a.IsZero()) return DdBall();
    DdBall quotient;
    const double q1 = a.hi / b.hi;
    const DdBall rest = a - b * q1;
    const double q2 = rest.hi / b.hi;
    quotient.hi = TwoSum(q1, q2, quotient.lo);
    quotient.rad = ErrorOf(rest - b * q2, size);
    return quotient;
  }
  // |sqrt(a) - r| = |a - r^2| / (sqrt(a) + r).
  friend DdBall Sqrt(const DdBall& a) {
    if (a.IsZero()) return a;
    if (!a.IsPositive()) return Unknown();
    DdBall root;
    const double r1 = std::sqrt(a.hi);
    const double r2 = (a - DdBall(r1) * r1).hi / (2 * r1);
    root.hi = TwoSum(r1, r2, root.lo);
    root.rad = ErrorOf(a - root * root, root.hi);
    return root;
  }

 private:
  // |rest| / size, rounded up.
  static double ErrorOf(const DdBall& rest, double size) {
    return rest.IsZero() ? 0 : Up((std::fabs(rest.hi) + rest.rad) / size * (1 + 0x1p-48));
  }
};

// Returns the bit patterns to which both ends round in the float `type`; unknown unless the ball is
// finite. The middle is not set, because this is never the last tier.
Ends RoundBall(ElementType type, const DdBall& ball);

// A complex number whose parts are numbers or balls.
template <class Real>
struct ComplexOf {
  Real re, im;

  ComplexOf() = default;
  ComplexOf(const Real& real, const Real& imaginary) : re(real), im(imaginary) {}
  ComplexOf(const Real& real) : re(real) {}  // NOLINT: real numbers are complex
  ComplexOf(double real) : re(real) {}       // NOLINT

  bool IsZero() const { return re.IsZero() && im.IsZero(); }
  ComplexOf operator-() const { return {-re, -im}; }
  friend ComplexOf operator+(const ComplexOf& a, const ComplexOf& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend ComplexOf operator-(const ComplexOf& a, const ComplexOf& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend ComplexOf operator*(const ComplexOf& a, const ComplexOf& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend ComplexOf operator/(const ComplexOf& a, const Real& b) { return {a.re / b, a.im / b}; }
  friend ComplexOf operator/(const ComplexOf& a, const ComplexOf& b) {
    return a * Conjugate(b) / NormOf(b);
  }
  friend ComplexOf Conjugate(const ComplexOf& a) { return {a.re, -a.im}; }
  // |a|^2.
  friend Real NormOf(const ComplexOf& a) { return a.re * a.re + a.im * a.im; }
};

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_DD_BALL_H_
