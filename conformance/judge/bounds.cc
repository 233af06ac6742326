#include "conformance/judge/bounds.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/rounds.h"
#include "evaluator/facts/scan_sums.h"
#include "spec/analysis/mixed_move.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

bool IsProduct(const Instruction& step) { return step.opcode() == Opcode::kMultiply; }

// Returns the instructions of a computation and of the computations that it calls.
std::vector<const Instruction*> StepsOf(const Computation& region) {
  std::vector<const Computation*> computations = {&region};
  absl::flat_hash_set<const Computation*> seen = {&region};
  std::vector<const Instruction*> steps;
  while (!computations.empty()) {
    const Computation& computation = *computations.back();
    computations.pop_back();
    for (const auto& step : computation.instructions()) {
      steps.push_back(step.get());
      for (const Computation* callee : step->called_computations()) {
        if (seen.insert(callee).second) computations.push_back(callee);
      }
    }
  }
  return steps;
}

// Returns true if one evaluation of the region, including its calls, may differ from golden:
// functions have budgets, sums have other orders, a product may be fused with the addition that
// uses it, narrow values may have excess precision.
bool StepsMayDiffer(const Computation& region, const TargetProfile& profile) {
  int rounded = 0;
  bool contracts = false, narrow = false, budgets = false;
  for (const Instruction* step : StepsOf(region)) {
    if (!step->shape().is_array() || !IsRounded(step->shape().element_type())) continue;
    const Accuracy accuracy = step->info().accuracy;
    budgets |= step->HasAttribute(Attr::kResultAccuracy) ||
               (accuracy == Accuracy::kAccumulating && profile.Grants(Freedom::kReassociation));
    if (accuracy != Accuracy::kRounded && accuracy != Accuracy::kFunction) continue;
    budgets |= !profile.FindBudget(step->opcode(), step->shape().element_type()).exact();
    if (accuracy != Accuracy::kRounded) continue;
    ++rounded;
    narrow |= Info(step->shape().element_type()).bits <= 16;
    contracts |= (step->opcode() == Opcode::kAdd || step->opcode() == Opcode::kSubtract) &&
                 (IsProduct(*step->operand(0)) || IsProduct(*step->operand(1)));
  }
  return budgets || (contracts && profile.Grants(Freedom::kContraction)) ||
         (narrow && rounded > 1 && profile.Grants(Freedom::kExcessPrecision));
}

// Returns true if a parameter or a conversion has a type that lacks values of what it takes.
bool HasNarrowingStep(const Computation& region, ElementType given) {
  const std::vector<const Instruction*> steps = StepsOf(region);
  return std::any_of(steps.begin(), steps.end(), [&](const Instruction* step) {
    const ElementType from = step->opcode() == Opcode::kParameter ? given
                             : step->opcode() == Opcode::kConvert
                                 ? step->operand(0)->shape().element_type()
                                 : step->shape().element_type();
    return analysis::Narrows(from, step->shape().element_type());
  });
}

// Returns true if the order of folded elements is unspecified and changes the result
// (ops_structural.md 5.1: of a reducer that is not associative and commutative only golden's order
// is judged). Further rules: order_freedoms.cc for folds that select an element, scatter_orders.cc
// for scatters, window_readings.cc for one other order of windows.
bool OrderCounts(const Instruction& instruction, const Computation& region) {
  switch (instruction.opcode()) {
    case Opcode::kSelectAndScatter:
      return analysis::RecogniseReducer(region).kind == analysis::ReducerKind::kOther;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return analysis::RecogniseReducer(region).kind == analysis::ReducerKind::kOther &&
             !Picks(region);
    case Opcode::kScan:
      return instruction.GetBool(Attr::kIsAssociative) &&
             !analysis::RecogniseScan(region, instruction.GetInt(Attr::kNumCarries)).all();
    default:
      return false;
  }
}

double MaxOf(ElementType type) { return DecodeFloat(type, MaxFinite(type)); }

class BoundFinder {
 public:
  explicit BoundFinder(const Subject& subject)
      : subject_(subject), instruction_(subject.instruction), operands_(subject.operands) {}

  absl::StatusOr<Bounds> Find(size_t leaf, const Literal& golden) {
    Bounds bounds;
    const ElementType type = golden.element_type();
    if (SelectionMayDiffer(instruction_, subject_.profile)) {
      bounds.unknown = "another cell of a window may be selected: the values may be kept wider";
      bounds.rule = "no bound";
      return bounds;
    }
    if (IsFloat(type) || IsComplex(type)) {
      switch (KindOfLeaf(instruction_, leaf)) {
        case analysis::ReducerKind::kAdd:
          return SumBounds(subject_, leaf, golden);
        case analysis::ReducerKind::kMultiply:
          return ProductBounds(subject_, leaf, golden);
        default:
          break;
      }
      if (instruction_.opcode() == Opcode::kFft) return FourierBounds(golden);
      if (IsBatchNorm(instruction_.opcode())) return BatchNormBounds(subject_, leaf, golden);
      absl::StatusOr<std::optional<Bounds>> log_sum = LogSumBounds(subject_, golden);
      if (!log_sum.ok()) return log_sum.status();
      if (log_sum->has_value()) return **std::move(log_sum);
      absl::StatusOr<std::optional<Bounds>> scaled = ScaledSumBounds(subject_, leaf, golden);
      if (!scaled.ok()) return scaled.status();
      if (scaled->has_value()) return **std::move(scaled);
    }
    bounds.unknown = WhyUnknown();
    if (!bounds.unknown.empty()) bounds.rule = "no bound";
    return bounds;
  }

