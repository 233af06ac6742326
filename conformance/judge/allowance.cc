#include "conformance/judge/allowance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/judge/comparison.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/isolate.h"
#include "conformance/judge/widened_fold.h"
#include "conformance/judge/window_readings.h"
#include "evaluator/ops/scan_plan.h"
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

// The types whose denormals implementations flush (ops_elementwise_and_types.md 3.3).
bool IsFlushed(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kBF16;
}

// Denormals to zeros of the same sign.
uint64_t Flush(ElementType type, uint64_t bits) {
  if (!IsFlushed(type) || !IsSubnormal(type, bits)) return bits;
  return EncodeFloat(type, IsNegative(type, bits) ? -0.0 : 0.0);
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
  } else if (instruction.opcode() == Opcode::kScan) {
    runs = static_cast<double>(ScanPlan::Of(instruction).steps);
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
  // Of accumulation in an element type too narrow for the number of terms: nothing beyond it is
  // right, and nothing is known inside. Empty: none.
  std::vector<double> vacuous;
  // Elements whose value some order of the terms takes past the largest finite one. Empty: none.
  std::vector<bool> may_overflow;
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
      if (judgement_.rule.empty()) {
        judgement_.rule = bounds->rule;
      } else if (!absl::StrContains(judgement_.rule, bounds->rule)) {
        absl::StrAppend(&judgement_.rule, ", ", bounds->rule);
      }
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
    switch (FoldKind(instruction_)) {
      case ReducerKind::kAdd:
        return SumBounds(golden);
      case ReducerKind::kMultiply:
        return ProductBounds(golden);
      default:
        break;
    }
    if (instruction_.opcode() == Opcode::kFft) return FourierBounds(golden);
    if (HasNoBound(instruction_.opcode())) {
      bounds.rule = "no bound derived";
      bounds.absolute.assign(golden.element_count(), 0);
      bounds.vacuous.assign(golden.element_count(), kInfinity);
      return bounds;
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

  // Their bounds (ops_structural.md 14.6, 14.8) depend on the condition of what they are given.
  static bool HasNoBound(Opcode opcode) {
    switch (opcode) {
      case Opcode::kBatchNormGrad:
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormTraining:
      case Opcode::kCholesky:
      case Opcode::kTriangularSolve:
        return true;
      default:
        return false;
    }
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

  // B-FFT of ops_structural.md 14.7: the largest of its normwise radii, that of convolutions, axis
  // by axis; two roundings more for the result.
  Bounds FourierBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "64 u log2(4N) |X|";
    const double u = UnitRoundoff(PartType(golden));
    const Literal& operand = operands_[0];
    const ElementType part = PartType(operand);
    const FftType kind = instruction_.GetEnum<FftType>(Attr::kFftType);
    double size = 1, logarithms = 0;
    int64_t from = 1, to = 1;  // elements of a block of the operand, and of the result
    const absl::Span<const int64_t> lengths = instruction_.GetInts(Attr::kFftLength);
    for (size_t d = 0; d < lengths.size(); ++d) {
      const auto behind = static_cast<int64_t>(lengths.size() - d);
      size *= static_cast<double>(lengths[d]);
      logarithms += std::log2(4 * static_cast<double>(lengths[d]));
      from *= operand.shape().dimension(operand.shape().rank() - behind);
      to *= golden.shape().dimension(golden.shape().rank() - behind);
    }
    const bool inverse = kind == FftType::kIfft || kind == FftType::kIrfft;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      if (i % to == 0) {
        double square = 0;
        for (int64_t j = i / to * from; j < (i / to + 1) * from; ++j) {
          const Element x = operand.Get(j);
          const double re = DecodeFloat(part, x.bits);
          const double im = IsComplex(operand.element_type()) ? DecodeFloat(part, x.imag) : 0;
          // The other half of a real transform's spectrum counts too.
          square += (re * re + im * im) * (kind == FftType::kIrfft ? 2 : 1);
        }
        const double norm = std::sqrt(inverse ? square / size : square * size);
        bounds.absolute.push_back((64 * logarithms + 2) * u * norm + SmallestNormal(part));
      } else {
        bounds.absolute.push_back(bounds.absolute.back());
      }
    }
    return bounds;
  }

  // The widened fold of mapped operands, by element of the result.
  absl::StatusOr<std::vector<double>> Fold(Opcode fold, const TermMap& map) const {
    const std::unique_ptr<Module> module = WidenFold(instruction_, fold);
    absl::StatusOr<Literal> value = evaluate_(*module, WidenOperands(instruction_, operands_, map));
    if (!value.ok()) return value.status();
    std::vector<double> values(value->element_count());
    for (int64_t i = 0; i < value->element_count(); ++i) {
      values[i] = DecodeFloat(ElementType::kF64, value->Get(i).bits);
    }
    return values;
  }

  // The number of terms of each element; a start value that changes nothing is none.
  absl::StatusOr<std::vector<double>> CountTerms(double identity) const {
    return Fold(Opcode::kAdd, [identity](double value, bool init) {
      return init && value == identity ? 0.0 : 1.0;
    });
  }

  // Each of n terms is rounded at most n times on its way into a sum in any order; one unit more
  // for the product and one for the result (accuracy_requirements.md 4, ops_structural.md 14.2 to
  // 14.5). Complex contractions: three multiplications, which err more than four.
  absl::StatusOr<Bounds> SumBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "n u sum|terms|";
    const ElementType part = PartType(golden);
    absl::StatusOr<std::vector<double>> counts = CountTerms(0);
    if (!counts.ok()) return counts.status();
    absl::StatusOr<std::vector<double>> magnitudes =
        Fold(Opcode::kAdd, [](double value, bool) { return std::fabs(value); });
    if (!magnitudes.ok()) return magnitudes.status();
    const bool complex_products =
        IsComplex(golden.element_type()) && instruction_.info().family == Family::kContraction;
    const bool finite = AllFinite();
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const double n = (*counts)[i], sum = (*magnitudes)[i];
      const double roundings = complex_products ? 2 * (n + 4) : n + 2;
      AppendSum(part, golden.Get(i), n, roundings, sum, &bounds);
      const double reach = sum * (1 + roundings * UnitRoundoff(part));
      bounds.may_overflow.push_back(finite && reach > DecodeFloat(part, MaxFinite(part)));
    }
    return bounds;
  }

  // Accumulation in the element type is admitted. Where that bounds nothing, accumulation in f32
  // with one rounding at the end does.
  void AppendSum(ElementType part, Element golden, double n, double roundings, double sum,
                 Bounds* bounds) const {
    const double u = UnitRoundoff(part);
    const bool products = instruction_.info().family == Family::kContraction;
    // Flushing loses up to the smallest normal value twice per term. Gradual underflow loses a
    // quantum of the accumulator per product and one of the result: sums of denormals are exact.
    auto error = [&](ElementType accumulator) {
      const double unit = UnitRoundoff(accumulator);
      const double underflow = IsFlushed(part)
                                   ? 2 * n * SmallestNormal(part)
                                   : UlpOf(part, 0) + (products ? n * UlpOf(accumulator, 0) : 0);
      return roundings * unit * sum * (1 + 2 * roundings * unit) + underflow;
    };
    const double own = error(part);
    double judged = own;
    if (roundings * u >= 1) {
      const double accumulated =
          error(u > UnitRoundoff(ElementType::kF32) ? ElementType::kF32 : part);
      judged = accumulated + 2 * u * (std::fabs(DecodeFloat(part, golden.bits)) + accumulated);
    }
    bounds->absolute.push_back(judged);
    bounds->vacuous.push_back(own);
  }

  // n factors in any order, relative to the product while every partial product is normal
  // (ops_structural.md 14.3). One that is not errs by a denormal's distance, which the other
  // factors enlarge.
  absl::StatusOr<Bounds> ProductBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "n u |product|";
    const ElementType part = PartType(golden);
    const double u = UnitRoundoff(part);
    absl::StatusOr<std::vector<double>> counts = CountTerms(1);
    if (!counts.ok()) return counts.status();
    // The product, and the largest and the smallest that some of its factors can have.
    std::vector<double> extremes[3];
    const TermMap maps[] = {
        [](double value, bool) { return std::fabs(value); },
        [](double value, bool) { return std::max(1.0, std::fabs(value)); },
        [](double value, bool) { return value == 0 ? 1.0 : std::min(1.0, std::fabs(value)); }};
    for (int k = 0; k < 3; ++k) {
      absl::StatusOr<std::vector<double>> values = Fold(Opcode::kMultiply, maps[k]);
      if (!values.ok()) return values.status();
      extremes[k] = *std::move(values);
    }
    const bool finite = AllFinite();
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const double n = (*counts)[i], roundings = (n + 2) * u;
      const double underflow =
          extremes[2][i] < SmallestNormal(part) ? n * SmallestNormal(part) * extremes[1][i] : 0;
      const double relative = roundings < 1 ? roundings / (1 - roundings) : kInfinity;
      const double bound = (relative < kInfinity ? relative : 2 * u) * extremes[0][i] + underflow;
      bounds.absolute.push_back(bound);
      bounds.vacuous.push_back(relative < kInfinity ? bound : kInfinity);
      bounds.may_overflow.push_back(
          finite && !(extremes[1][i] * (1 + relative) <= DecodeFloat(part, MaxFinite(part))));
    }
    return bounds;
  }

  bool AllFinite() const {
    for (const Literal& operand : operands_) {
      const ElementType type = operand.element_type();
      if (!IsFloat(type) && !IsComplex(type)) continue;
      const ElementType part = PartType(operand);
      for (int64_t i = 0; i < operand.element_count(); ++i) {
        const Element element = operand.Get(i);
        if (IsNan(part, element.bits) || IsInfinity(part, element.bits)) return false;
        if (!IsComplex(type)) continue;
        if (IsNan(part, element.imag) || IsInfinity(part, element.imag)) return false;
      }
    }
    return true;
  }

  // The instruction itself on flushed operands, its result flushed.
  absl::StatusOr<Literal> FlushedLeaf(size_t leaf) const {
    std::vector<Literal> flushed;
    for (const Literal& operand : operands_) flushed.push_back(MapParts(operand, Flush));
    absl::StatusOr<Literal> value = evaluate_(*IsolateInstruction(instruction_), flushed);
    if (!value.ok()) return value.status();
    return MapParts(Flatten(*value)[leaf], Flush);
  }

  absl::Status JudgeArray(size_t leaf, const Literal& golden, const Literal& actual,
                          const Bounds& bounds) {
    const ElementType type = golden.element_type();
    const bool flushes = MayFlush(instruction_);
    std::optional<Literal> flushed;
    std::optional<std::vector<Literal>> readings;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const Element wanted = golden.Get(i);
      const Element got = actual.Get(i);
      Explanation explanation =
          Explain(type, wanted, got, bounds, i, ZeroSignIsOpen(instruction_, operands_, i));
      if (explanation >= Explanation::kNotJudgeable && flushes) {
        if (!flushed) {
          absl::StatusOr<Literal> value = FlushedLeaf(leaf);
          if (!value.ok()) return value.status();
          flushed = *std::move(value);
        }
        if (IsFlush(type, wanted, flushed->Get(i), got, bounds, i)) {
          explanation = Explanation::kFlushed;
        }
      }
      if (explanation >= Explanation::kNotJudgeable && IsOverflow(type, wanted, got, bounds, i)) {
        explanation = Explanation::kFreedom;
      }
      if (explanation == Explanation::kUnexplained && IsFreedom(type, got, i)) {
        explanation = Explanation::kFreedom;
      }
      if (explanation == Explanation::kUnexplained) {
        if (!readings) {
          absl::StatusOr<std::vector<Literal>> values =
              OtherWindowReadings(instruction_, operands_, evaluate_);
          if (!values.ok()) return values.status();
          readings = *std::move(values);
        }
        for (const Literal& reading : *readings) {
          const Element other = Flatten(reading)[leaf].Get(i);
          if (Explain(type, other, got, bounds, i, /*zero_sign_open=*/true) <
              Explanation::kNotJudgeable) {
            explanation = Explanation::kFreedom;
          }
        }
      }
      Count(explanation, golden, leaf, i, wanted, got);
    }
    return absl::OkStatus();
  }

  Explanation Explain(ElementType type, Element wanted, Element got, const Bounds& bounds,
                      int64_t i, bool zero_sign_open) {
    if (wanted == got) return Explanation::kEqual;
    const ElementType part = Info(type).component;
    if (IsComplex(type)) return ExplainComplex(part, wanted, got, bounds, i, zero_sign_open);
    if (!IsFloat(type)) return Explanation::kUnexplained;
    const double bound = bounds.absolute.empty()
                             ? Allowed(part, bounds.ulps, DecodeFloat(part, wanted.bits))
                             : bounds.absolute[i];
    return ExplainPart(part, wanted.bits, got.bits, bound, bounds, i, zero_sign_open);
  }

  Explanation ExplainPart(ElementType part, uint64_t wanted, uint64_t got, double bound,
                          const Bounds& bounds, int64_t i, bool zero_sign_open) {
    if (wanted == got || (IsNan(part, wanted) && IsNan(part, got))) return Explanation::kEqual;
    if (IsZero(part, wanted) && IsZero(part, got)) {
      return zero_sign_open ? Explanation::kZeroSign : Explanation::kUnexplained;
    }
    const double vacuous = bounds.vacuous.empty() ? bound : bounds.vacuous[i];
    return Inside(DecodeFloat(part, wanted), DecodeFloat(part, got), bound, vacuous);
  }

  Explanation ExplainComplex(ElementType part, Element wanted, Element got, const Bounds& bounds,
                             int64_t i, bool zero_sign_open) {
    const double re = DecodeFloat(part, wanted.bits), im = DecodeFloat(part, wanted.imag);
    const double bound = bounds.absolute.empty() ? Allowed(part, bounds.ulps, std::hypot(re, im))
                                                 : bounds.absolute[i];
    return std::max(ExplainPart(part, wanted.bits, got.bits, bound, bounds, i, zero_sign_open),
                    ExplainPart(part, wanted.imag, got.imag, bound, bounds, i, zero_sign_open));
  }

  // The exact value lies within half an ulp of the golden one.
  static double Allowed(ElementType part, double ulps, double golden) {
    return ulps == 0 ? 0 : (ulps + 0.5) * UlpOf(part, golden);
  }

  Explanation Inside(double wanted, double got, double bound, double vacuous) {
    if (!std::isfinite(wanted) || !std::isfinite(got)) return Explanation::kUnexplained;
    const double distance = std::fabs(wanted - got);
    if (distance <= bound && bound < kInfinity) {
      judgement_.largest_fraction = std::max(judgement_.largest_fraction, distance / bound);
      return Explanation::kWithin;
    }
    return bound < vacuous && distance <= vacuous ? Explanation::kNotJudgeable
                                                  : Explanation::kUnexplained;
  }

  // The value for flushed operands, itself flushed; or zero for a denormal result. Either zero
  // (accuracy_requirements.md 1), but only where something was flushed.
  bool IsFlush(ElementType type, Element wanted, Element flushed, Element got, const Bounds& bounds,
               int64_t i) {
    if (flushed == wanted) return false;
    return Explain(type, flushed, got, bounds, i, /*zero_sign_open=*/true) <
           Explanation::kNotJudgeable;
  }

  // ops_structural.md 14.2, "Overflow": where the terms can go past the largest finite value in
  // some order, what overflow gives is admitted, and NaN after it. Where the value itself goes past
  // it, so is a finite result near it.
  bool IsOverflow(ElementType type, Element wanted, Element got, const Bounds& bounds, int64_t i) {
    if (!IsFloat(type) || bounds.may_overflow.empty() || !bounds.may_overflow[i]) return false;
    auto overflowed = [type](uint64_t bits) {
      return IsNan(type, bits) || IsInfinity(type, bits) || bits == Infinity(type) ||
             bits == Infinity(type, /*negative=*/true);
    };
    if (overflowed(got.bits)) return true;
    if (!overflowed(wanted.bits)) return false;
    if (!exact_) {
      absl::StatusOr<std::vector<double>> exact =
          Fold(FoldKind(instruction_) == ReducerKind::kAdd ? Opcode::kAdd : Opcode::kMultiply,
               [](double value, bool) { return value; });
      exact_ = exact.ok() ? *std::move(exact) : std::vector<double>();
    }
    return !exact_->empty() &&
           std::fabs((*exact_)[i] - DecodeFloat(type, got.bits)) <= bounds.absolute[i];
  }

  // Decision points of ops_elementwise_and_types.md 7. R-2: a NaN without mantissa bits to keep may
  // stay a NaN or become an infinity.
  bool IsFreedom(ElementType type, Element got, int64_t i) const {
    return instruction_.opcode() == Opcode::kReducePrecision &&
           instruction_.GetInt(Attr::kMantissaBits) == 0 && IsNan(type, operands_[0].Get(i).bits) &&
           (IsNan(type, got.bits) || IsInfinity(type, got.bits));
  }

  void Count(Explanation explanation, const Literal& golden, size_t leaf, int64_t i, Element wanted,
             Element got) {
    ++judgement_.counts[static_cast<int>(explanation)];
    if (explanation == Explanation::kUnexplained &&
        judgement_.unexplained.size() < kShownUnexplained) {
      judgement_.unexplained.push_back({static_cast<int64_t>(leaf), i,
                                        PrintElement(golden.element_type(), wanted),
                                        PrintElement(golden.element_type(), got)});
    }
    judgement_.worst = std::max(judgement_.worst, explanation);
    const ElementType part = PartType(golden);
    if (!IsFloat(part) || IsNan(part, wanted.bits) || IsNan(part, got.bits)) return;
    uint64_t distance = UlpDistance(part, wanted.bits, got.bits);
    if (IsComplex(golden.element_type()) && !IsNan(part, wanted.imag) && !IsNan(part, got.imag)) {
      distance = std::max(distance, UlpDistance(part, wanted.imag, got.imag));
    }
    judgement_.largest_distance = std::max(judgement_.largest_distance, distance);
  }

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  const Evaluate& evaluate_;
  std::optional<std::vector<double>> exact_;  // the sum or product in f64
  Judgement judgement_;
};

}  // namespace

std::string Judgement::FirstUnexplained() const {
  if (unexplained.empty()) return "";
  const UnexplainedElement& first = unexplained.front();
  return absl::StrCat("element ", first.position, ": golden ", first.golden, ", actual ",
                      first.actual);
}

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
    case Explanation::kNotJudgeable:
      return "not judgeable";
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
