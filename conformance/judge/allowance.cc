#include "conformance/judge/allowance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/region/reducer.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ElementType PartType(const Literal& literal) { return Info(literal.element_type()).component; }

// Unit roundoff and the smallest normal value of a type.
double UnitRoundoff(ElementType type) { return std::ldexp(1.0, -Info(type).format->precision()); }
double SmallestNormal(ElementType type) {
  return std::ldexp(1.0, Info(type).format->min_exponent());
}

// ulp_T(v) of accuracy_requirements.md 1.
double UlpOf(ElementType type, double value) {
  const FloatFormat& format = *Info(type).format;
  int exponent = format.min_exponent();
  if (value != 0 && std::isfinite(value)) exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, std::min(exponent, format.max_exponent()) - format.significand_bits);
}

// Replaces every element by f of its parts.
template <typename F>
Literal MapParts(const Literal& literal, F f) {
  Literal mapped = literal;
  if (!literal.is_array() ||
      !(IsFloat(literal.element_type()) || IsComplex(literal.element_type()))) {
    return mapped;
  }
  const ElementType part = PartType(literal);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Element element = literal.Get(i);
    element.bits = f(part, element.bits);
    if (IsComplex(literal.element_type())) element.imag = f(part, element.imag);
    mapped.Set(i, element);
  }
  return mapped;
}

// Denormals to zeros of the same sign, in the types whose denormals implementations flush
// (ops_elementwise_and_types.md 3.3).
uint64_t Flush(ElementType type, uint64_t bits) {
  const bool flushed =
      type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kBF16;
  if (!flushed || !IsSubnormal(type, bits)) return bits;
  return EncodeFloat(type, IsNegative(type, bits) ? -0.0 : 0.0);
}

uint64_t Magnitude(ElementType type, uint64_t bits) {
  return EncodeFloat(type, std::fabs(DecodeFloat(type, bits)));
}

uint64_t One(ElementType type, uint64_t) { return EncodeFloat(type, 1); }

// The reducer whose sum the instruction forms, if it forms one.
ReducerKind SumKind(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return ReducerKind::kAdd;
    case Opcode::kSelectAndScatter:
      return RecogniseReducer(*instruction.GetComputation(Attr::kScatter)).kind;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
      return RecogniseReducer(*instruction.to_apply()).kind;
    default:
      return ReducerKind::kOther;
  }
}

// Ulps that one run of a region of float operations may be off: the budgets of its operations, half
// an ulp for each rounded one. 0 when it rounds nothing.
double RegionBudget(const Computation& region) {
  double ulps = 0;
  for (const auto& step : region.instructions()) {
    if (!step->shape().is_array() || !IsFloat(step->shape().element_type())) continue;
    const Accuracy accuracy = step->info().accuracy;
    if (accuracy == Accuracy::kRounded || accuracy == Accuracy::kFunction) {
      ulps += 0.5 + UlpBudget(step->opcode(), step->shape().element_type());
    }
  }
  return ulps;
}

// How often the region of a fold runs for one element of the result.
double RegionRuns(const Instruction& instruction) {
  double runs = 1;
  if (instruction.opcode() == Opcode::kReduce) {
    for (int64_t d : instruction.GetInts(Attr::kDimensions)) {
      runs *= static_cast<double>(instruction.operand(0)->shape().dimension(d));
    }
  } else if (instruction.opcode() == Opcode::kReduceWindow) {
    for (const WindowDimension& d : instruction.window().dimensions) {
      runs *= static_cast<double>(d.size);
    }
  }
  return runs;
}

