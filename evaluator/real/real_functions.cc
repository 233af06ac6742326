// Special values, then tiers of growing precision until the rounding is decided.
// Tests: real_functions_test.cc.
#include "evaluator/real/real_functions.h"

#include <bit>
#include <cmath>
#include <optional>

#include "evaluator/real/big_tier.h"
#include "evaluator/real/dd_tier.h"
#include "evaluator/real/enclosure.h"
#include "evaluator/real/exact_cases.h"
#include "evaluator/real/forced_tier.h"
#include "evaluator/real/hardware_tiers.h"
#include "evaluator/real/real_patterns.h"
#include "evaluator/real/special_values.h"
#include "evaluator/real/tier_bounds.h"
#include "runtime/float_environment.h"

namespace assay::evaluator {
namespace real {
namespace {

void Count(const RealContext& context, RealTier tier) {
  if (context.stats != nullptr) ++context.stats->decided[static_cast<int>(tier)];
}

// One element through the tier of blocks; unknown where that has given up.
template <class Function, class... Args>
Ends DdTier(Function function, Args... args) {
  double high, low;
  DdBlock(function, MostLanes(), &args..., &high, &low, 1);
  const double bound = BoundOf(function, Arithmetic::kDd);
  return {std::bit_cast<uint64_t>(LowerEnd(high, low, bound)),
          std::bit_cast<uint64_t>(UpperEnd(high, low, bound)), !std::isnan(high), 0};
}

template <class Function, class... Args>
Ends DoubleTier(Function function, ElementType type, Args... args) {
  if (type == ElementType::kF64) return DdTier(function, args...);
  return RoundDouble(type, DoubleFunctionOf(function)(args...),
                     BoundOf(function, Arithmetic::kDouble));
}

// erf is closer to +-1 than half a unit of any type from here on: 1 - erf(6) < 2^-55.
std::optional<Unrounded> SaturatedErf(RealFunction function, double x) {
  if (function != RealFunction::kErf || std::fabs(x) < 6) return std::nullopt;
  return JustInside({x < 0, 1, 0, false});
}

std::optional<Unrounded> Exact(RealFunction function, ElementType, double x) {
  if (auto saturated = SaturatedErf(function, x)) return saturated;
  return ExactCase(function, x);
}
std::optional<Unrounded> Exact(RealFunction2 function, ElementType type, double a, double b) {
  if (a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b)) return std::nullopt;
  return ExactCase(function, Info(type).format->precision(), a, b);
}

void Keep(const RealContext& context, const Ends& ends, bool undecided) {
  if (context.enclosure == nullptr) return;
  *context.enclosure = {undecided, {ends.low, 0}, {ends.high, 0}};
}

// The Ziv loop for values that are not special: the fast tier of the type, exact cases (midpoints
// always fail a tier), then the others.
template <class Function, class... Args>
uint64_t Decide(Function function, ElementType type, const RealContext& context, Args... args) {
  const auto accept = [&](RealTier tier, const Ends& ends) {
    if (!ends.decided()) return false;
    Count(context, tier);
    Keep(context, ends, false);
    return true;
  };
  Ends ends;
  if (context.first_tier <= RealTier::kDouble) {
    ends = DoubleTier(function, type, args...);
    if (accept(RealTier::kDouble, ends)) return ends.low;
  }
  if (context.first_tier <= RealTier::kExtended) {
    ends = ExtendedTier(function, type, args...);
    if (accept(RealTier::kExtended, ends)) return ends.low;
  }
  if (const auto exact = Exact(function, type, args...)) {
    ends = DecidedEnds(RoundToFloat(type, *exact));
    accept(RealTier::kExact, ends);
    return ends.low;
  }
  if (context.first_tier <= RealTier::kQuad) {
    ends = QuadTier(function, type, args...);
    if (accept(RealTier::kQuad, ends)) return ends.low;
  }
  if (context.first_tier <= RealTier::kBig192) {
    ends = BigTier<192>::Evaluate(function, type, args...);
    if (accept(RealTier::kBig192, ends)) return ends.low;
  }
  if (context.first_tier <= RealTier::kBig384) {
    ends = BigTier<384>::Evaluate(function, type, args...);
    if (accept(RealTier::kBig384, ends)) return ends.low;
  }
  if (context.first_tier <= RealTier::kBig768) {
    ends = BigTier<768>::Evaluate(function, type, args...);
    if (accept(RealTier::kBig768, ends)) return ends.low;
  }
  ends = BigTier<1536>::Evaluate(function, type, args...);
  if (accept(RealTier::kBig1536, ends)) return ends.low;
  Count(context, RealTier::kUndecided);
  Keep(context, ends, true);
  return ends.middle;
}

// The common case of the types up to 32 bits: a finite non-zero result of the library. Special
// values of that kind are exact in double, so the table need not be asked first.
template <class Function, class... Args>
bool TryDouble(Function function, ElementType type, const RealContext& context, uint64_t* pattern,
               Args... args) {
  if (type == ElementType::kF64 || context.first_tier > RealTier::kDouble) return false;
  const double y = DoubleFunctionOf(function)(args...);
  if (!std::isfinite(y) || y == 0) return false;
  const Ends ends = RoundDouble(type, y, BoundOf(function, Arithmetic::kDouble));
  if (!ends.decided()) return false;
  Count(context, RealTier::kDouble);
  Keep(context, ends, false);
  *pattern = ends.low;
  return true;
}

// The hardware's square root is correctly rounded; from f64 into a type of at most 24 bits the
// second rounding does no harm.
bool TryRoot(RealFunction function, ElementType type, const RealContext& context, uint64_t* pattern,
             double x) {
  if (function != RealFunction::kSqrt || context.first_tier != RealTier::kExact) return false;
  if (!(x > 0 && x < HUGE_VAL)) return false;
  *pattern = EncodeFloat(type, std::sqrt(x));
  Count(context, RealTier::kExact);
  Keep(context, DecidedEnds(*pattern), false);
  return true;
}
bool TryRoot(RealFunction2, ElementType, const RealContext&, uint64_t*, double, double) {
  return false;
}

template <class Function, class... Args>
uint64_t EvaluatePattern(Function function, ElementType type, const RealContext& context,
                         Args... args) {
  uint64_t pattern;
  if (TryRoot(function, type, context, &pattern, args...)) return pattern;
  if (TryDouble(function, type, context, &pattern, args...)) return pattern;
  if (const auto special = SpecialValue(function, args...)) {
    Count(context, RealTier::kExact);
    pattern = std::isnan(*special) ? CanonicalNan(type) : EncodeFloat(type, *special);
    Keep(context, DecidedEnds(pattern), false);
    return pattern;
  }
  return Decide(function, type, context, args...);
}

}  // namespace

uint64_t RealPattern(RealFunction function, ElementType type, uint64_t x,
                     const RealContext& context) {
  return EvaluatePattern(function, type, context, DecodeFloat(type, x));
}

uint64_t RealPattern(RealFunction2 function, ElementType type, uint64_t a, uint64_t b,
                     const RealContext& context) {
  return EvaluatePattern(function, type, context, DecodeFloat(type, a), DecodeFloat(type, b));
}

}  // namespace real

Element EvaluateReal(RealFunction function, ElementType type, Element x,
                     const RealContext& context) {
  const runtime::FloatEnvironmentGuard guard;
  return {real::RealPattern(function, type, x.bits, real::WithForcedTier(context)), 0};
}

Element EvaluateReal2(RealFunction2 function, ElementType type, Element a, Element b,
                      const RealContext& context) {
  const runtime::FloatEnvironmentGuard guard;
  return {real::RealPattern(function, type, a.bits, b.bits, real::WithForcedTier(context)), 0};
}

}  // namespace assay::evaluator
