// Special values, then tiers of growing precision until the rounding is decided.
// Tests: real_functions_test.cc.
#include "evaluator/real/real_functions.h"

#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "evaluator/real/big_tier.h"
#include "evaluator/real/enclosure.h"
#include "evaluator/real/exact_cases.h"
#include "evaluator/real/float_environment.h"
#include "evaluator/real/hardware_tiers.h"
#include "evaluator/real/real_patterns.h"
#include "evaluator/real/special_values.h"

namespace assay {
namespace real {
namespace {

void Count(const RealContext& context, RealTier tier) {
  if (context.stats != nullptr) ++context.stats->decided[static_cast<int>(tier)];
}

Ends DoubleTier(RealFunction function, ElementType type, double x) {
  if (type == ElementType::kF64) return {};
  return RoundDouble(type, DoubleFunctionOf(function)(x));
}
Ends DoubleTier(RealFunction2 function, ElementType type, double a, double b) {
  if (type == ElementType::kF64) return {};
  return RoundDouble(type, DoubleFunctionOf(function)(a, b));
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
  const Ends ends = RoundDouble(type, y);
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

// Results for every pattern of a type of at most 16 bits, filled by the code above at first use.
class Tables {
 public:
  const uint16_t* Get(RealFunction function, ElementType type) {
    Slot& slot = slots_[static_cast<int>(function)][static_cast<int>(type)];
    std::call_once(slot.once, [&] { Fill(function, type, slot.values); });
    return slot.values.data();
  }

 private:
  struct Slot {
    std::once_flag once;
    std::vector<uint16_t> values;
  };
  static void Fill(RealFunction function, ElementType type, std::vector<uint16_t>& values) {
    values.resize(size_t{1} << Info(type).bits);
    for (size_t pattern = 0; pattern < values.size(); ++pattern) {
      values[pattern] = static_cast<uint16_t>(
          EvaluatePattern(function, type, RealContext(), DecodeFloat(type, pattern)));
    }
  }
  Slot slots_[kRealFunctionCount][64];
};

Tables& SharedTables() {
  static Tables* const tables = new Tables;  // never destroyed: threads may still read it at exit
  return *tables;
}

// Null where results are computed one by one.
const uint16_t* TableFor(RealFunction function, ElementType type, const RealContext& context) {
  if (Info(type).bits > 16 || context.first_tier != RealTier::kExact) return nullptr;
  return SharedTables().Get(function, type);
}

template <class Storage>
void LookUp(const uint16_t* table, uint64_t mask, const std::byte* x, std::byte* out,
            int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Storage pattern;
    std::memcpy(&pattern, x + i * sizeof(Storage), sizeof(Storage));
    pattern = static_cast<Storage>(table[pattern & mask]);
    std::memcpy(out + i * sizeof(Storage), &pattern, sizeof(Storage));
  }
}

void LookUp(const uint16_t* table, ElementType type, const std::byte* x, std::byte* out,
            int64_t count) {
  const uint64_t mask = (uint64_t{1} << Info(type).bits) - 1;
  if (Info(type).storage_bytes == 2) return LookUp<uint16_t>(table, mask, x, out, count);
  LookUp<uint8_t>(table, mask, x, out, count);
}

// The double tier in a loop of its own; what it does not decide goes the long way.
void BlockF32(RealFunction function, const std::byte* x, std::byte* out, int64_t count,
              const RealContext& context) {
  const DoubleFunction in_double = DoubleFunctionOf(function);
  int64_t decided = 0;
  for (int64_t i = 0; i < count; ++i) {
    float argument;
    std::memcpy(&argument, x + i * sizeof(float), sizeof(float));
    const double y = in_double(argument);
    const double reach = std::fabs(y) * kDoubleBound;
    float result = static_cast<float>(y - reach);
    // NaN, infinities and zeros fail one of the comparisons.
    if (result == static_cast<float>(y + reach) && y != 0 && reach < HUGE_VAL) {
      ++decided;
    } else {
      const uint64_t pattern =
          EvaluatePattern(function, ElementType::kF32, context, static_cast<double>(argument));
      result = __builtin_bit_cast(float, static_cast<uint32_t>(pattern));
    }
    std::memcpy(out + i * sizeof(float), &result, sizeof(float));
  }
  if (context.stats != nullptr) {
    context.stats->decided[static_cast<int>(RealTier::kDouble)] += decided;
  }
}

// Blocks have no enclosure to write to.
RealContext WithoutEnclosure(const RealContext& context) {
  RealContext inner = context;
  inner.enclosure = nullptr;
  return inner;
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

void RealBlock(RealFunction function, ElementType type, const std::byte* x, std::byte* out,
               int64_t count, const RealContext& context) {
  const RealContext inner = WithoutEnclosure(context);
  if (const uint16_t* table = TableFor(function, type, inner)) {
    LookUp(table, type, x, out, count);
    if (inner.stats != nullptr) inner.stats->decided[static_cast<int>(RealTier::kExact)] += count;
  } else if (type == ElementType::kF32 && inner.first_tier <= RealTier::kDouble) {
    BlockF32(function, x, out, count, inner);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t pattern = RealPattern(function, type, LoadElement(type, x, i).bits, inner);
      StoreElement(type, {pattern, 0}, out, i);
    }
  }
}

}  // namespace real

Element EvaluateReal(RealFunction function, ElementType type, Element x,
                     const RealContext& context) {
  const FloatEnvironmentGuard guard;
  return {real::RealPattern(function, type, x.bits, context), 0};
}

Element EvaluateReal2(RealFunction2 function, ElementType type, Element a, Element b,
                      const RealContext& context) {
  const FloatEnvironmentGuard guard;
  return {real::RealPattern(function, type, a.bits, b.bits, context), 0};
}

}  // namespace assay
