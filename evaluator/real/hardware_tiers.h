// The fast tiers: the C library in double, in x87 long double and in binary128, each with a bound
// far above the largest error ever observed (accuracy_design.md 4). Tests: real_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_HARDWARE_TIERS_H_
#define ASSAY_EVALUATOR_REAL_HARDWARE_TIERS_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluator/real/enclosure.h"
#include "evaluator/real/real_functions.h"

// ASSAY_PORTABLE leaves both out, as platforms without them do: a test is built so.
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(ASSAY_PORTABLE)
#define ASSAY_HAS_EXTENDED 1
#define ASSAY_HAS_QUAD 1
#endif

namespace assay::evaluator::real {

using DoubleFunction = double (*)(double);
using DoubleFunction2 = double (*)(double, double);

DoubleFunction DoubleFunctionOf(RealFunction function);
DoubleFunction2 DoubleFunctionOf(RealFunction2 function);

// The ends of a double-tier result y of this relative bound, for types of at most 32 bits. A result
// of zero is an underflow and an infinity an overflow (exact ones are special values): tiny or
// huge, with that sign, for every such type.
inline Ends RoundDouble(ElementType type, double y, double bound) {
  if (y == 0) y = std::copysign(std::numeric_limits<double>::denorm_min(), y);
  if (std::isinf(y)) y = std::copysign(std::numeric_limits<double>::max(), y);
  const double reach = std::fabs(y) * bound;
  const double low = y - reach, high = y + reach;
  if (type == ElementType::kF32) {
    const auto low_f32 = static_cast<float>(low), high_f32 = static_cast<float>(high);
    return {__builtin_bit_cast(uint32_t, low_f32), __builtin_bit_cast(uint32_t, high_f32),
            !std::isnan(y), 0};
  }
  return {EncodeFloat(type, low), EncodeFloat(type, high), !std::isnan(y), 0};
}

// Evaluate the function in a fast tier. The result is not `known` if the platform lacks the tier.
// kExtended is for f64 only.
Ends ExtendedTier(RealFunction function, ElementType type, double x);
Ends ExtendedTier(RealFunction2 function, ElementType type, double a, double b);
Ends QuadTier(RealFunction function, ElementType type, double x);
Ends QuadTier(RealFunction2 function, ElementType type, double a, double b);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_HARDWARE_TIERS_H_
