// fft: discrete Fourier transforms of the last dimensions.
//   fft_c1 fft_length has 1 to 3 entries, none negative
//   fft_c2 as many dimensions at least
//   fft_c3 the type fits: RFFT of f32 or f64, the others of complex numbers
//   fft_c4 the last sizes are fft_length (IRFFT: the last one floor(n/2)+1, for n = 0: 0 or 1)
//   fft_c5 (strict) those of FFT and IFFT too
// Source: reference ops_structural.md 11. Tests: spec/verify/testdata/linear_algebra.cases.
#include "spec/ops/rules.h"

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
  for (int64_t length : lengths) {
    ASSAY_REQUIRE(fft, "fft_c1", length >= 0, "fft_length must not be negative, found ",
                  ListText(lengths));
  }
  const int64_t leading = operand.rank() - static_cast<int64_t>(lengths.size());
  ASSAY_REQUIRE(fft, "fft_c2", leading >= 0, "the operand must have rank ", lengths.size(),
                " or more, found ", operand.ToString());
  const bool type_fits = kind == FftType::kRfft
                             ? type == ElementType::kF32 || type == ElementType::kF64
                             : IsComplex(type);
  ASSAY_REQUIRE(fft, "fft_c3", type_fits, "the operand must be of ",
                kind == FftType::kRfft ? "f32 or f64" : "a complex type", ", found ",
                operand.ToString());
  const int64_t last_length = lengths.back();
  const int64_t half = last_length == 0 ? 0 : last_length / 2 + 1;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const bool last = i + 1 == lengths.size();
    const int64_t expected = last && kind == FftType::kIrfft ? half : lengths[i];
    const bool complex = kind == FftType::kFft || kind == FftType::kIfft;
    // XLA's inference does not look at the sizes of a complex transform.
    if (ShapeIsOpen(fft) && complex) break;
    const int64_t size = operand.dimension(leading + i);
    const bool empty_irfft = last && kind == FftType::kIrfft && last_length == 0;
    ASSAY_REQUIRE(fft, complex ? "fft_c5" : "fft_c4",
                  size == expected || (empty_irfft && size == 1), "dimension ", leading + i,
                  " must have size ", expected, ", found ", operand.ToString());
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

}  // namespace assay
