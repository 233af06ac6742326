// The values that a rule admits for known operands, computed in long double from the formulas of
// the reference (accuracy_requirements.md 3, ops_structural.md 14). Nothing here uses the code of
// enclosures, so that the tests of widths (width_testing.h) have an independent oracle.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ADMITTED_VALUES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ADMITTED_VALUES_H_

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <vector>

#include "conformance/profiles/profile.h"
#include "spec/element/element.h"

namespace assay::conformance {

using Real = long double;
using Reals = std::vector<Real>;

// The numbers of a type in rising order, addressed by place: place 0 is zero of either sign, place
// 1 is the least positive number.
class Places {
 public:
  explicit Places(ElementType type)
      : type_(type),
        sign_(uint64_t{1} << (Info(type).bits - 1)),
        most_(static_cast<int64_t>(MaxFinite(type))) {}

  Real At(int64_t place) const {
    const Real size = DecodeFloat(type_, static_cast<uint64_t>(std::abs(place)));
    return place < 0 ? -size : size;
  }
  int64_t Of(uint64_t bits) const {
    const auto size = static_cast<int64_t>(bits & (sign_ - 1));
    return (bits & sign_) != 0 ? -size : size;
  }
  Element Bits(int64_t place) const {
    const auto size = static_cast<uint64_t>(std::abs(place));
    return Element{place < 0 ? size | sign_ : size};
  }
  // Return the place of the largest number that is not above x, and of the least number that is not
  // below x.
  int64_t Down(Real x) const { return x < 0 ? -Ceiling(-x) : Floor(x); }
  int64_t Up(Real x) const { return -Down(-x); }
  int64_t Nearest(Real x) const;
  Real Rounded(Real x) const { return At(Nearest(x)); }
  Real Ulp(Real value) const;
  ElementType type() const { return type_; }

 private:
  // Returns the place below a number that is not negative.
  int64_t Floor(Real x) const;
  int64_t Ceiling(Real x) const {
    const int64_t floor = Floor(x);
    return At(floor) < x && floor < most_ ? floor + 1 : floor;
  }

  ElementType type_;
  uint64_t sign_;
  int64_t most_;
};

// The first and the last place of a set of values.
struct PlaceRange {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  bool empty() const { return low > high; }
};
void Join(PlaceRange more, PlaceRange* range);

TargetProfile Strict();

// Returns the values that an ulp budget admits around an exact value.
PlaceRange Budgeted(Opcode opcode, const Places& places, Real exact, bool special = false);
// Returns the number of places by which the interval of a function may exceed the smallest interval
// on one side. The golden value tells neither on which side of it the exact value lies nor on which
// side of a power of two, where the ulp doubles.
int64_t MostOf(Opcode opcode, ElementType type);
// Returns the values to which a number within a distance of the exact one rounds.
PlaceRange Rounded(const Places& places, Real exact, Real distance);
// Returns the numbers of the type within a distance of the exact one, and the number that the exact
// one rounds to.
PlaceRange Within(const Places& places, Real exact, Real distance);
// Returns the values of a sum in f32 whose error is at most n u sum|terms|, plus the underflow of
// products if `products` is true.
PlaceRange Summed(const Places& places, const Reals& terms, bool products);
// gam(k) of ops_structural.md 14.2.
Real GammaOf(Real k, Real u);

// Arithmetic on sets of numbers of a type. Returns all results of operations that round to nearest,
// and of functions whose error is within their budget.
class RoundedArithmetic {
 public:
  explicit RoundedArithmetic(ElementType type) : places_(type) {}

  Reals Add(const Reals& x, const Reals& y) const;
  Reals Subtract(const Reals& x, const Reals& y) const;
  Reals Multiply(const Reals& x, const Reals& y) const;
  Reals MultiplyAdd(const Reals& x, const Reals& y, const Reals& z) const;  // rounded once
  Reals Divide(const Reals& x, const Reals& y) const;
  Reals Apply(Opcode opcode, Real (*exact)(Real), const Reals& x) const;
  const Places& places() const { return places_; }

 private:
  const Places places_;
};
Reals Union(Reals x, const Reals& y);
// Returns the values of combining the terms in any order.
Reals InAnyOrder(const std::vector<Reals>& terms,
                 const std::function<Reals(const Reals&, const Reals&)>& combine);
// Returns the range of the places of the values, rounded to the type.
PlaceRange RangeOfValues(const Places& places, const Reals& values);
// Return the values of sums of numbers, and of sums of products of pairs, in any order in f32. A
// product may be added before it is rounded.
Reals SumsOf(const Reals& terms);
Reals DotsOf(const Reals& factors);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ADMITTED_VALUES_H_
