#include "conformance/judge/bounds.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/judge/rounds.h"
#include "evaluator/facts/scan_sums.h"
#include "evaluator/ops/scan_plan.h"

namespace assay {
namespace {

bool IsProduct(const Instruction& step) { return step.opcode() == Opcode::kMultiply; }

// Whether the profile lets the target round otherwise than step by step inside the region: a fold
// in another order, a product together with the addition that takes it, narrow values kept wider.
bool MayCombine(const Instruction& instruction, const Computation& region,
                const TargetProfile& profile) {
  if (instruction.opcode() != Opcode::kMap && profile.Grants(Freedom::kReassociation)) return true;
  int rounded = 0;
  bool contracts = false, narrow = false;
  for (const auto& step : region.instructions()) {
    if (!step->shape().is_array() || !IsRounded(step->shape().element_type())) continue;
    if (step->info().accuracy != Accuracy::kRounded) continue;
    ++rounded;
    narrow |= Info(step->shape().element_type()).bits <= 16;
    contracts |= (step->opcode() == Opcode::kAdd || step->opcode() == Opcode::kSubtract) &&
                 (IsProduct(*step->operand(0)) || IsProduct(*step->operand(1)));
  }
  return (contracts && profile.Grants(Freedom::kContraction)) ||
         (narrow && rounded > 1 && profile.Grants(Freedom::kExcessPrecision));
}

// Ulps that one run of a region of float operations may be off: the budgets of its operations, half
// an ulp for each rounded one where these may be combined. 0 when nothing may differ.
double RegionBudget(const Instruction& instruction, const TargetProfile& profile) {
  const Computation& region = *instruction.to_apply();
  const bool combined = MayCombine(instruction, region, profile);
  double ulps = 0;
  for (const auto& step : region.instructions()) {
    if (!step->shape().is_array() || !IsRounded(step->shape().element_type())) continue;
    const Accuracy accuracy = step->info().accuracy;
    if (accuracy != Accuracy::kRounded && accuracy != Accuracy::kFunction) continue;
    const UlpBudget budget = profile.FindBudget(step->opcode(), step->shape().element_type());
    if (combined || !budget.exact()) ulps += 0.5 + budget.ulps;
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
        return SumBounds(subject_, leaf, golden);
      case ReducerKind::kMultiply:
        return ProductBounds(golden);
      default:
        break;
    }
    if (FindScanSum(instruction_, static_cast<int64_t>(leaf)).has_value()) {
      return SumBounds(subject_, leaf, golden);
    }
    if (instruction_.opcode() == Opcode::kFft) return FourierBounds(golden);
    if (IsBatchNorm(instruction_.opcode())) return BatchNormBounds(subject_, leaf, golden);
    if (instruction_.to_apply() != nullptr && IsRounded(type)) {
      const double region = RegionBudget(instruction_, subject_.profile);
      if (region > 0) return RegionBounds(golden, region);
    }
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
    if (instruction_.opcode() != Opcode::kMap) {
      bounds.needs = Freedom::kReassociation;
    } else if (subject_.profile.Grants(Freedom::kContraction)) {
      bounds.needs = Freedom::kContraction;
      bounds.is_freedom = true;
    }
    return bounds;
  }

  // B-FFT of ops_structural.md 14.7, axis by axis, two roundings more for the result: small
  // radices, or the largest of its normwise radii, that of convolutions, where the length or the
  // target asks for them.
  absl::StatusOr<Bounds> FourierBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.needs = Freedom::kReassociation;
    const ElementType part = PartType(golden);
    const auto facts = FindAccumulationFacts(instruction_, operands_,
                                             FactsWanted::kTermsAndMagnitudes, subject_.evaluate);
    if (!facts.ok()) return facts.status();
    double radius = 2;
    bool radices = true;
    for (const int64_t length : instruction_.GetInts(Attr::kFftLength)) {
      const bool convolves =
          subject_.profile.linear_algebra().fft_by_convolution || !HasSmallRadices(length);
      radices = radices && !convolves;
      const double n = static_cast<double>(length);
      // 6.7 u log2 n, of which mixed radices take 2.5 times as much; real ones two halvings more.
      radius += convolves ? 64 * std::log2(4 * n) : 2.5 * 6.7 * std::log2(4 * n);
    }
    bounds.rule = radices ? "17 u log2(4N) |X|" : "64 u log2(4N) |X|";
    for (const AccumulationFact& fact : *facts) {
      bounds.absolute.push_back(radius * UnitRoundoff(part) * fact.sum_of_magnitudes() +
                                SmallestNormal(part));
    }
    return bounds;
  }

  static bool HasSmallRadices(int64_t length) {
    for (const int64_t radix : {2, 3, 5, 7, 11, 13}) {
      while (length > 1 && length % radix == 0) length /= radix;
    }
    return length <= 1;
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
    bounds.needs = Freedom::kReassociation;
    bounds.is_freedom = true;
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

bool AllFinite(absl::Span<const Literal> operands) {
  constexpr int64_t kBlock = 256;
  double values[kBlock];
  for (const Literal& operand : operands) {
    const ElementType type = operand.element_type();
    if (!IsFloat(type) && !IsComplex(type)) continue;
    const ElementType part = PartType(operand);
    const int64_t count = operand.element_count() * (IsComplex(type) ? 2 : 1);
    for (int64_t first = 0; first < count; first += kBlock) {
      const int64_t size = std::min(kBlock, count - first);
      DecodeFloats(part, operand.data() + first * Info(part).storage_bytes, size, values);
      if (!std::all_of(values, values + size, [](double x) { return std::isfinite(x); })) {
        return false;
      }
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
