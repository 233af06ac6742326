#include "conformance/judge/bounds.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/judge/allowance.h"
#include "evaluator/ops/scan_plan.h"

namespace assay {
namespace {

bool IsRounded(ElementType type) { return IsFloat(type) || IsComplex(type); }

// Ulps that one run of a region of float operations may be off: the budgets of its operations, half
// an ulp for each rounded one. 0 when it rounds nothing.
double RegionBudget(const Computation& region) {
  double ulps = 0;
  for (const auto& step : region.instructions()) {
    if (!step->shape().is_array() || !IsRounded(step->shape().element_type())) continue;
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
  if (!literal.is_array() || !IsRounded(literal.element_type())) return largest;
  const ElementType part = PartType(literal);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const Element element = literal.Get(i);
    const double imag = IsComplex(literal.element_type()) ? DecodeFloat(part, element.imag) : 0;
    const double value = std::hypot(DecodeFloat(part, element.bits), imag);
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

bool IsBatchNorm(Opcode opcode) {
  return opcode == Opcode::kBatchNormGrad || opcode == Opcode::kBatchNormInference ||
         opcode == Opcode::kBatchNormTraining;
}

class BoundFinder {
 public:
  explicit BoundFinder(const Subject& subject)
      : subject_(subject), instruction_(subject.instruction), operands_(subject.operands) {}

  absl::StatusOr<Bounds> Find(size_t leaf, const Literal& golden) {
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
    if (IsBatchNorm(instruction_.opcode())) return BatchNormBounds(subject_, leaf, golden);
    if (instruction_.to_apply() != nullptr && IsRounded(type)) {
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

 private:
  // A region that runs as written: each of its runs is off by its operations' budgets, in units of
  // the largest value about. To first order, and for regions that do not amplify what they are
  // given (log-sum-exp, damped means); others show as unexplained.
  Bounds RegionBounds(const Literal& golden, double region_ulps) const {
    Bounds bounds;
    const double runs = RegionRuns(instruction_);
    double largest = LargestMagnitude(golden);
    for (const Literal& operand : operands_) largest = std::max(largest, LargestMagnitude(operand));
    const double bound = runs * region_ulps * UlpOf(PartType(golden), largest);
    bounds.absolute.assign(golden.element_count(), bound);
    bounds.rule = absl::StrCat(runs, " runs of ", region_ulps, " ulp");
    return bounds;
  }

  // B-FFT of ops_structural.md 14.7: the largest of its normwise radii, that of convolutions, axis
  // by axis; two roundings more for the result.
  absl::StatusOr<Bounds> FourierBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "64 u log2(4N) |X|";
    const ElementType part = PartType(golden);
    const auto facts = FindAccumulationFacts(instruction_, operands_,
                                             FactsWanted::kTermsAndMagnitudes, subject_.evaluate);
    if (!facts.ok()) return facts.status();
    double logarithms = 0;
    for (const int64_t length : instruction_.GetInts(Attr::kFftLength)) {
      logarithms += std::log2(4 * static_cast<double>(length));
    }
    for (const AccumulationFact& fact : *facts) {
      bounds.absolute.push_back((64 * logarithms + 2) * UnitRoundoff(part) *
                                    fact.sum_of_magnitudes() +
                                SmallestNormal(part));
    }
    return bounds;
  }

  // Each of n terms is rounded at most n times on its way into a sum in any order; one unit more
  // for the product and one for the result (accuracy_requirements.md 4, ops_structural.md 14.2 to
  // 14.5). Complex contractions: three multiplications, which err more than four.
  absl::StatusOr<Bounds> SumBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "n u sum|terms|";
    const ElementType part = PartType(golden);
    const auto facts = FindAccumulationFacts(instruction_, operands_,
                                             FactsWanted::kTermsAndMagnitudes, subject_.evaluate);
    if (!facts.ok()) return facts.status();
    const bool complex_products =
        IsComplex(golden.element_type()) && instruction_.info().family == Family::kContraction;
    const bool finite = AllFinite(operands_);
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const double n = (*facts)[i].terms, sum = (*facts)[i].sum_of_magnitudes();
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
    // A start value that changes nothing is no factor.
    absl::StatusOr<std::vector<double>> counts =
        FoldTerms(subject_, Opcode::kAdd,
                  [](double value, bool init) { return init && value == 1 ? 0.0 : 1.0; });
    if (!counts.ok()) return counts.status();
    // The product, and the largest and the smallest that some of its factors can have.
    std::vector<double> extremes[3];
    const TermMap maps[] = {
        [](double value, bool) { return std::fabs(value); },
        [](double value, bool) { return std::max(1.0, std::fabs(value)); },
        [](double value, bool) { return value == 0 ? 1.0 : std::min(1.0, std::fabs(value)); }};
    for (int k = 0; k < 3; ++k) {
      absl::StatusOr<std::vector<double>> values = FoldTerms(subject_, Opcode::kMultiply, maps[k]);
      if (!values.ok()) return values.status();
      extremes[k] = *std::move(values);
    }
    const bool finite = AllFinite(operands_);
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

  const Subject& subject_;
  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
};

}  // namespace

double UlpOf(ElementType type, double value) {
  const FloatFormat& format = *Info(type).format;
  int exponent = format.min_exponent();
  if (value != 0 && std::isfinite(value)) exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, std::min(exponent, format.max_exponent()) - format.significand_bits);
}

bool IsFlushed(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kBF16;
}

bool AllFinite(absl::Span<const Literal> operands) {
  for (const Literal& operand : operands) {
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

absl::StatusOr<std::vector<double>> FoldTerms(const Subject& subject, Opcode fold,
                                              const TermMap& map) {
  return FoldWidened(subject.instruction, subject.operands, fold, map, subject.evaluate);
}

absl::StatusOr<Bounds> FindBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return BoundFinder(subject).Find(leaf, golden);
}

}  // namespace assay
