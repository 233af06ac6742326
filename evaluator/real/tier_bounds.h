// The rows of tiers.def: the error bound of each tier for each function, and its reason. Tests:
// dd_tier_test.cc, real_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_TIER_BOUNDS_H_
#define ASSAY_EVALUATOR_REAL_TIER_BOUNDS_H_

#include <cstdint>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// The arithmetic of a tier: the C library's double (types of at most 32 bits), sums of two doubles
// (f64), x87 long double, binary128, floats of any length.
enum class Arithmetic : uint8_t { kDouble, kDd, kExtended, kQuad, kLong };
enum class BoundSource : uint8_t { kLibrary, kComposed, kProof, kSeries };

struct TierRow {
  // Functions of one operand come first; RealFunction2 is counted on from there.
  int function;
  Arithmetic arithmetic;
  int bound_log2;
  int error_log2;
  BoundSource source;
};

constexpr int FunctionIndex(RealFunction function) { return static_cast<int>(function); }
constexpr int FunctionIndex(RealFunction2 function) {
  return kRealFunctionCount + static_cast<int>(function);
}

namespace tier_rows {
using enum RealFunction;
constexpr auto kAtan2 = RealFunction2::kAtan2, kPower = RealFunction2::kPower;
inline constexpr TierRow kRows[] = {
#define TIER(function, arithmetic, bound, error, source) \
  {FunctionIndex(function), Arithmetic::arithmetic, bound, error, BoundSource::source},
#include "evaluator/real/tiers.def"
#undef TIER
};
}  // namespace tier_rows

struct Bounds {
  // [arithmetic][function]; 0 where there is no row.
  int log2[5][kRealFunctionCount + 4] = {};
  constexpr Bounds() {
    for (const TierRow& row : tier_rows::kRows) {
      log2[static_cast<int>(row.arithmetic)][row.function] = row.bound_log2;
    }
  }
};
inline constexpr Bounds kBounds;

// Returns log2 of the relative bound, or 0 if the function has no such tier.
template <class Function>
constexpr int BoundLog2(Function function, Arithmetic arithmetic) {
  return kBounds.log2[static_cast<int>(arithmetic)][FunctionIndex(function)];
}
// Returns the bound as a number, or 1 if there is no such tier. Must not be called for kLong.
template <class Function>
constexpr double BoundOf(Function function, Arithmetic arithmetic) {
  const auto biased = static_cast<uint64_t>(1023 + BoundLog2(function, arithmetic));
  return __builtin_bit_cast(double, biased << 52);
}

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_TIER_BOUNDS_H_
