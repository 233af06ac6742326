// The complex functions on elements, private to this folder. Callers hold a FloatEnvironmentGuard.
// Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_PATTERNS_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_PATTERNS_H_

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

Element ComplexPattern(RealFunction function, ElementType type, Element z,
                       const RealContext& context);
Element ComplexPattern(RealFunction2 function, ElementType type, Element x, Element y,
                       const RealContext& context);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_PATTERNS_H_
