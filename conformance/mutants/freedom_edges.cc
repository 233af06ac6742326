// Targets that take a freedom wherever they can, and sums at the edge of their bounds.
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/mutants/defects.h"
#include "conformance/mutants/profile_edges.h"
#include "conformance/mutants/sums.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64,
    ElementType::kF8E4M3FN, ElementType::kF8E5M2;
using Granted = std::function<bool(const TargetProfile&)>;

Granted Grants(Freedom freedom) {
  return [freedom](const TargetProfile& profile) { return profile.Grants(freedom); };
}

FreedomTaker Taking(Freedom freedom, Mutant variant) {
  return {std::move(variant), Grants(freedom),
          absl::StrCat("revoke: '", FreedomName(freedom), "'")};
}

// The variants of the table, by what they take.
std::vector<FreedomTaker> ConformingTakers() {
  const std::pair<const char*, Freedom> kFreedoms[] = {
      {"sums/", Freedom::kReassociation},
      {"elementwise/negative_nan", Freedom::kNanPayload},
      {"maximum/first_of_zeros", Freedom::kSignedZero},
      {"programs/excess_precision", Freedom::kExcessPrecision},
      {"sort/unstable", Freedom::kUnstableOrder},
      {"scatter/updates_from_the_end", Freedom::kScatterOrder},
      {"rng/other_numbers", Freedom::kRandom},
  };
  std::vector<FreedomTaker> takers;
  for (const Mutant& variant : ConformingVariants()) {
    for (const auto& [name, freedom] : kFreedoms) {
      if (absl::StartsWith(variant.name, name)) takers.push_back(Taking(freedom, variant));
    }
    // A product that is kept wider, by excess precision, is rounded once with the sum as well.
    if (variant.name == "programs/multiply_add_contracted") {
      takers.push_back({variant,
                        [](const TargetProfile& p) {
                          return p.Grants(Freedom::kContraction) ||
                                 p.Grants(Freedom::kExcessPrecision);
                        },
                        "revoke: 'contraction' revoke: 'excess_precision'"});
    }
    // Coarse budgets reach as far as these: only where nothing else is granted do they show.
    if (variant.name == "dot/bf16_partial_sums") {
      takers.push_back(
          {variant, [](const TargetProfile& p) { return p.FindAccumulation(kBF16, true).partials; },
           ""});
    }
    if (variant.name == "batch-norm-training/one_pass_variance") {
      takers.push_back({variant,
                        [](const TargetProfile& p) { return p.linear_algebra().one_pass_variance; },
                        ""});
    }
  }
  return takers;
}

// Denormals of one type, as results and as operands.
std::vector<FreedomTaker> DenormalTakers() {
  std::vector<Opcode> arithmetic;
  for (const OpInfo& row : Catalogue()) {
    if (row.elementwise() && row.accuracy == Accuracy::kRounded && row.opcode != kReducePrecision) {
      arithmetic.push_back(row.opcode);
    }
  }
  std::vector<FreedomTaker> takers;
  for (const ElementType type : {kF64, kF32, kF16, kBF16}) {
    const std::string revoke =
        absl::StrCat("denormals { type: '", Info(type).name, "' mode: GRADUAL }");
    takers.push_back({{absl::StrCat("programs/", Info(type).name, "_results_flushed"), arithmetic,
                       "denormal results are zero",
                       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); },
                                  TypeIs({type}))},
                      [type](const TargetProfile& p) { return p.MayFlushResults(type); },
                      revoke});
    takers.push_back({{absl::StrCat("programs/", Info(type).name, "_operands_flushed"),
                       {kAdd, kSubtract, kMultiply, kDivide, kSqrt, kLog},
                       "denormal operands are zero",
                       OnOperand(-1, Flushed, TypeIs({type}))},
                      [type](const TargetProfile& p) { return p.MayFlushOperands(type); },
                      revoke});
  }
  return takers;
}

bool IsComplexNonFinite(const ElementSite& e, int k) {
  const ElementType part = Info(e.types[k]).component;
  return !std::isfinite(DecodeFloat(part, e.x[k].bits)) ||
         !std::isfinite(DecodeFloat(part, e.x[k].imag));
}

Element ComplexNan(const ElementSite& e) {
  const uint64_t nan = CanonicalNan(Info(e.type).component);
  return {nan, IsComplex(e.type) ? nan : 0};
}

Element IntegerPowerByLowBits(const ElementSite& e) {
  if (IsSigned(e.type) && e.i(1) < 0) return e.golden;
  uint64_t power = 1;
  for (uint64_t k = 0; k < (e.u(1) & 63); ++k) power *= e.u(0);
  return e.Integer(static_cast<int64_t>(power));
}

