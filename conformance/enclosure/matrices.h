// Overloads and templates that let systems and factorisations treat real and complex intervals
// alike. Tests: linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_MATRICES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_MATRICES_H_

#include <vector>

#include "conformance/enclosure/interval.h"
#include "conformance/enclosure/interval_array.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/residuals.h"

namespace assay::conformance {

// Return the largest and the least absolute value.
inline double Most(const Interval& x) { return x.magnitude(); }
inline double Most(const ComplexInterval& z) { return Modulus(z).high; }
inline double Least(const Interval& x) { return x.least_magnitude(); }
inline double Least(const ComplexInterval& z) { return Modulus(z).low; }

inline Interval Conjugate(const Interval& x) { return x; }
inline ComplexInterval Conjugate(const ComplexInterval& z) { return {z.re, -z.im}; }
inline const Interval& RealPart(const Interval& x) { return x; }
inline const Interval& RealPart(const ComplexInterval& z) { return z.re; }
inline ComplexInterval Hull(const ComplexInterval& x, const ComplexInterval& y) {
  return {Hull(x.re, y.re), Hull(x.im, y.im)};
}
// x conj(x).
inline Interval SquaredModulus(const Interval& x) { return Square(x); }
inline ComplexInterval SquaredModulus(const ComplexInterval& z) {
  return {Square(z.re) + Square(z.im), {}};
}

// Returns an interval of all numbers within the radius of zero.
template <typename Number>
Number Disc(double radius);
template <>
inline Interval Disc(double radius) {
  return Interval::Around(radius);
}
template <>
inline ComplexInterval Disc(double radius) {
  return {Interval::Around(radius), Interval::Around(radius)};
}
template <typename Number>
Number Everything() {
  return Disc<Number>(kInfinity);
}

// Reads the elements of a box as intervals and stores the elements of a result.
template <typename Number>
class Numbers;
template <>
class Numbers<Interval> {
 public:
  explicit Numbers(const Box& box) : parts_(box) {}
  Interval operator[](int64_t i) const { return parts_[i]; }
  static void Store(int64_t i, const Interval& x, std::vector<Interval>* parts) { (*parts)[i] = x; }

 private:
  const IntervalArray parts_;
};
template <>
class Numbers<ComplexInterval> {
 public:
  explicit Numbers(const Box& box) : parts_(box) {}
  ComplexInterval operator[](int64_t i) const { return {parts_[2 * i], parts_[2 * i + 1]}; }
  static void Store(int64_t i, const ComplexInterval& z, std::vector<Interval>* parts) {
    (*parts)[2 * i] = z.re;
    (*parts)[2 * i + 1] = z.im;
  }

 private:
  const IntervalArray parts_;
};
// Returns unbounded intervals for the parts of an array's elements.
inline std::vector<Interval> UnknownParts(const Shape& shape) {
  return std::vector<Interval>(shape.element_count() * (IsComplex(shape.element_type()) ? 2 : 1),
                               Interval::Everything());
}

// Calls function(Interval{}) or function(ComplexInterval{}).
template <typename Function>
auto OfNumbers(ElementType type, Function function) {
  return IsComplex(type) ? function(ComplexInterval{}) : function(Interval{});
}

// The sizes of a batch of matrices that follow each other in memory.
struct Batch {
  explicit Batch(const Shape& shape)
      : rows(shape.dimension(shape.rank() - 2)),
        columns(shape.dimension(shape.rank() - 1)),
        size(rows * columns),
        count(size == 0 ? 0 : shape.element_count() / size) {}
  int64_t rows, columns, size, count;
};

// The limits of an element type during a factorisation.
struct NumberRange {
  NumberRange(ElementType type, const TargetProfile& profile)
      : unit(UnitRoundoff(Info(type).component)),
        least(LostToUnderflow(profile, Info(type).component)),
        largest(DecodeFloat(Info(type).component, MaxFinite(Info(type).component))) {}

  // Returns rest / divisor. A target may compute a complex quotient as rest conj(divisor) /
  // |divisor|^2, whose intermediate results must be in range.
  Interval Quotient(const Interval& rest, const Interval& divisor) const { return rest / divisor; }
  ComplexInterval Quotient(const ComplexInterval& rest, const ComplexInterval& divisor) const {
    const double size = Most(divisor), small = Least(divisor);
    const bool fits = 2 * size * size <= largest && 2 * size * Most(rest) <= largest &&
                      small * small * unit * unit >= 4 * least;
    if (!fits) return Everything<ComplexInterval>();
    return (rest + Disc<ComplexInterval>(4 * least / small)) / divisor;
  }

  double unit;
  double least;  // the largest absolute error of one operation below the normal values
  double largest;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_MATRICES_H_
