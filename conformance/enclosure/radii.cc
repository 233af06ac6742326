#include "conformance/enclosure/radii.h"

#include <algorithm>
#include <cmath>

#include "conformance/enclosure/word_loops.h"
#include "conformance/judge/fold_parts.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

// The larger magnitude of both ends. The ends themselves where none is negative.
Literal Magnitudes(const Box& box) {
  if (!IsFloat(Info(box.low.element_type()).component)) return box.low;
  Literal magnitudes;
  if (MagnitudesOfWords(box, &magnitudes)) return magnitudes;
  Box both = box;
  UpdateParts(
      [](const auto& line, Place, Ends* ends) {
        auto magnitude = [&](uint64_t bits) {
          const int64_t ordinal = line.Ordinal(bits);
          return ordinal >= 0 ? ordinal : -ordinal - (line.signed_zero() ? 1 : 0);
        };
        ends->low = ends->high = line.Bits(std::max(magnitude(ends->low), magnitude(ends->high)));
      },
      &both);
  return both.low;
}

// Returns true if the instruction adds real numbers into one array.
bool SumsReals(const Instruction& instruction) {
  return instruction.shape().is_array() && IsFloat(instruction.shape().element_type()) &&
         evaluator::FoldKind(instruction) == analysis::ReducerKind::kAdd &&
         instruction.opcode() != Opcode::kScaledDot &&
         IsFloat(instruction.operand(0)->shape().element_type()) &&
         !instruction.operand(0)->shape().is_dynamic();
}

bool IsNarrow(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBF16; }

double RadiusOf(const Bounds& bounds, int64_t i) {
  if (!bounds.anything.empty() && bounds.anything[i]) return kUnconstrained;
  if (!bounds.may_overflow.empty() && bounds.may_overflow[i]) return kInfinity;
  if (!bounds.meets_infinity.empty() && bounds.meets_infinity[i]) return kInfinity;
  if (bounds.absolute.empty()) return 0;
  return bounds.vacuous.empty() ? bounds.absolute[i]
                                : std::max(bounds.absolute[i], bounds.vacuous[i]);
}

double RadiusOf(const Bounds::OfPart& part) {
  if (part.may_overflow || part.meets_infinity) return kInfinity;
  return std::max(part.absolute, part.vacuous);
}

// By element, or by part where the parts have bounds of their own.
std::vector<double> RadiiOf(const Bounds& bounds, int64_t count) {
  std::vector<double> radii;
  for (int64_t i = 0; i < count; ++i) {
    if (bounds.parts.empty()) {
      radii.push_back(RadiusOf(bounds, i));
    } else {
      for (const Bounds::OfPart& part : bounds.parts[i]) radii.push_back(RadiusOf(part));
    }
  }
  return radii;
}

}  // namespace

std::vector<Literal> AllMagnitudes(const Instruction& instruction, Boxes operands) {
  std::vector<Literal> magnitudes;
  for (const Box& operand : operands) magnitudes.push_back(Magnitudes(operand));
  if (instruction.opcode() == Opcode::kSelectAndScatter) magnitudes[0] = operands[0].low;
  return magnitudes;
}

ElementType SumType(const Instruction& instruction) {
  const ElementType type = instruction.shape().element_type();
  const bool contraction = instruction.info().family == Family::kContraction;
  bool narrow = true, single = true;
  for (const Instruction* operand : instruction.operands()) {
    const ElementType of = operand->shape().element_type();
    if (!IsFloat(of) && !(contraction && evaluator::FactorsAreOperands(instruction))) continue;
    narrow = narrow && IsNarrow(of);
    single = single && of == ElementType::kF32;
  }
  if (narrow && (IsNarrow(type) || type == ElementType::kF32)) return ElementType::kF32;
  return single && type == ElementType::kF32 ? type : ElementType::kF64;
}

