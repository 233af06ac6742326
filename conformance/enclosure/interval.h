// Intervals of real and of complex numbers with ends in doubles. Every operation rounds outwards:
// whatever the operands are inside their intervals, the exact result is inside the interval that it
// returns. Where nothing bounds the result, both ends are infinite. Tests: complex_boxes_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_INTERVAL_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_INTERVAL_H_

#include <limits>

namespace assay::conformance {

struct Interval {
  double low = 0, high = 0;

  static Interval Point(double value) { return {value, value}; }
  static Interval Everything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  static Interval Around(double radius) { return {-radius, radius}; }
  bool holds(double value) const { return low <= value && value <= high; }
  bool bounded() const;
  // Return the largest and the least absolute value.
  double magnitude() const;
  double least_magnitude() const;
};

Interval Hull(const Interval& x, const Interval& y);
Interval operator+(const Interval& x, const Interval& y);
Interval operator-(const Interval& x, const Interval& y);
Interval operator-(const Interval& x);
Interval operator*(const Interval& x, const Interval& y);
Interval operator/(const Interval& x, const Interval& y);  // unbounded if y contains zero
Interval Abs(const Interval& x);
Interval Square(const Interval& x);
Interval SquareRoot(const Interval& x);  // the root of the part of x that is not negative
Interval Exponential(const Interval& x);
Interval Logarithm(const Interval& x);  // unbounded if x is not positive
Interval Sine(const Interval& x);
Interval Cosine(const Interval& x);
Interval HyperbolicSine(const Interval& x);
Interval HyperbolicCosine(const Interval& x);
// The angle of (x, y); unbounded if the rectangle touches the origin or the negative axis.
Interval Angle(const Interval& y, const Interval& x);

// Returns true if the interval contains a point `first` + k `period`, or if such a point is so
// close to an end that doubles cannot decide. Both numbers are multiples of pi / 2.
bool MayPass(const Interval& range, double first, double period);

// A rectangle in the complex plane.
struct ComplexInterval {
  Interval re, im;

  static ComplexInterval Point(double value) { return {Interval::Point(value), {}}; }
  bool bounded() const { return re.bounded() && im.bounded(); }
};

ComplexInterval operator+(const ComplexInterval& x, const ComplexInterval& y);
ComplexInterval operator-(const ComplexInterval& x, const ComplexInterval& y);
ComplexInterval operator*(const ComplexInterval& x, const ComplexInterval& y);
ComplexInterval operator/(const ComplexInterval& x, const ComplexInterval& y);
Interval Modulus(const ComplexInterval& z);
ComplexInterval Square(const ComplexInterval& z);
ComplexInterval SquareRoot(const ComplexInterval& z);
ComplexInterval Exponential(const ComplexInterval& z);
ComplexInterval Logarithm(const ComplexInterval& z);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_INTERVAL_H_
