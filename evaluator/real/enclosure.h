// What a tier hands back: the patterns to which the two ends of its enclosure round. Rounding is
// monotone, so equal ends are the correctly rounded result.
#ifndef ASSAY_EVALUATOR_REAL_ENCLOSURE_H_
#define ASSAY_EVALUATOR_REAL_ENCLOSURE_H_

#include <cstdint>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::real {

// In numerical order. A tier that could not bound its result says so by `known` = false.
struct Ends {
  uint64_t low = 0;
  uint64_t high = 0;
  bool known = false;
  // Rounding of the centre, the answer of last resort.
  uint64_t middle = 0;

  bool decided() const { return known && low == high; }
};

inline Ends DecidedEnds(uint64_t pattern) { return {pattern, pattern, true, pattern}; }

struct ComplexEnds {
  Ends real;
  Ends imag;
};

}  // namespace assay::real

#endif  // ASSAY_EVALUATOR_REAL_ENCLOSURE_H_