void JoinRoundedSums(const ExactSums& lows, const ExactSums& highs,
                     absl::Span<const double> unrounded_below,
                     absl::Span<const double> unrounded_above, Box* box) {
  const size_t count = lows.values.size();
  std::vector<double> least(count), most(count);
  // Golden values, of what has no other.
  DecodeFloats(box->low.element_type(), box->low.data(), box->low.element_count(), least.data());
  DecodeFloats(box->low.element_type(), box->high.data(), box->low.element_count(), most.data());
  for (size_t i = 0; i < count; ++i) {
    const double low = lows.values[i], high = highs.values[i];
    const double below = unrounded_below[i], above = unrounded_above[i];
    const auto slack = [](const ExactSums& of, double value) {
      return of.share * std::fabs(value) + of.distance;
    };
    if (below != 0) least[i] = low - (below + slack(lows, low));
    if (above != 0) most[i] = high + (above + slack(highs, high));
  }
  JoinRounded(least, most, box);
}

namespace {

// A sum of magnitudes, which are f32 or f64, is NaN only if a term is: then the sum of the terms is
// NaN in any order.
absl::StatusOr<Reach> KeepingNans(const Literal& golden, const Literal& sums,
                                  absl::StatusOr<Reach> reach) {
  if (!reach.ok()) return reach;
  for (int64_t i = 0; i < sums.element_count(); ++i) {
    if (!reach->radii.empty() && reach->radii[i] < kInfinity) continue;
    if (!IsNan(sums.element_type(), sums.Get(i).bits)) continue;
    if (!IsNan(golden.element_type(), golden.Get(i).bits)) continue;
    if (!reach->radii.empty()) reach->radii[i] = 0;
    if (!reach->unrounded.empty()) reach->unrounded[i] = 0;
  }
  return reach;
}

}  // namespace

absl::StatusOr<Reach> RadiusFinder::About(const Instruction& instruction,
                                          absl::Span<const Literal> operands, size_t leaf,
                                          const Literal& golden) const {
  if (!SumsReals(instruction)) {
    absl::StatusOr<std::vector<double>> radii = ByBounds(instruction, operands, leaf, golden);
    if (!radii.ok()) return radii.status();
    return Reach{*std::move(radii), {}};
  }
  std::vector<Literal> magnitudes;
  bool positive = true;
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool selects = instruction.opcode() == Opcode::kSelectAndScatter && k == 0;
    magnitudes.push_back(selects ? operands[k] : Magnitudes(Box::Point(operands[k])));
    positive = positive && magnitudes[k].shares_data_with(operands[k]);
  }
  const ElementType type = SumType(instruction);
  if (positive && golden.element_type() == type) {
    return KeepingNans(golden, golden, OfSums(instruction, operands, golden, golden));
  }
  const absl::StatusOr<Literal> sums = golden_.EvaluateSums(instruction, type, magnitudes);
  if (!sums.ok()) return sums.status();
  return KeepingNans(golden, *sums, OfSums(instruction, operands, golden, *sums));
}

absl::StatusOr<Reach> RadiusFinder::WithinMagnitudes(const Instruction& instruction,
                                                     absl::Span<const Literal> magnitudes) const {
  if (SumsReals(instruction)) {
    const ElementType type = SumType(instruction);
    const absl::StatusOr<Literal> sums = golden_.EvaluateSums(instruction, type, magnitudes);
    if (!sums.ok()) return sums.status();
    if (instruction.shape().element_type() == type) {
      return OfSums(instruction, magnitudes, *sums, *sums);
    }
    Literal golden = Literal::Zeros(instruction.shape());
    std::vector<double> values(sums->element_count());
    DecodeFloats(type, sums->data(), sums->element_count(), values.data());
    EncodeFloats(golden.element_type(), values.data(), sums->element_count(),
                 golden.mutable_data());
    return OfSums(instruction, magnitudes, golden, *sums);
  }
  const absl::StatusOr<Literal> golden = golden_.Evaluate(instruction, magnitudes);
  if (!golden.ok()) return golden.status();
  const Literal first = Flatten(*golden)[0];
  absl::StatusOr<std::vector<double>> radii = ByBounds(instruction, magnitudes, 0, first);
  if (!radii.ok()) return radii.status();
  if (radii->empty()) radii->assign(first.element_count(), 0.0);
  return Reach{*std::move(radii), {}};
}

