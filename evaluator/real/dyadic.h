// Exact arithmetic on dyadic numbers, significand * 2^exponent, which all finite floats are: sums,
// differences and products stay exact; quotients and square roots are rounded once, straight into
// the pattern of a type. What has such a form needs no widening enclosure, and ties are decided.
// Tests: dyadic_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_DYADIC_H_
#define ASSAY_EVALUATOR_REAL_DYADIC_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "evaluator/real/dd_ball.h"
#include "evaluator/real/exact_sum.h"
#include "spec/element/element_type.h"

namespace assay::evaluator::real {

class Dyadic {
 public:
  using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                                boost::multiprecision::et_off>;

  Dyadic() = default;
  Dyadic(double value);  // NOLINT: finite floats are dyadic numbers
  Dyadic(Integer significand, int64_t exponent);
  // A finite sum.
  explicit Dyadic(const ExactSum& sum);

  bool IsZero() const { return significand_.is_zero(); }
  int Sign() const { return significand_.sign(); }
  // Odd, or zero (then the exponent is zero too).
  const Integer& significand() const { return significand_; }
  int64_t exponent() const { return exponent_; }
  // Returns the exponent e with 2^(e-1) <= |value| < 2^e. Must not be called on zero.
  int64_t top() const;
  // The number of limbs of the significand, which determines the cost of an operation.
  int64_t limbs() const { return static_cast<int64_t>(significand_.backend().size()); }

  Dyadic operator-() const;
  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b);
  friend bool operator==(const Dyadic& a, const Dyadic& b) {
    return a.exponent_ == b.exponent_ && a.significand_ == b.significand_;
  }
  // Returns a / b, which must be a dyadic number.
  static Dyadic ExactQuotient(const Dyadic& a, const Dyadic& b);

 private:
  Integer significand_ = 0;
  int64_t exponent_ = 0;
};

struct ComplexDyadic {
  Dyadic re, im;

  bool IsZero() const { return re.IsZero() && im.IsZero(); }
  ComplexDyadic Conjugate() const { return {re, -im}; }
  // |z|^2.
  Dyadic Norm() const { return re * re + im * im; }
  friend ComplexDyadic operator-(const ComplexDyadic& a, const ComplexDyadic& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend ComplexDyadic operator*(const ComplexDyadic& a, const ComplexDyadic& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// Returns a ball around the value, of radius 0 if 106 bits hold it.
DdBall BallOf(const Dyadic& value);

// Round a value to the bit pattern of the float `type`. An exact zero is +0.
uint64_t RoundDyadic(ElementType type, const Dyadic& value);
// a / b, b not zero.
uint64_t RoundQuotient(ElementType type, const Dyadic& a, const Dyadic& b);
// b + a / sqrt(w), w > 0.
uint64_t RoundWithRoot(ElementType type, const Dyadic& b, const Dyadic& a, const Dyadic& w);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_DYADIC_H_