// Below the least normal value of the narrow format: its denormals, to nearest.
Element DenormalKept(const ElementSite& e) {
  const int least = 2 - (1 << (e.instruction.GetInt(Attr::kExponentBits) - 1));
  const int quantum = least - static_cast<int>(e.instruction.GetInt(Attr::kMantissaBits));
  if (!(std::fabs(e.f(0)) < std::ldexp(1.0, least))) return e.golden;
  return e.Float(
      std::copysign(std::ldexp(std::nearbyint(std::ldexp(e.f(0), -quantum)), quantum), e.f(0)));
}

// What a target of some kind does at a decision point that it may decide.
struct Decision {
  DecisionPoint point;
  std::vector<Opcode> opcodes;
  const char* description;
  ElementDefect value;
  Where where;
};

std::vector<Decision> Decisions() {
  const Where integers = [](const Instruction& x) { return IsInteger(x.shape().element_type()); };
  const Where narrow = TypeIs({kBF16, kF16, kF8E5M2, kF8E4M3FN});
  return {
      {DecisionPoint::kRsqrtOfMinusZero,
       {kRsqrt},
       "rsqrt(-0) has the other sign",
       [](const ElementSite& e) {
         return e.f(0) == 0 && std::signbit(e.f(0)) ? e.Float(-e.result()) : e.golden;
       },
       FloatResult()},
      {DecisionPoint::kIntegerDivision,
       {kDivide, kRemainder},
       "1 where there is no quotient",
       [](const ElementSite& e) {
         const bool overflows = IsSigned(e.type) && e.i(1) == -1 && e.i(0) == MinSigned(e.type);
         return e.u(1) == 0 || overflows ? e.Integer(1) : e.golden;
       },
       integers},
      {DecisionPoint::kIntegerPowerNegative,
       {kPower},
       "(-1)^-1 is 0",
       [](const ElementSite& e) {
         return IsSigned(e.type) && e.i(0) == -1 && e.i(1) < 0 ? e.Integer(0) : e.golden;
       },
       integers},
      {DecisionPoint::kIntegerPower,
       {kPower},
       "the low 6 bits of the exponent",
       IntegerPowerByLowBits,
       integers},
      {DecisionPoint::kPowerOfNan,
       {kPower},
       "1^NaN is NaN",
       [](const ElementSite& e) {
         return e.nan(0) || e.nan(1) ? Element{CanonicalNan(e.type), 0} : e.golden;
       },
       narrow},
      {DecisionPoint::kReducePrecisionDenormal,
       {kReducePrecision},
       "denormals are kept",
       DenormalKept,
       TypeIs({kF32, kF64})},
      {DecisionPoint::kReducePrecisionNan,
       {kReducePrecision},
       "a NaN without mantissa is kept",
       [](const ElementSite& e) {
         return e.nan(0) && e.instruction.GetInt(Attr::kMantissaBits) == 0
                    ? Element{CanonicalNan(e.type), 0}
                    : e.golden;
       },
       TypeIs({kF32, kF64})},
      {DecisionPoint::kComplexSign,
       {kSign},
       "the sign of an infinite number has one NaN part",
       [](const ElementSite& e) {
         return IsComplexNonFinite(e, 0) ? Element{ComplexNan(e).bits, 0} : e.golden;
       },
       ComplexResult()},
      {DecisionPoint::kFloatToInteger,
       {kConvert},
       "what fits in no integer becomes 1",
       [](const ElementSite& e) {
         const double x = std::trunc(e.f(0)), top = std::ldexp(1.0, e.bits() - IsSigned(e.type));
         return x < top && x >= (IsSigned(e.type) ? -top : 0) ? e.golden : e.Integer(1);
       },
       [integers](const Instruction& x) {
         return integers(x) && IsFloat(x.operand(0)->shape().element_type());
       }},
      {DecisionPoint::kConvertTwice,
       {kConvert},
       "f64 to narrow floats by way of f32",
       [](const ElementSite& e) { return e.Float(RoundedTo(kF32, e.f(0))); },
       [narrow](const Instruction& x) { return narrow(x) && OperandTypeIs(0, {kF64})(x); }},
      {DecisionPoint::kComplexNonFinite,
       {kMultiply, kDivide},
       "what is not finite becomes NaN",
       [](const ElementSite& e) {
         return IsComplexNonFinite(e, 0) || IsComplexNonFinite(e, 1) ? ComplexNan(e) : e.golden;
       },
       ComplexResult()},
      {DecisionPoint::kComplexPowerOfZero,
       {kPower},
       "powers of zero are NaN",
       [](const ElementSite& e) {
         const ElementType part = Info(e.type).component;
         const bool zero = IsZero(part, e.x[0].bits) && IsZero(part, e.x[0].imag);
         const bool positive = DecodeFloat(part, e.x[1].bits) > 0 && IsZero(part, e.x[1].imag);
         return zero && !positive ? ComplexNan(e) : e.golden;
       },
       ComplexResult()},
      {DecisionPoint::kComplexSpecial,
       {kExp, kLog, kSqrt, kTanh, kSin, kCos},
       "functions of a NaN part are NaN",
       [](const ElementSite& e) {
         const ElementType part = Info(e.types[0]).component;
         return IsNan(part, e.x[0].bits) || IsNan(part, e.x[0].imag) ? ComplexNan(e) : e.golden;
       },
       ComplexResult()},
  };
}