 private:
  // Returns the reason why a region has no bound, or an empty string if it has one.
  std::string WhyUnknown() const {
    const Computation* region = FoldRegion(instruction_);
    if (region == nullptr || instruction_.info().family == Family::kControl) return "";
    if (subject_.profile.Grants(Freedom::kReassociation) && OrderCounts(instruction_, *region)) {
      return "its own reducer has no bound: elements may be folded in any order";
    }
    return StepsMayDiffer(*region, subject_.profile) ? "its own computation has no bound" : "";
  }

  // Returns bound B-FFT of ops_structural.md 14.7, axis by axis, with two more roundings for the
  // result: the bound of small radices, or the larger normwise bound of convolutions if the length
  // or the target needs them.
  absl::StatusOr<Bounds> FourierBounds(const Literal& golden) const {
    Bounds bounds;
    bounds.needs = Freedom::kReassociation;
    const ElementType part = PartType(golden);
    const auto facts = evaluator::FindAccumulationFacts(
        instruction_, operands_, evaluator::FactsWanted::kTermsAndMagnitudes, subject_.evaluate);
    if (!facts.ok()) return facts.status();
    const auto kind = instruction_.GetEnum<FftType>(Attr::kFftType);
    const bool divides = kind == FftType::kIfft || kind == FftType::kIrfft;
    double radius = 2;
    bool radices = true;
    for (const int64_t length : instruction_.GetInts(Attr::kFftLength)) {
      const bool convolves =
          subject_.profile.linear_algebra().fft_by_convolution || !HasSmallRadices(length);
      radices = radices && !convolves;
      const double n = static_cast<double>(length);
      // The bound is 6.7 u log2 n. Mixed radices take 2.5 times as much, real transforms two
      // halvings more.
      radius += convolves ? 64 * std::log2(4 * n) : 2.5 * 6.7 * std::log2(4 * n);
    }
    bounds.rule = radices ? "17 u log2(4N) |X|" : "64 u log2(4N) |X|";
    const double relative = radius * UnitRoundoff(part), largest = MaxOf(part);
    // Each rounding on the way from a term may be flushed.
    const double flushed = subject_.profile.Grants(Freedom::kDenormals) ? radius : 0;
    for (const evaluator::AccumulationFact& fact : *facts) {
      const double size = fact.sum_of_magnitudes();
      bounds.absolute.push_back(relative * size + (1 + flushed * static_cast<double>(fact.terms)) *
                                                      SmallestNormal(part));
      bounds.beyond.push_back(
          std::ldexp(relative * fact.magnitudes, fact.exponent - BeyondExponent(instruction_)));
      // A non-finite value in a block reaches every element of the result. Inverse transforms may
      // divide by N at the end.
      const double on_the_way = size * (1 + relative) * (divides ? fact.terms : 1);
      bounds.may_overflow.push_back(std::isfinite(fact.magnitudes) && !(on_the_way <= largest));
    }
    bounds.opens_non_finite = true;
    return bounds;
  }

  static bool HasSmallRadices(int64_t length) {
    for (const int64_t radix : {2, 3, 5, 7, 11, 13}) {
      while (length > 1 && length % radix == 0) length /= radix;
    }
    return length <= 1;
  }

  const Subject& subject_;
  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
};

}  // namespace

bool SelectionMayDiffer(const Instruction& instruction, const TargetProfile& profile) {
  if (instruction.opcode() != Opcode::kSelectAndScatter) return false;
  const Computation& select = *instruction.GetComputation(Attr::kSelect);
  return StepsMayDiffer(select, profile) ||
         (profile.Grants(Freedom::kExcessPrecision) &&
          HasNarrowingStep(select, instruction.operand(0)->shape().element_type()));
}

double UlpOf(ElementType type, double value) {
  const FloatFormat& format = *Info(type).format;
  // Returns the exponent of a double. Zero and values below the normal ones have that of the least
  // normal value.
  const auto biased = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7FF);
  int exponent = format.min_exponent();
  if (biased < 0x7FF) exponent = std::max(exponent, biased - 1023);
  const int unit = std::min(exponent, format.max_exponent()) - format.significand_bits;
  if (unit < -1022) return std::ldexp(1.0, unit);
  return std::bit_cast<double>(static_cast<uint64_t>(unit + 1023) << 52);
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
                                              const evaluator::TermMap& map) {
  return evaluator::FoldWidened(subject.instruction, subject.operands, fold, map, subject.evaluate);
}

absl::StatusOr<Bounds> FindBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return BoundFinder(subject).Find(leaf, golden);
}

}  // namespace assay::conformance
