// The result of a tier: the bit patterns to which the two ends of its enclosure round. Rounding is
// monotone, so equal ends are the correctly rounded result. Tests: real_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_ENCLOSURE_H_
#define ASSAY_EVALUATOR_REAL_ENCLOSURE_H_

#include <cstdint>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator::real {

// The two ends, in numerical order. `known` is false if the tier could not bound its result.
struct Ends {
  uint64_t low = 0;
  uint64_t high = 0;
  bool known = false;
  // The rounded centre, which is the result if no tier decides.
  uint64_t middle = 0;

  bool decided() const { return known && low == high; }
};

inline Ends DecidedEnds(uint64_t pattern) { return {pattern, pattern, true, pattern}; }

struct ComplexEnds {
  Ends real;
  Ends imag;
};

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_ENCLOSURE_H_
