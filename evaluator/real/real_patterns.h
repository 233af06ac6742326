// The real functions on bit patterns, private to this folder. Callers hold a FloatEnvironmentGuard.
// Tests: real_functions_test.cc, function_blocks_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_REAL_PATTERNS_H_
#define ASSAY_EVALUATOR_REAL_REAL_PATTERNS_H_

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

uint64_t RealPattern(RealFunction function, ElementType type, uint64_t x,
                     const RealContext& context);
uint64_t RealPattern(RealFunction2 function, ElementType type, uint64_t a, uint64_t b,
                     const RealContext& context);

// Blocks, as EvaluateBlock of real_functions.h.
void RealBlock(RealFunction function, ElementType type, const std::byte* x, std::byte* out,
               int64_t count, const RealContext& context);
void RealBlock(RealFunction2 function, ElementType type, const std::byte* a, const std::byte* b,
               std::byte* out, int64_t count, const RealContext& context);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_REAL_PATTERNS_H_
