#include "conformance/enclosure/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/enclosure/interval.h"
#include "conformance/enclosure/interval_array.h"
#include "conformance/enclosure/radii.h"
#include "conformance/enclosure/systems.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/transforms.h"

namespace assay::conformance {
namespace {

// The number of elements that are transformed together, of an operand or of a result.
int64_t BlockOf(const Instruction& fft, const Shape& shape) {
  int64_t block = 1;
  for (size_t d = 0; d < fft.GetInts(Attr::kFftLength).size(); ++d) {
    block *= shape.dimension(shape.rank() - 1 - static_cast<int64_t>(d));
  }
  return block;
}

// Transforms are linear: every part of a coefficient is off by no more than the sum of how far the
// numbers of its block are, for no root of unity is larger than one.
absl::StatusOr<std::vector<Box>> EncloseFourier(const Instruction& fft, const Box& operand,
                                                const FoldContext& context) {
  const IntervalArray parts(operand);
  if (!parts.bounded()) return AnythingOf(fft);
  const bool complex = IsComplex(operand.low.element_type());
  const ElementType part = Info(operand.low.element_type()).component;
  Literal centres = operand.low;
  std::byte* const middle_data = centres.mutable_data();
  std::vector<double> radii(operand.low.element_count());
  for (int64_t i = 0; i < parts.size(); ++i) {
    const Interval& x = parts[i];
    const uint64_t bits = EncodeFloat(part, x.low / 2 + x.high / 2);
    StoreElement(part, Element{bits}, middle_data, i);
    const double middle = DecodeFloat(part, bits);
    radii[complex ? i / 2 : i] += std::max(x.high - middle, middle - x.low);
  }

  const FftType type = fft.GetEnum<FftType>(Attr::kFftType);
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  double points = 1;
  for (const int64_t length : lengths) points *= static_cast<double>(length);
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  // The half spectrum counts twice.
  const double scale = (type == FftType::kIrfft ? 2 : 1) / (inverse ? points : 1);
  const int64_t from = BlockOf(fft, operand.shape()), to = BlockOf(fft, fft.shape());

  const absl::StatusOr<Literal> golden = context.evaluate({centres});
  if (!golden.ok()) return golden.status();
  absl::StatusOr<Reach> reach = context.reach({AllMagnitudes(fft, Boxes({&operand}))});
  if (!reach.ok()) return reach.status();
  Box box = Box::Point(*golden);
  const IntervalArray values(box);
  const bool complex_result = IsComplex(golden->element_type());
  const double u = UnitRoundoff(part);
  for (int64_t i = 0; i < golden->element_count(); ++i) {
    double spread = 0;
    const double* block = radii.data() + i / to * from;
    for (int64_t k = 0; k < from; ++k) spread += block[k];
    // Sums in double, upwards; both golden values, here and anywhere in the box, are rounded.
    spread *= scale * (1 + static_cast<double>(from + 4) * 0x1p-52);
    const double size = complex_result
                            ? std::max(values[2 * i].magnitude(), values[2 * i + 1].magnitude())
                            : values[i].magnitude();
    double& width = reach->radii[i];
    width += spread + 4 * u * (size + spread + width) + SmallestNormal(part);
  }
  WidenByRadii(reach->radii, &box);
  return std::vector<Box>{std::move(box)};
}

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseLinearAlgebra(const Instruction& instruction,
                                                      Boxes operands, const TargetProfile& profile,
                                                      const FoldContext& context) {
  switch (instruction.opcode()) {
    case Opcode::kFft:
      return EncloseFourier(instruction, operands[0], context);
    case Opcode::kTriangularSolve:
      return std::vector<Box>{EncloseSolve(instruction, operands, profile)};
    case Opcode::kCholesky:
      return std::vector<Box>{EncloseCholesky(instruction, operands[0], profile)};
    default:
      return AnythingOf(instruction);
  }
}

void UnconstrainNonFiniteBlocks(const Instruction& fft, const Literal& operand, Box* box) {
  const int64_t from = BlockOf(fft, operand.shape()), to = BlockOf(fft, fft.shape());
  const ElementType type = operand.element_type(), part = Info(type).component;
  const auto is_finite = [&](Element element) {
    return std::isfinite(DecodeFloat(part, element.bits)) &&
           (!IsComplex(type) || std::isfinite(DecodeFloat(part, element.imag)));
  };
  std::vector<bool> open(from == 0 ? 0 : operand.element_count() / from);
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    if (!is_finite(operand.Get(i))) open[i / from] = true;
  }
  if (std::find(open.begin(), open.end(), true) == open.end()) return;
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        if (!open[place.element / to]) return;
        box_internal::Unbind(line, ends);
        if (!place.imaginary || !IsSumOfReals(fft, place.element)) return;
        ends->low = line.Bits(-1);
        ends->high = 0;
      },
      box);
}

}  // namespace assay::conformance
