// Results that no enclosure can decide, or that integers decide faster: exact cases of power,
// roots, and arguments so small that only the sign of the next term of the series matters.
// Source: reference accuracy_design.md 6. Tests: real_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_EXACT_CASES_H_
#define ASSAY_EVALUATOR_REAL_EXACT_CASES_H_

#include <cstdint>
#include <optional>

#include "evaluator/real/real_functions.h"
#include "spec/element/element.h"

namespace assay::evaluator::real {

// A finite non-zero double as (-1)^negative * significand * 2^exponent with an odd significand.
struct OddParts {
  bool negative;
  uint64_t significand;
  int exponent;
};
OddParts Split(double value);

// A number next to a float: `value` moved towards zero (or away from it) by less than any gap that
// matters to a rounding. `value` is exact, not zero, with at most 106 significant bits.
Unrounded JustInside(Unrounded value);
Unrounded JustOutside(Unrounded value);

// Return the value if it is known without an enclosure. Arguments are finite, not zero, and not
// special values.
std::optional<Unrounded> ExactCase(RealFunction function, double x);
std::optional<Unrounded> ExactCase(RealFunction2 function, int precision, double a, double b);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_EXACT_CASES_H_
