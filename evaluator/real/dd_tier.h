// The first tier of f64: functions in sums of two doubles, some 80 bits, with proven bounds.
// dd_kernels.h computes them; here are its tables and the choice of the instruction set.
// Tests: dd_tier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_DD_TIER_H_
#define ASSAY_EVALUATOR_REAL_DD_TIER_H_

#include <cmath>
#include <cstdint>

#include "evaluator/real/double_block.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// erf(j/16 + h) = sum over n of a[n][j] h^n; so many coefficients as two doubles, the rest as one.
struct ErfTables {
  static constexpr int kPairs = 6, kCoefficients = 18;
  double hi[kCoefficients][128], lo[kPairs][128];
};

// Constants as sums of doubles, and 2^(j/256), sin and cos of 2 pi j/256.
struct DdTables {
  double ln2_256[3], pi_128[3], sixth[2];
  double exp_hi[256], exp_lo[256];
  double sin_hi[256], sin_lo[256], cos_hi[256], cos_lo[256];
  const ErfTables* erf;  // for kErf only
};

// `start` is near the result (of power: near log x) where the kernel needs it.
using DdKernel = void (*)(const DdTables& tables, const double* x, const double* second,
                          const double* start, double* high, double* low, int64_t count);

// So many elements at most go through DdBlock at once.
inline constexpr int64_t kDdBlock = 256;

// f(x[i]) is high[i] + low[i] to the bound of tiers.def (Arithmetic::kDd), and high[i] is the
// double nearest to that sum; NaN where the tier gives up: special values, overflow, underflow,
// arguments out of its domain, functions that it lacks. `lanes` as of double_block.h; Lanes::kOne
// is the portable code. Arrays as there.
void DdBlock(RealFunction function, Lanes lanes, const double* x, double* high, double* low,
             int64_t count);
void DdBlock(RealFunction2 function, Lanes lanes, const double* a, const double* b, double* high,
             double* low, int64_t count);

// The lower and the upper end of high + low, rounded to f64; equal ends are the result. The sums
// with `low` are off by 2^-105 relative, which the bounds' margins contain.
inline double LowerEnd(double high, double low, double bound) {
  return high + (low - std::fabs(high) * bound);
}
inline double UpperEnd(double high, double low, double bound) {
  return high + (low + std::fabs(high) * bound);
}

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_DD_TIER_H_
