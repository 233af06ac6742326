#include "conformance/enclosure/radii.h"

#include <algorithm>
#include <cmath>

#include "conformance/enclosure/word_loops.h"
#include "conformance/judge/fold_parts.h"
#include "evaluator/facts/isolate.h"
#include "evaluator/facts/widened_fold.h"

namespace assay {
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

// Whether golden on the operands' magnitudes is the sum of the magnitudes of the terms, precise
// enough to be enlarged by its own rounding.
bool SumsMagnitudes(const Instruction& instruction) {
  const ElementType type = instruction.shape().element_type();
  return FoldKind(instruction) == ReducerKind::kAdd &&
         (type == ElementType::kF32 || type == ElementType::kF64) &&
         IsFloat(instruction.operand(0)->shape().element_type()) &&
         !instruction.operand(0)->shape().is_dynamic();
}

bool IsNarrow(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBF16; }

// Whether f32 holds the products of the operands as well as f64.
bool IsNarrow(const Instruction& instruction) {
  return instruction.info().family == Family::kContraction && instruction.operand_count() == 2 &&
         IsNarrow(instruction.shape().element_type()) &&
         IsNarrow(instruction.operand(0)->shape().element_type()) &&
         IsNarrow(instruction.operand(1)->shape().element_type());
}

Literal InF32(const Literal& narrow) {
  Shape shape = narrow.shape();
  shape.set_element_type(ElementType::kF32);
  shape.ClearLayouts();
  Literal wide = Literal::Zeros(shape);
  std::vector<double> values(narrow.element_count());
  DecodeFloats(narrow.element_type(), narrow.data(), narrow.element_count(), values.data());
  EncodeFloats(ElementType::kF32, values.data(), narrow.element_count(), wide.mutable_data());
  return wide;
}

double RadiusOf(const Bounds& bounds, int64_t i) {
  if (!bounds.may_overflow.empty() && bounds.may_overflow[i]) return kInfinity;
  if (!bounds.anything.empty() && bounds.anything[i]) return kInfinity;
  if (bounds.absolute.empty()) return 0;
  return bounds.vacuous.empty() ? bounds.absolute[i]
                                : std::max(bounds.absolute[i], bounds.vacuous[i]);
}

}  // namespace

std::vector<Literal> AllMagnitudes(const Instruction& instruction, Boxes operands) {
  std::vector<Literal> magnitudes;
  for (const Box& operand : operands) magnitudes.push_back(Magnitudes(operand));
  if (instruction.opcode() == Opcode::kSelectAndScatter) magnitudes[0] = operands[0].low;
  return magnitudes;
}

ElementType ProductType(const Instruction& instruction) {
  const ElementType type = instruction.shape().element_type();
  const ElementType left = instruction.operand(0)->shape().element_type();
  const ElementType right = instruction.operand(1)->shape().element_type();
  const bool narrow = IsNarrow(left) && IsNarrow(right);
  if (narrow && (IsNarrow(type) || type == ElementType::kF32)) return ElementType::kF32;
  return type == left && type == right && type == ElementType::kF32 ? type : ElementType::kF64;
}

absl::StatusOr<std::vector<double>> RadiusFinder::About(const Instruction& instruction,
                                                        absl::Span<const Literal> operands,
                                                        size_t leaf, const Literal& golden) const {
  if (!SumsMagnitudes(instruction)) return ByBounds(instruction, operands, leaf, golden);
  std::vector<Literal> magnitudes;
  bool positive = true;
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool selects = instruction.opcode() == Opcode::kSelectAndScatter && k == 0;
    magnitudes.push_back(selects ? operands[k] : Magnitudes(Box::Point(operands[k])));
    positive = positive && magnitudes[k].shares_data_with(operands[k]);
  }
  if (positive) return OfSums(instruction, operands, golden, golden);
  const absl::StatusOr<Literal> sums = golden_.Evaluate(instruction, magnitudes);
  if (!sums.ok()) return sums.status();
  return OfSums(instruction, operands, golden, *sums);
}

