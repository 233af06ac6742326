// The fast tiers of complex functions: ball arithmetic in double and in binary128.
// Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_TIERS_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_TIERS_H_

#include "evaluator/real/enclosure.h"
#include "evaluator/real/real_functions.h"

namespace assay::real {

// A complex function and its operands: (a, b), or (a, b) and (c, d).
struct ComplexCall {
  bool binary;
  RealFunction unary_function;
  RealFunction2 binary_function;
  double a, b, c, d;
};

// Parts in the float type `type`. Double is for f32 parts only.
ComplexEnds ComplexDoubleTier(const ComplexCall& call, ElementType type);
ComplexEnds ComplexQuadTier(const ComplexCall& call, ElementType type);
// kMultiply or kDivide by sums of two doubles (dd_ball.h). Unknown for infinities and NaN, and for
// zeros whose sign is not certain.
ComplexEnds ComplexDdTier(RealFunction2 function, ElementType type, double a, double b, double c,
                          double d);

}  // namespace assay::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_TIERS_H_
