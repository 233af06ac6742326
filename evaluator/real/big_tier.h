// The last tiers: 192, 384, 768 and 1536 bits. One translation unit per precision instantiates
// BigTier, so that the long arithmetic is compiled once. Tests: big_tier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_BIG_TIER_H_
#define ASSAY_EVALUATOR_REAL_BIG_TIER_H_

#include "evaluator/real/complex_tiers.h"
#include "evaluator/real/enclosure.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// Relative error bound 2^-(kPrecision - 24) by tiers.def, computed with 64 bits more. Arguments
// must not be special values (special_values.h).
template <int kPrecision>
struct BigTier {
  static Ends Evaluate(RealFunction function, ElementType type, double x);
  static Ends Evaluate(RealFunction2 function, ElementType type, double a, double b);
  // Evaluates a complex function by ball arithmetic and rounds its parts to the float type `type`.
  static ComplexEnds Evaluate(const ComplexCall& call, ElementType type);
};

extern template struct BigTier<192>;
extern template struct BigTier<384>;
extern template struct BigTier<768>;
extern template struct BigTier<1536>;

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_BIG_TIER_H_