// Of f32 the exact sums are rounded once, of f64 what is computed with them is as well.
absl::StatusOr<ExactSums> RadiusFinder::Exact(const Instruction& instruction,
                                              absl::Span<const Literal> operands) const {
  ExactSums exact;
  const ElementType type = SumType(instruction);
  if (!SumsReals(instruction) || instruction.shape().element_type() == type) return exact;
  const absl::StatusOr<Literal> sums = golden_.EvaluateSums(instruction, type, operands);
  if (!sums.ok()) return sums.status();
  exact.values.resize(sums->element_count());
  DecodeFloats(type, sums->data(), sums->element_count(), exact.values.data());
  exact.share = UnitRoundoff(type) + 0x1p-50;
  exact.distance = UlpOf(type, 0);
  return exact;
}

absl::StatusOr<SumRadii> RadiusFinder::OfF32Sums(const Instruction& instruction,
                                                 const Instruction& form,
                                                 absl::Span<const Literal> magnitudes) const {
  const Subject of_form{form, magnitudes, golden_.evaluate_module(), profile_};
  absl::StatusOr<std::vector<double>> sums = FoldTerms(
      of_form, Opcode::kAdd, [](double value, bool) { return std::fabs(value) * (1 + 0x1p-40); });
  if (!sums.ok()) return sums.status();
  const absl::StatusOr<absl::Span<const double>> counts = golden_.CountTerms(form, magnitudes);
  if (!counts.ok()) return counts.status();
  Literal sizes = Literal::Zeros(form.shape());
  EncodeFloats(sizes.element_type(), sums->data(), sizes.element_count(), sizes.mutable_data());
  return OfF32Facts(instruction, form, sizes, *counts, *sums);
}

// What a bound of a sum is of its magnitudes is no less of half of them, twice: so it is known
// beyond what the type holds.
SumRadii RadiusFinder::OfF32Facts(const Instruction& instruction, const Instruction& form,
                                  const Literal& sizes, absl::Span<const double> terms,
                                  absl::Span<const double> magnitudes) const {
  const auto of_types = [](const Instruction& of) {
    std::vector<Literal> zeros;
    for (const Instruction* operand : of.operands()) {
      zeros.push_back(Literal::Zeros(operand->shape()));
    }
    return zeros;
  };
  const std::vector<Literal> wide = of_types(form), narrow = of_types(instruction);
  SumRadii found{
      SumReachOfFacts({form, wide, golden_.evaluate_module(), profile_}, sizes, terms, magnitudes)
          .from_golden,
      std::vector<bool>(magnitudes.size(), false)};
  const ElementType type = instruction.shape().element_type();
  const double least = SmallestNormal(type), most = DecodeFloat(type, MaxFinite(type));
  const bool halves = Info(type).format->overflow != Overflow::kInfinity;
  std::vector<bool> open(magnitudes.size(), true);
  for (int halvings = 0; std::find(open.begin(), open.end(), true) != open.end(); ++halvings) {
    constexpr int kMostHalvings = 300;  // more than f32 has powers of two beyond a narrow type
    std::vector<double> halved(magnitudes.begin(), magnitudes.end());
    Literal golden = Literal::Zeros(instruction.shape());
    for (size_t i = 0; i < halved.size(); ++i) {
      halved[i] = std::ldexp(halved[i], -halvings);
      const double value = std::isnan(halved[i]) ? most : std::clamp(halved[i], least, most);
      golden.Set(static_cast<int64_t>(i), Element{EncodeFloat(type, value)});
    }
    const std::vector<double> radii =
        SumReachOfFacts({instruction, narrow, golden_.evaluate_module(), profile_}, golden, terms,
                        halved)
            .from_golden;
    for (size_t i = 0; i < radii.size(); ++i) {
      const double radius = std::ldexp(radii[i], halvings);
      if (!open[i] || (!std::isfinite(radius) && halves && halvings < kMostHalvings)) continue;
      open[i] = false;
      found.radii[i] = std::max(found.radii[i], std::isnan(radius) ? kInfinity : radius);
      found.overflows[i] = halvings > 0;
    }
  }
  return found;
}