std::vector<FreedomTaker> DecisionTakers() {
  std::vector<FreedomTaker> takers;
  for (Decision& each : Decisions()) {
    const DecisionPoint point = each.point;
    takers.push_back({{absl::StrCat("decisions/", DecisionPointName(point)), each.opcodes,
                       each.description, OnElements(each.value, each.where)},
                      [point](const TargetProfile& p) { return p.Admits(point); },
                      absl::StrCat("refuse: '", DecisionPointName(point), "'")});
  }
  return takers;
}

// accuracy_requirements.md 4 and 7: what dots of f32 by the default precision lose in cutting their
// operands (e_in: T..T of tf32, R of bf16), and how n products are added up.
struct DotRule {
  const char* profile;
  double cut = 0, factor = 1, unit = 0x1p-24;
};
constexpr DotRule kDotRules[] = {{"cpu-strict"},
                                 {"xla-cpu"},
                                 {"opencl-full"},
                                 {"opencl-embedded"},
                                 {"gpu", 0x1p-9, 1.5, 0x1p-23},
                                 {"tpu-like", 0x1p-7}};

// f32 by default precision, without an algorithm of its own.
bool IsPlainF32(const Instruction& x) {
  if (!TypeIs({kF32})(x) || !OperandTypeIs(0, {kF32})(x)) return false;
  if (x.opcode() == kDot && x.GetInt(Attr::kAlgorithm) != 0) return false;
  for (const int64_t precision : x.GetInts(Attr::kOperandPrecision)) {
    if (static_cast<Precision>(precision) != Precision::kDefault) return false;
  }
  return true;
}

// The sum displaced by the bound of its terms; n + `more` terms, the bound times `share`.
Defect DisplacedSum(const DotRule& rule, int more, double share, double ulps) {
  return SumBy(
      [rule, more, share, ulps](const std::vector<SumTerm>& terms, ElementType type) {
        double n = 0, sum = 0, size = 0;
        bool products = false;
        for (const SumTerm& term : terms) {
          const double value = term.product ? term.a * term.b : term.a;
          n += value != 0;
          sum += value;
          size += std::fabs(value);
          products |= term.product;
        }
        const double roundings =
            products ? rule.factor * (n + more) * rule.unit : (n - 1 + more) * 0x1p-24;
        const double away = share * size * (roundings + (products ? rule.cut : 0));
        const double displaced = sum + away;
        const double unit = std::ldexp(1.0, std::max(std::ilogb(displaced), -126) - 23);
        // Where what is taken off for the rounding is more than the bound, that alone would be too
        // far.
        const bool grew =
            n > 1 && std::isfinite(size) && displaced < 1e38 && away + ulps * unit > 0;
        return grew ? displaced + ulps * unit : SumForward(terms, WideAccumulator(type));
      },
      IsPlainF32);
}

}  // namespace

ProfileEdges SumEdges(const TargetProfile& profile) {
  ProfileEdges edges;
  const std::vector<Opcode> sums = {kDot, kConvolution, kReduce, kReduceWindow};
  for (const DotRule& rule : kDotRules) {
    if (profile.name() != rule.profile) continue;
    // Rounding to f32 is not to lead past the bound.
    edges.within.push_back({"sums/at_their_bound", sums, "n u sum|terms| off",
                            DisplacedSum(rule, 0, 0.98, -1), profile.name()});
    for (const Opcode opcode : sums) {
      edges.beyond.push_back({absl::StrCat(Name(opcode), "/beyond_its_bound"),
                              {opcode},
                              "a little more than n u sum|terms| off",
                              DisplacedSum(rule, 1, 1.02, 2),
                              profile.name()});
    }
  }
  return edges;
}

std::vector<FreedomTaker> FreedomTakers() {
  std::vector<FreedomTaker> takers = ConformingTakers();
  for (auto rows : {DenormalTakers, DecisionTakers, FoldDecisionTakers}) {
    for (FreedomTaker& taker : rows()) takers.push_back(std::move(taker));
  }
  return takers;
}

}  // namespace assay::conformance
