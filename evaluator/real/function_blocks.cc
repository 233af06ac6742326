// Blocks of elements of dense storage. Tests: function_blocks_test.cc, complex_functions_test.cc.
#include "evaluator/real/complex_patterns.h"
#include "evaluator/real/forced_tier.h"
#include "evaluator/real/real_patterns.h"
#include "runtime/float_environment.h"

namespace assay::evaluator {

void EvaluateBlock(RealFunction function, ElementType type, const std::byte* x, std::byte* out,
                   int64_t count, const RealContext& given) {
  const runtime::FloatEnvironmentGuard guard;
  const RealContext context = real::WithForcedTier(given);
  if (!IsComplex(type)) return real::RealBlock(function, type, x, out, count, context);
  // kAbs alone changes the type: real elements are half as long, so that `out` may still be `x`.
  const ElementType result = function == RealFunction::kAbs ? Info(type).component : type;
  for (int64_t i = 0; i < count; ++i) {
    StoreElement(result, real::ComplexPattern(function, type, LoadElement(type, x, i), context),
                 out, i);
  }
}

void EvaluateBlock2(RealFunction2 function, ElementType type, const std::byte* a,
                    const std::byte* b, std::byte* out, int64_t count, const RealContext& given) {
  const runtime::FloatEnvironmentGuard guard;
  const RealContext context = real::WithForcedTier(given);
  if (!IsComplex(type)) return real::RealBlock(function, type, a, b, out, count, context);
  for (int64_t i = 0; i < count; ++i) {
    const Element x = LoadElement(type, a, i), y = LoadElement(type, b, i);
    StoreElement(type, real::ComplexPattern(function, type, x, y, context), out, i);
  }
}

}  // namespace assay::evaluator
