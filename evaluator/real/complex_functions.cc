// Complex functions: known parts first, then tiers until both parts are decided.
// Tests: complex_functions_test.cc.
#include <cmath>

#include "evaluator/real/big_tier.h"
#include "evaluator/real/complex_exact.h"
#include "evaluator/real/complex_patterns.h"
#include "evaluator/real/complex_special.h"
#include "evaluator/real/complex_tiers.h"
#include "evaluator/real/forced_tier.h"
#include "runtime/float_environment.h"

namespace assay::evaluator {
namespace real {
namespace {

// One part on its way to a decision.
struct Part {
  std::optional<uint64_t> pattern;
  Ends ends;
  RealTier tier = RealTier::kExact;
};

ComplexEnds RunTier(RealTier tier, const ComplexCall& call, ElementType part) {
  switch (tier) {
    case RealTier::kDouble:
      return ComplexDoubleTier(call, part);
    case RealTier::kQuad:
      return ComplexQuadTier(call, part);
    case RealTier::kBig192:
      return BigTier<192>::Evaluate(call, part);
    case RealTier::kBig384:
      return BigTier<384>::Evaluate(call, part);
    case RealTier::kBig768:
      return BigTier<768>::Evaluate(call, part);
    case RealTier::kBig1536:
      return BigTier<1536>::Evaluate(call, part);
    default:
      return {};
  }
}

bool AreNeighbours(ElementType type, const Ends& ends) {
  return ends.known && !IsNan(type, ends.low) && !IsNan(type, ends.high) &&
         FloatOrdinal(type, ends.high) - FloatOrdinal(type, ends.low) == 1;
}

void Accept(Part& part, const Ends& ends, RealTier tier) {
  if (part.pattern) return;
  if (ends.known) part.ends = ends;
  if (!ends.decided()) return;
  part.pattern = ends.low;
  part.tier = tier;
}

// Algebraic parts between two neighbours are decided by integers.
void DecideAlgebraic(Part& part, const ComplexCall& call, bool imaginary, ElementType type) {
  if (part.pattern || call.binary || !IsAlgebraic(call.unary_function)) return;
  if (!AreNeighbours(type, part.ends)) return;
  part.pattern = ChooseNeighbour(call.unary_function, imaginary, type, call.a, call.b,
                                 part.ends.low, part.ends.high);
}

// Rational powers may lie on midpoints. Asked late: other powers are decided by then.
void DecideRationalPower(Part (&parts)[2], const ComplexCall& call, ElementType type) {
  if (!call.binary || call.binary_function != RealFunction2::kPower || call.d != 0) return;
  if (parts[0].pattern && parts[1].pattern) return;
  const auto power = ComplexRationalPower(type, call.a, call.b, call.c);
  if (!power) return;
  if (!parts[0].pattern) parts[0].pattern = power->real;
  if (!parts[1].pattern) parts[1].pattern = power->imag;
}

Element Finish(ElementType type, Part (&parts)[2], const RealContext& context) {
  RealEnclosure enclosure;
  for (Part& part : parts) {
    if (part.pattern) {
      part.ends = DecidedEnds(*part.pattern);
    } else {
      part.tier = RealTier::kUndecided;
      enclosure.undecided = true;
      if (!part.ends.known) part.ends = DecidedEnds(CanonicalNan(type));
      part.pattern = part.ends.middle;
    }
    if (context.stats != nullptr) ++context.stats->decided[static_cast<int>(part.tier)];
  }
  enclosure.low = {parts[0].ends.low, parts[1].ends.low};
  enclosure.high = {parts[0].ends.high, parts[1].ends.high};
  if (context.enclosure != nullptr) *context.enclosure = enclosure;
  return {*parts[0].pattern, *parts[1].pattern};
}

Element Decide(const ComplexCall& call, const KnownParts& known, ElementType type,
               const RealContext& context) {
  Part parts[2];
  parts[0].pattern = known.real;
  parts[1].pattern = known.imag;
  constexpr RealTier kTiers[] = {RealTier::kDouble, RealTier::kQuad,   RealTier::kBig192,
                                 RealTier::kBig384, RealTier::kBig768, RealTier::kBig1536};
  for (RealTier tier : kTiers) {
    if (parts[0].pattern && parts[1].pattern) break;
    if (tier < context.first_tier && tier != RealTier::kBig1536) continue;
    const ComplexEnds ends = RunTier(tier, call, type);
    Accept(parts[0], ends.real, tier);
    Accept(parts[1], ends.imag, tier);
    DecideAlgebraic(parts[0], call, false, type);
    DecideAlgebraic(parts[1], call, true, type);
    if (tier >= RealTier::kQuad) DecideRationalPower(parts, call, type);
  }
  return Finish(type, parts, context);
}

Element Counted(const PartPatterns& patterns, ElementType type, const RealContext& context) {
  Part parts[2];
  parts[0].pattern = patterns.real;
  parts[1].pattern = patterns.imag;
  return Finish(type, parts, context);
}

// Products and quotients: balls of two doubles, and integers for what these leave open.
Element Rational(RealFunction2 function, ElementType type, double a, double b, double c, double d,
                 const RealContext& context) {
  Part parts[2];
  if (context.first_tier <= RealTier::kDouble) {
    const ComplexEnds ends = ComplexDdTier(function, type, a, b, c, d);
    Accept(parts[0], ends.real, RealTier::kDouble);
    Accept(parts[1], ends.imag, RealTier::kDouble);
  }
  if (!parts[0].pattern || !parts[1].pattern) {
    const PartPatterns exact = function == RealFunction2::kMultiply
                                   ? ComplexProduct(type, a, b, c, d)
                                   : ComplexQuotient(type, a, b, c, d);
    if (!parts[0].pattern) parts[0].pattern = exact.real;
    if (!parts[1].pattern) parts[1].pattern = exact.imag;
  }
  return Finish(type, parts, context);
}

// Parts that are real functions are counted here with the others, once.
RealContext Uncounted(const RealContext& context) {
  RealContext inner = context;
  inner.stats = nullptr;
  inner.enclosure = nullptr;
  return inner;
}

}  // namespace

Element ComplexPattern(RealFunction function, ElementType type, Element z,
                       const RealContext& context) {
  const ElementType part = Info(type).component;
  const double a = DecodeFloat(part, z.bits), b = DecodeFloat(part, z.imag);
  const ComplexCall call = {false, function, RealFunction2::kAtan2, a, b, 0, 0};
  return Decide(call, SpecialParts(function, part, a, b, Uncounted(context)), part, context);
}

Element ComplexPattern(RealFunction2 function, ElementType type, Element x, Element y,
                       const RealContext& context) {
  const ElementType part = Info(type).component;
  const double a = DecodeFloat(part, x.bits), b = DecodeFloat(part, x.imag);
  const double c = DecodeFloat(part, y.bits), d = DecodeFloat(part, y.imag);
  if (function == RealFunction2::kMultiply || function == RealFunction2::kDivide) {
    return Rational(function, part, a, b, c, d, context);
  }
  const ComplexCall call = {true, RealFunction::kAbs, function, a, b, c, d};
  const KnownParts known = SpecialParts(function, part, a, b, c, d, Uncounted(context));
  const bool undetermined = !known.real || !known.imag;
  if (function == RealFunction2::kPower && undetermined && d == 0 && std::fabs(c) <= 64 &&
      std::trunc(c) == c) {
    if (const auto power = ComplexIntegerPower(part, a, b, static_cast<int>(c))) {
      return Counted(*power, part, context);
    }
  }
  return Decide(call, known, part, context);
}

}  // namespace real

Element EvaluateComplex(RealFunction function, ElementType type, Element z,
                        const RealContext& context) {
  const runtime::FloatEnvironmentGuard guard;
  return real::ComplexPattern(function, type, z, real::WithForcedTier(context));
}

Element EvaluateComplex2(RealFunction2 function, ElementType type, Element a, Element b,
                         const RealContext& context) {
  const runtime::FloatEnvironmentGuard guard;
  return real::ComplexPattern(function, type, a, b, real::WithForcedTier(context));
}

}  // namespace assay::evaluator
