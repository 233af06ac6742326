// The fast tiers of complex functions: ball arithmetic in double and in binary128.
// Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_TIERS_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_TIERS_H_

#include "evaluator/real/enclosure.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// A complex function and its operands: (a, b), or (a, b) and (c, d).
struct ComplexCall {
  bool binary;
  RealFunction unary_function;
  RealFunction2 binary_function;
  double a, b, c, d;
};

// Evaluate the function in double and in binary128, and round the parts to the float type `type`.
// The double tier is for f32 only.
ComplexEnds ComplexDoubleTier(const ComplexCall& call, ElementType type);
ComplexEnds ComplexQuadTier(const ComplexCall& call, ElementType type);
// Evaluates kMultiply or kDivide in sums of two doubles (dd_ball.h). The result is unknown for
// infinities and NaN, and for zeros whose sign is not certain.
ComplexEnds ComplexDdTier(RealFunction2 function, ElementType type, double a, double b, double c,
                          double d);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_TIERS_H_
