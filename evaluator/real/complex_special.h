// Parts of complex results that need no complex formula: infinite and NaN operands, the axes (where
// a part is a real function or an exact zero), points where a part is rational, and arguments so
// small that only the sign of the next term of the series matters. Source:
// ops_elementwise_and_types.md 6.12, 7.5; accuracy_design.md 8. Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_SPECIAL_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_SPECIAL_H_

#include <cstdint>
#include <optional>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// The bit patterns of the parts that are known.
struct KnownParts {
  std::optional<uint64_t> real;
  std::optional<uint64_t> imag;
};

// Returns the known parts for the operand (a, b). `part` is the float type of the parts. The
// imaginary part of kAbs is known to be zero.
KnownParts SpecialParts(RealFunction function, ElementType part, double a, double b,
                        const RealContext& context);
// Returns the known parts of kPower and kAtan2 for the operands (a, b) and (c, d).
KnownParts SpecialParts(RealFunction2 function, ElementType part, double a, double b, double c,
                        double d, const RealContext& context);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_SPECIAL_H_