// Golden values of such folds are rounded at every step; most are nearer to the exact ones than
// that bounds them.
void RadiusFinder::MeasureFromExact(const Instruction& fold, absl::Span<const Literal> operands,
                                    const Literal& golden, const Bounds& bounds,
                                    std::vector<double>* radii) const {
  if (!bounds.has_exact || bounds.from_exact.empty()) return;
  const absl::StatusOr<Literal> exact =
      evaluator::EvaluateWidened(fold, operands, 0, golden_.evaluate_module());
  if (!exact.ok()) return;
  for (int64_t i = 0; i < golden.element_count(); ++i) {
    const double distance = std::fabs(DecodeFloat(golden.element_type(), golden.Get(i).bits) -
                                      DecodeFloat(ElementType::kF64, exact->Get(i).bits));
    const double radius = (bounds.from_exact[i] + distance) * (1 + 0x1p-50);
    if ((*radii)[i] < kInfinity && radius < (*radii)[i]) (*radii)[i] = radius;
  }
}

absl::StatusOr<std::vector<double>> RadiusFinder::ByBounds(const Instruction& instruction,
                                                           absl::Span<const Literal> operands,
                                                           size_t leaf,
                                                           const Literal& golden) const {
  const std::vector<FoldPart> parts = PartsOfFold(instruction);
  if (const ArrayOfPart found = FindArray(parts, leaf); found.part != nullptr) {
    std::vector<Literal> own;
    for (const int64_t k : found.part->operands) own.push_back(operands[k]);
    return ByBounds(*found.part->module->entry()->root(), own, found.array, golden);
  }
  const std::unique_ptr<Module> flat = analysis::FlattenRegions(instruction);
  const Instruction& form = flat == nullptr ? instruction : *flat->entry()->root();
  absl::StatusOr<Bounds> bounds =
      FindBounds({form, operands, golden_.evaluate_module(), profile_}, leaf, golden);
  if (!bounds.ok()) return bounds.status();
  const bool may_be_nan = bounds->start_makes_nan && profile_.Admits(DecisionPoint::kReduceStart);
  if (!bounds->unknown.empty() || may_be_nan) {
    return std::vector<double>(golden.element_count(), kInfinity);
  }
  std::vector<double> radii;
  if (bounds->needs && !profile_.Grants(*bounds->needs)) return radii;
  radii = RadiiOf(*bounds, golden.element_count());
  if (FoldsLogSums(form)) MeasureFromExact(form, operands, golden, *bounds, &radii);
  if (std::all_of(radii.begin(), radii.end(), [](double x) { return x == 0; })) radii.clear();
  return radii;
}

// By the sums of the magnitudes of the terms, rounded to their type. Denormals that may be flushed
// are zero in the operands already, or in an interval around them.
absl::StatusOr<Reach> RadiusFinder::OfSums(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& sums) const {
  const absl::StatusOr<absl::Span<const double>> counts = golden_.CountTerms(instruction, operands);
  if (!counts.ok()) return counts.status();
  const ElementType type = sums.element_type();
  std::vector<double> magnitudes(sums.element_count());
  DecodeFloats(type, sums.data(), sums.element_count(), magnitudes.data());
  // Sums lose nothing where they are denormal, but products do.
  const double lost = instruction.info().family == Family::kContraction ? UlpOf(type, 0) : 0;
  const double up = 1 + 2 * UnitRoundoff(type);
  for (double& each : magnitudes) each = each * up + lost;
  SumReach reach = SumReachOfFacts({instruction, operands, golden_.evaluate_module(), profile_},
                                   golden, *counts, magnitudes);
  return Reach{std::move(reach.from_golden), std::move(reach.unrounded)};
}

}  // namespace assay::conformance
