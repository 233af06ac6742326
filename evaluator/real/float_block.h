// The double tier of exponentials for blocks of f32, from patterns to rounded patterns in one loop:
// decoding, function, bound and rounding of a vector stay in registers. The functions that programs
// of machine learning are full of, exp, expm1, tanh and logistic, are one polynomial here.
// Tests: function_blocks_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_FLOAT_BLOCK_H_
#define ASSAY_EVALUATOR_REAL_FLOAT_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

inline constexpr int64_t kFloatBlock = 512;

// Returns true if FloatBlock() supports this CPU.
#if defined(__x86_64__)
bool HasFloatBlock(RealFunction function);
#else
inline bool HasFloatBlock(RealFunction) { return false; }
#endif

// Writes f(x[i]) for `count` elements of f32, at most kFloatBlock, correctly rounded where both
// ends of an interval of the relative radius `bound` round to it. Writes the indices of all others,
// including zeros and NaNs, to `open` and returns their number. `out` has room for a multiple of
// eight elements and does not overlap x.
int64_t FloatBlock(RealFunction function, double bound, const std::byte* x, int64_t count,
                   std::byte* out, int32_t* open);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_FLOAT_BLOCK_H_