double LargestMagnitude(const Literal& literal) {
  double largest = 0;
  if (!literal.is_array() || !IsFloat(literal.element_type())) return largest;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const double value = std::fabs(DecodeFloat(literal.element_type(), literal.Get(i).bits));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

// Bounds for one result array: an absolute one per element, or one from the golden value's ulp.
struct Bounds {
  std::vector<double> absolute;  // empty: none
  double ulps = 0;
  bool normwise = false;  // complex: of the distance in the plane
  std::string rule = "exact";
};

class Judge {
 public:
  Judge(const Instruction& instruction, absl::Span<const Literal> operands,
        const Evaluate& evaluate)
      : instruction_(instruction), operands_(operands), evaluate_(evaluate) {}

  absl::StatusOr<Judgement> Run(const Literal& golden, const Literal& actual) {
    const std::vector<Literal> golden_leaves = Flatten(golden);
    const std::vector<Literal> actual_leaves = Flatten(actual);
    for (size_t leaf = 0; leaf < golden_leaves.size(); ++leaf) {
      if (!golden_leaves[leaf].is_array()) continue;
      absl::StatusOr<Bounds> bounds = FindBounds(golden_leaves[leaf]);
      if (!bounds.ok()) return bounds.status();
      judgement_.rule = bounds->rule;
      absl::Status status = JudgeArray(leaf, golden_leaves[leaf], actual_leaves[leaf], *bounds);
      if (!status.ok()) return status;
    }
    return judgement_;
  }

 private:
  absl::StatusOr<Bounds> FindBounds(const Literal& golden) {
    Bounds bounds;
    const ElementType type = golden.element_type();
    if (!IsFloat(type) && !IsComplex(type)) return bounds;
    const ReducerKind kind = SumKind(instruction_);
    if (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply) {
      return SumBounds(golden, kind);
    }
    if (instruction_.to_apply() != nullptr && IsFloat(type)) {
      const double region = RegionBudget(*instruction_.to_apply());
      if (region > 0) return RegionBounds(golden, region);
    }
    const ElementType operand =
        operands_.empty() || !operands_[0].is_array() ? type : operands_[0].element_type();
    // abs of complex has a real result but a complex function's budget.
    bounds.ulps = UlpBudget(instruction_.opcode(), IsComplex(operand) ? operand : type);
    bounds.normwise = IsComplex(type);
    if (bounds.ulps > 0) bounds.rule = absl::StrCat(bounds.ulps, " ulp");
    return bounds;
  }

  // A region that runs as written: each of its runs is off by its operations' budgets, in units of
  // the largest value about. To first order, and for regions that do not amplify what they are
  // given (log-sum-exp, damped means); others show as unexplained.
  Bounds RegionBounds(const Literal& golden, double region_ulps) const {
    Bounds bounds;
    const double runs = RegionRuns(instruction_);
    double largest = LargestMagnitude(golden);
    for (const Literal& operand : operands_) largest = std::max(largest, LargestMagnitude(operand));
    const double bound = runs * region_ulps * UlpOf(golden.element_type(), largest);
    bounds.absolute.assign(golden.element_count(), bound);
    bounds.rule = absl::StrCat(runs, " runs of ", region_ulps, " ulp");
    return bounds;
  }

  // n and sum|terms| come from the operation itself, on operands of ones and of magnitudes. Each
  // of n terms is rounded at most n times on its way into a sum in any order; one unit more for
  // the product and one for the result (ops_structural.md 14.3 to 14.5).
  absl::StatusOr<Bounds> SumBounds(const Literal& golden, ReducerKind kind) {
    Bounds bounds;
    const ElementType part = PartType(golden);
    const double u = UnitRoundoff(part);
    absl::StatusOr<Literal> ones = EvaluateMapped(One);
    if (!ones.ok()) return ones.status();
    absl::StatusOr<Literal> magnitudes = EvaluateMapped(Magnitude);
    if (!magnitudes.ok()) return magnitudes.status();
    const bool complex = IsComplex(golden.element_type());
    const bool product = kind == ReducerKind::kMultiply;
    bounds.rule = product ? "n u |product|" : "n u sum|terms|";
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      auto sum = [&](const Literal& value) {
        const Element element = value.Get(i);
        double total = std::fabs(DecodeFloat(part, element.bits));
        if (complex) total += std::fabs(DecodeFloat(part, element.imag));
        return total;
      };
      // A product of ones is one; its factors are at most the operand's elements.
      const double n = product ? static_cast<double>(operands_[0].element_count()) : sum(*ones);
      const double terms = sum(*magnitudes);
      bounds.absolute.push_back((n + 2) * u * terms * (1 + 2 * (n + 2) * u) +
                                n * SmallestNormal(part));
    }
    return bounds;
  }

  absl::StatusOr<Literal> EvaluateMapped(uint64_t (*f)(ElementType, uint64_t)) {
    std::vector<Literal> mapped;
    for (const Literal& operand : operands_) mapped.push_back(MapParts(operand, f));
    return evaluate_(mapped);
  }

  absl::Status JudgeArray(size_t leaf, const Literal& golden, const Literal& actual,
                          const Bounds& bounds) {
    std::optional<Literal> flushed;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const Element wanted = golden.Get(i);
      const Element got = actual.Get(i);
      Explanation explanation = Explain(golden.element_type(), wanted, got, bounds, i);
      if (explanation == Explanation::kUnexplained) {
        if (!flushed) {
          absl::StatusOr<Literal> value = EvaluateMapped(Flush);
          if (!value.ok()) return value.status();
          flushed = MapParts(Flatten(*value)[leaf], Flush);
        }
        if (IsFlush(golden.element_type(), flushed->Get(i), got, bounds, i)) {
          explanation = Explanation::kFlushed;
        } else if (IsFreedom(golden.element_type(), got, i)) {
          explanation = Explanation::kFreedom;
        }
      }
      Count(explanation, golden, i, wanted, got);
    }
    return absl::OkStatus();
  }

  Explanation Explain(ElementType type, Element wanted, Element got, const Bounds& bounds,
                      int64_t i) {
    if (wanted == got) return Explanation::kEqual;
    const ElementType part = Info(type).component;
    if (IsFloat(type)) {
      if (IsNan(part, wanted.bits) && IsNan(part, got.bits)) return Explanation::kEqual;
      if (IsZero(part, wanted.bits) && IsZero(part, got.bits)) return Explanation::kZeroSign;
      const double bound = bounds.absolute.empty()
                               ? Allowed(part, bounds.ulps, DecodeFloat(part, wanted.bits))
                               : bounds.absolute[i];
      return Inside(DecodeFloat(part, wanted.bits), DecodeFloat(part, got.bits), bound);
    }
    return IsComplex(type) ? ExplainComplex(part, wanted, got, bounds, i)
                           : Explanation::kUnexplained;
  }

  Explanation ExplainComplex(ElementType part, Element wanted, Element got, const Bounds& bounds,
                             int64_t i) {
    const double re = DecodeFloat(part, wanted.bits), im = DecodeFloat(part, wanted.imag);
    const double bound = bounds.absolute.empty() ? Allowed(part, bounds.ulps, std::hypot(re, im))
                                                 : bounds.absolute[i];
    Explanation worst = Explanation::kEqual;
    for (auto [a, b] : {std::pair(wanted.bits, got.bits), std::pair(wanted.imag, got.imag)}) {
      if (a == b || (IsNan(part, a) && IsNan(part, b))) continue;
      Explanation one = Explanation::kZeroSign;
      if (!IsZero(part, a) || !IsZero(part, b)) {
        one = Inside(DecodeFloat(part, a), DecodeFloat(part, b), bound);
      }
      worst = std::max(worst, one);
    }
    return worst;
  }

  // The exact value lies within half an ulp of the golden one.
  static double Allowed(ElementType part, double ulps, double golden) {
    return ulps == 0 ? 0 : (ulps + 0.5) * UlpOf(part, golden);
  }

  Explanation Inside(double wanted, double got, double bound) {
    if (std::isnan(wanted) || std::isnan(got)) return Explanation::kUnexplained;
    if (std::isinf(wanted) || std::isinf(got) || !(bound < kInfinity)) {
      return Explanation::kUnexplained;
    }
    const double distance = std::fabs(wanted - got);
    if (!(distance <= bound)) return Explanation::kUnexplained;
    judgement_.largest_fraction = std::max(judgement_.largest_fraction, distance / bound);
    return Explanation::kWithin;
  }

  // The value for flushed operands, itself flushed; or zero for a denormal result.
  bool IsFlush(ElementType type, Element flushed, Element got, const Bounds& bounds, int64_t i) {
    if (!IsFloat(type) && !IsComplex(type)) return flushed == got;
    return Explain(type, flushed, got, bounds, i) != Explanation::kUnexplained;
  }

  // Decision points of ops_elementwise_and_types.md 7. R-2: a NaN without mantissa bits to keep may
  // stay a NaN or become an infinity.
  bool IsFreedom(ElementType type, Element got, int64_t i) const {
    return instruction_.opcode() == Opcode::kReducePrecision &&
           instruction_.GetInt(Attr::kMantissaBits) == 0 && IsNan(type, operands_[0].Get(i).bits) &&
           (IsNan(type, got.bits) || IsInfinity(type, got.bits));
  }

  void Count(Explanation explanation, const Literal& golden, int64_t i, Element wanted,
             Element got) {
    ++judgement_.counts[static_cast<int>(explanation)];
    if (explanation == Explanation::kUnexplained && judgement_.first_unexplained.empty()) {
      judgement_.first_unexplained =
          absl::StrCat("element ", i, ": golden ", PrintElement(golden.element_type(), wanted),
                       ", actual ", PrintElement(golden.element_type(), got));
    }
    judgement_.worst = std::max(judgement_.worst, explanation);
    const ElementType part = PartType(golden);
    if (!IsFloat(part) || IsNan(part, wanted.bits) || IsNan(part, got.bits)) return;
    const int64_t a = FloatOrdinal(part, wanted.bits), b = FloatOrdinal(part, got.bits);
    const uint64_t distance = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                    : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
    judgement_.largest_distance = std::max(judgement_.largest_distance, distance);
  }

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  const Evaluate& evaluate_;
  Judgement judgement_;
};

}  // namespace

absl::string_view ExplanationName(Explanation explanation) {
  switch (explanation) {
    case Explanation::kEqual:
      return "equal";
    case Explanation::kWithin:
      return "within bound";
    case Explanation::kZeroSign:
      return "sign of zero";
    case Explanation::kFlushed:
      return "denormals flushed";
    case Explanation::kFreedom:
      return "allowed freedom";
    case Explanation::kUnexplained:
      return "UNEXPLAINED";
  }
  return "";
}

absl::StatusOr<Judgement> JudgeInstruction(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& actual,
                                           const Evaluate& evaluate) {
  if (!Shape::Compatible(golden.shape(), actual.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("the result of ", instruction.Describe(),
                                                   " has shape ", actual.shape().ToString()));
  }
  return Judge(instruction, operands, evaluate).Run(golden, actual);
}

}  // namespace assay
