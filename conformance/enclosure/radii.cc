#include "conformance/enclosure/radii.h"

#include <algorithm>
#include <cmath>

#include "evaluator/facts/widened_fold.h"

namespace assay {
namespace {

// The larger magnitude of both ends.
Literal Magnitudes(const Box& box) {
  Box magnitudes = box;
  UpdateParts(
      [](const auto& line, Place, Ends* ends) {
        if (!line.is_float()) return;
        auto magnitude = [&](uint64_t bits) {
          const int64_t ordinal = line.Ordinal(bits);
          return ordinal >= 0 ? ordinal : -ordinal - (line.signed_zero() ? 1 : 0);
        };
        ends->low = ends->high = line.Bits(std::max(magnitude(ends->low), magnitude(ends->high)));
      },
      &magnitudes);
  return magnitudes.low;
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

double RadiusOf(const Bounds& bounds, int64_t i) {
  if (!bounds.may_overflow.empty() && bounds.may_overflow[i]) return kInfinity;
  if (bounds.absolute.empty()) return 0;
  return bounds.vacuous.empty() ? bounds.absolute[i]
                                : std::max(bounds.absolute[i], bounds.vacuous[i]);
}

}  // namespace

std::vector<Literal> AllMagnitudes(const Instruction& instruction, absl::Span<const Box> operands) {
  std::vector<Literal> magnitudes;
  for (const Box& operand : operands) magnitudes.push_back(Magnitudes(operand));
  if (instruction.opcode() == Opcode::kSelectAndScatter) magnitudes[0] = operands[0].low;
  return magnitudes;
}

absl::StatusOr<std::vector<double>> RadiusFinder::AtPoints(const Instruction& instruction,
                                                           absl::Span<const Box> operands,
                                                           size_t leaf,
                                                           const Literal& golden) const {
  std::vector<Literal> values;
  for (const Box& operand : operands) values.push_back(operand.low);
  if (!SumsMagnitudes(instruction)) return ByBounds(instruction, values, leaf, golden);
  const std::vector<Literal> magnitudes = AllMagnitudes(instruction, operands);
  bool positive = true;
  for (size_t k = 0; k < values.size(); ++k) {
    positive = positive && magnitudes[k].shares_data_with(values[k]);
  }
  if (positive) return OfSums(instruction, values, golden, golden);
  const absl::StatusOr<Literal> sums = golden_.Evaluate(instruction, magnitudes);
  if (!sums.ok()) return sums.status();
  return OfSums(instruction, values, golden, *sums);
}

absl::StatusOr<std::vector<double>> RadiusFinder::WithinMagnitudes(
    const Instruction& instruction, absl::Span<const Literal> magnitudes) const {
  absl::StatusOr<Literal> golden = golden_.Evaluate(instruction, magnitudes);
  if (!golden.ok()) return golden.status();
  if (SumsMagnitudes(instruction)) return OfSums(instruction, magnitudes, *golden, *golden);
  const Literal first = Flatten(*golden)[0];
  absl::StatusOr<std::vector<double>> radii = ByBounds(instruction, magnitudes, 0, first);
  if (radii.ok() && radii->empty()) radii->assign(first.element_count(), 0.0);
  return radii;
}

absl::StatusOr<std::vector<double>> RadiusFinder::ByBounds(const Instruction& instruction,
                                                           absl::Span<const Literal> operands,
                                                           size_t leaf,
                                                           const Literal& golden) const {
  absl::StatusOr<Bounds> bounds =
      FindBounds({instruction, operands, golden_.evaluate_module(), profile_}, leaf, golden);
  if (!bounds.ok()) return bounds.status();
  if (!bounds->unknown.empty()) return std::vector<double>(golden.element_count(), kInfinity);
  std::vector<double> radii;
  if (bounds->needs && !profile_.Grants(*bounds->needs)) return radii;
  radii.resize(golden.element_count());
  for (int64_t i = 0; i < golden.element_count(); ++i) radii[i] = RadiusOf(*bounds, i);
  if (std::all_of(radii.begin(), radii.end(), [](double x) { return x == 0; })) radii.clear();
  return radii;
}

// By the sums of the magnitudes of the terms, rounded to the type of the result. Denormals that may
// be flushed are zero in the operands already, or in an interval around them.
absl::StatusOr<std::vector<double>> RadiusFinder::OfSums(const Instruction& instruction,
                                                         absl::Span<const Literal> operands,
                                                         const Literal& golden,
                                                         const Literal& sums) const {
  const absl::StatusOr<std::vector<double>> counts = golden_.CountTerms(instruction, operands);
  if (!counts.ok()) return counts.status();
  const ElementType type = golden.element_type();
  const int64_t count = golden.element_count();
  std::vector<double> radii(count);
  DecodeFloats(type, sums.data(), count, radii.data());
  std::vector<AccumulationFact> facts(count);
  // Sums lose nothing where they are denormal, but products do.
  const double lost = instruction.info().family == Family::kContraction ? UlpOf(type, 0) : 0;
  for (int64_t i = 0; i < count; ++i) {
    facts[i].terms = (*counts)[i];
    facts[i].magnitudes = radii[i] * (1 + 2 * UnitRoundoff(type)) + lost;
  }
  const Bounds bounds = SumBoundsOfFacts(
      {instruction, operands, golden_.evaluate_module(), profile_}, 0, golden, facts);
  const bool granted = !bounds.needs || profile_.Grants(*bounds.needs);
  for (int64_t i = 0; i < count; ++i) radii[i] = granted ? RadiusOf(bounds, i) : 0;
  return radii;
}

}  // namespace assay
