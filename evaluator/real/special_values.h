// Values that are exact without any computation: NaN, infinities, zeros, domain errors and the
// trivial points, for real functions. Source: ops_elementwise_and_types.md 6.10, 6.11.
// Tests: real_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_SPECIAL_VALUES_H_
#define ASSAY_EVALUATOR_REAL_SPECIAL_VALUES_H_

#include <optional>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// The value, exact in every type that can hold it, or nothing if the function has to be computed.
// It covers every argument for which the result is zero, infinite or NaN, and every infinite or NaN
// argument whose result is rational.
std::optional<double> SpecialValue(RealFunction function, double x);
std::optional<double> SpecialValue(RealFunction2 function, double a, double b);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_SPECIAL_VALUES_H_