absl::StatusOr<std::vector<double>> RadiusFinder::WithinMagnitudes(
    const Instruction& instruction, absl::Span<const Literal> magnitudes) const {
  if (IsNarrow(instruction)) return WithinNarrowMagnitudes(instruction, magnitudes);
  absl::StatusOr<Literal> golden = golden_.Evaluate(instruction, magnitudes);
  if (!golden.ok()) return golden.status();
  if (SumsMagnitudes(instruction)) return OfSums(instruction, magnitudes, *golden, *golden);
  const Literal first = Flatten(*golden)[0];
  absl::StatusOr<std::vector<double>> radii = ByBounds(instruction, magnitudes, 0, first);
  if (radii.ok() && radii->empty()) radii->assign(first.element_count(), 0.0);
  return radii;
}

absl::StatusOr<std::vector<double>> RadiusFinder::WithinNarrowMagnitudes(
    const Instruction& instruction, absl::Span<const Literal> magnitudes) const {
  std::vector<Literal> wide;
  for (const Literal& each : magnitudes) wide.push_back(InF32(each));
  const absl::StatusOr<Literal> sums =
      golden_.EvaluateProducts(instruction, ElementType::kF32, wide);
  if (!sums.ok()) return sums.status();
  Literal golden = Literal::Zeros(instruction.shape());
  std::vector<double> values(sums->element_count());
  DecodeFloats(ElementType::kF32, sums->data(), sums->element_count(), values.data());
  EncodeFloats(golden.element_type(), values.data(), sums->element_count(), golden.mutable_data());
  return OfSums(instruction, magnitudes, golden, *sums);
}

absl::StatusOr<SumRadii> RadiusFinder::OfKeptSums(const Instruction& instruction,
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
  return OfKeptFacts(instruction, form, sizes, *counts, *sums);
}

// What a bound of a sum is of its magnitudes is no less of half of them, twice: so it is known
// beyond what the type holds.
SumRadii RadiusFinder::OfKeptFacts(const Instruction& instruction, const Instruction& form,
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
      SumRadiiOfFacts({form, wide, golden_.evaluate_module(), profile_}, sizes, terms, magnitudes),
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
    const std::vector<double> radii = SumRadiiOfFacts(
        {instruction, narrow, golden_.evaluate_module(), profile_}, golden, terms, halved);
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

absl::StatusOr<std::vector<double>> RadiusFinder::ByBounds(const Instruction& instruction,
                                                           absl::Span<const Literal> operands,
                                                           size_t leaf,
                                                           const Literal& golden) const {
  for (const FoldPart& part : PartsOfFold(instruction)) {
    const auto at = std::find(part.arrays.begin(), part.arrays.end(), static_cast<int64_t>(leaf));
    if (at == part.arrays.end()) continue;
    std::vector<Literal> own;
    for (const int64_t k : part.operands) own.push_back(operands[k]);
    return ByBounds(*part.module->entry()->root(), own, at - part.arrays.begin(), golden);
  }
  const std::unique_ptr<Module> flat = FlattenRegions(instruction);
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
  radii.resize(golden.element_count());
  for (int64_t i = 0; i < golden.element_count(); ++i) radii[i] = RadiusOf(*bounds, i);
  if (std::all_of(radii.begin(), radii.end(), [](double x) { return x == 0; })) radii.clear();
  return radii;
}

// By the sums of the magnitudes of the terms, rounded to their type. Denormals that may be flushed
// are zero in the operands already, or in an interval around them.
absl::StatusOr<std::vector<double>> RadiusFinder::OfSums(const Instruction& instruction,
                                                         absl::Span<const Literal> operands,
                                                         const Literal& golden,
                                                         const Literal& sums) const {
  const absl::StatusOr<absl::Span<const double>> counts = golden_.CountTerms(instruction, operands);
  if (!counts.ok()) return counts.status();
  const ElementType type = sums.element_type();
  std::vector<double> magnitudes(sums.element_count());
  DecodeFloats(type, sums.data(), sums.element_count(), magnitudes.data());
  // Sums lose nothing where they are denormal, but products do.
  const double lost = instruction.info().family == Family::kContraction ? UlpOf(type, 0) : 0;
  const double up = 1 + 2 * UnitRoundoff(type);
  for (double& each : magnitudes) each = each * up + lost;
  return SumRadiiOfFacts({instruction, operands, golden_.evaluate_module(), profile_}, golden,
                         *counts, magnitudes);
}

}  // namespace assay
