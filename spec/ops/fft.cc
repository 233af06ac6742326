// fft: discrete Fourier transforms of the last dimensions.
//   fft_c1 fft_length has 1 to 3 entries, none negative in RFFT and IRFFT
//   fft_c2 as many dimensions at least
//   fft_c3 the type fits: RFFT of f32 or f64, the others of complex numbers
//   fft_c4 the last sizes are fft_length (IRFFT: the last one floor(n/2)+1, for n = 0: 0 or 1)
//   fft_c5 (strict) those of FFT and IFFT too
// Source: reference ops_structural.md 11. Tests: spec/verify/testdata/linear_algebra.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kFft>(const Instruction& fft) {
  ASSAY_RETURN_IF_ERROR(RequireArray(fft, "fft_c2", 0));
  const Shape& operand = fft.operand(0)->shape();
  const ElementType type = operand.element_type();
  const FftType kind = fft.GetEnum<FftType>(Attr::kFftType);
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  ASSAY_REQUIRE(fft, "fft_c1", !lengths.empty() && lengths.size() <= 3,
                "fft_length must have 1 to 3 entries, found ", ListText(lengths));
  const int64_t leading = operand.rank() - static_cast<int64_t>(lengths.size());
  ASSAY_REQUIRE(fft, "fft_c2", leading >= 0, "the operand must have rank ", lengths.size(),
                " or more, found ", operand.ToString());
  const bool type_fits = kind == FftType::kRfft
                             ? type == ElementType::kF32 || type == ElementType::kF64
                             : IsComplex(type);
  ASSAY_REQUIRE(fft, "fft_c3", type_fits, "the operand must be of ",
                kind == FftType::kRfft ? "f32 or f64" : "a complex type", ", found ",
                operand.ToString());
  // XLA's inference does not look at the sizes of a complex transform.
  if (kind == FftType::kFft || kind == FftType::kIfft) return operand;
  const int64_t last_length = lengths.back();
  const int64_t half = last_length == 0 ? 0 : last_length / 2 + 1;
  for (size_t i = 0; i < lengths.size(); ++i) {
    ASSAY_REQUIRE(fft, "fft_c1", lengths[i] >= 0, "fft_length must not be negative, found ",
                  ListText(lengths));
    const bool last_of_irfft = i + 1 == lengths.size() && kind == FftType::kIrfft;
    const int64_t expected = last_of_irfft ? half : lengths[i];
    const int64_t size = operand.dimension(leading + i);
    ASSAY_REQUIRE(
        fft, "fft_c4", size == expected || (last_of_irfft && last_length == 0 && size == 1),
        "dimension ", leading + i, " must have size ", expected, ", found ", operand.ToString());
  }
  Shape shape = operand;
  if (kind == FftType::kRfft) {
    shape.set_element_type(type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
    shape.set_dimension(shape.rank() - 1, half);
  } else if (kind == FftType::kIrfft) {
    shape.set_element_type(Info(type).component);
    shape.set_dimension(shape.rank() - 1, last_length);
  }
  return shape;
}

absl::Status CheckFftStrictly(const Instruction& fft) {
  const FftType kind = fft.GetEnum<FftType>(Attr::kFftType);
  if (kind != FftType::kFft && kind != FftType::kIfft) return absl::OkStatus();
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  const absl::Span<const int64_t> sizes = fft.shape().dimensions();
  ASSAY_REQUIRE(fft, "fft_c5", sizes.last(lengths.size()) == lengths,
                "the last sizes must be fft_length, ", ListText(lengths), ", found ",
                fft.shape().ToString());
  return absl::OkStatus();
}

}  // namespace assay
