// fft: X[k] = sum over j of x[j] exp(-2 pi i jk/N) along each of the last axes; IFFT with the other
// sign and divided by the product of the lengths. RFFT keeps bins 0 to floor(n/2) of the last axis.
// IRFFT: the complex inverse along the leading axes, then x[j] = 1/n sum over k of Y[k] exp(..)
// with Y[n-k] = conj(Y[k]) and the end bins by their real parts, which is the real part of the
// inverse of the whole Hermitian block.
//
// Choices: an element of a block that holds an infinity or a NaN is NaN in all its parts (imaginary
// parts that IRFFT ignores excepted); exact zeros are +0; a block of one element is copied, its
// imaginary part taken off by IRFFT. Source: ops_structural.md 11.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/exact_fourier.h"
#include "evaluator/ops/special_elements.h"

namespace assay::evaluator {
namespace {

class Fft : public Definition {
 public:
  explicit Fft(const Instruction& fft) : fft_(fft), form_(fft) {}

  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    const ElementType result = fft_.shape().element_type(), part = Info(result).component;
    const size_t leading = index.size() - form_.lengths().size();
    const Dimensions batch(index.begin(), index.begin() + leading);
    if (form_.block_size() == 1) {
      absl::StatusOr<Element> only = operands.At(0, index);
      if (only.ok() && form_.real_input()) only->imag = EncodeFloat(part, 0.0);
      if (only.ok() && form_.real_output()) only->imag = 0;
      return only;
    }
    if (std::exchange(batch_, batch) != batch) {
      if (absl::Status status = Read(batch, operands); !status.ok()) return status;
    }
    if (block_ == nullptr) return NanOf(result);
    const Index bin = index.subspan(leading);
    Element element;
    absl::StatusOr<uint64_t> found = block_->Part(part, bin, false, false, context, nullptr);
    if (!found.ok()) return found.status();
    element.bits = *found;
    if (form_.real_output()) return element;
    found = block_->Part(part, bin, true, false, context, nullptr);
    if (found.ok()) element.imag = *found;
    return found.ok() ? absl::StatusOr<Element>(element) : found.status();
  }

 private:
  absl::Status Read(const Dimensions& batch, OperandElements& operands) {
    const Shape& shape = OperandShape(fft_, 0);
    const ElementType part = Info(shape.element_type()).component;
    std::vector<double> values;
    absl::Status status =
        ForEachIndex(shape.dimensions().subspan(batch.size()), [&](Index inner) -> absl::Status {
          Dimensions at = batch;
          at.insert(at.end(), inner.begin(), inner.end());
          absl::StatusOr<Element> element = operands.At(0, at);
          if (!element.ok()) return element.status();
          values.push_back(DecodeFloat(part, element->bits));
          if (!form_.real_input()) values.push_back(DecodeFloat(part, element->imag));
          return absl::OkStatus();
        });
    if (!status.ok()) return status;
    const std::vector<double> whole = form_.Whole(values);
    const bool finite =
        std::all_of(whole.begin(), whole.end(), [](double x) { return std::isfinite(x); });
    block_ = nullptr;
    if (finite) {
      block_ = std::make_unique<ExactFourier>(form_.lengths(), form_.inverse(), whole);
    }
    return absl::OkStatus();
  }

  const Instruction& fft_;
  const FourierShape form_;
  std::optional<Dimensions> batch_;
  std::unique_ptr<ExactFourier> block_;  // of batch_; null: it is not finite
};

}  // namespace

DefinitionOr DefineFft(const Instruction& fft) {
  // Verification by the rules of XLA lets the sizes of a complex transform differ (fft_c5).
  const Shape& operand = OperandShape(fft, 0);
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  const bool half = fft.GetEnum<FftType>(Attr::kFftType) == FftType::kIrfft;
  if (!half && operand.dimensions().last(lengths.size()) != lengths) {
    return absl::InvalidArgumentError(
        absl::StrCat("fft: the last dimensions are not fft_length (fft_c5): ", fft.Describe()));
  }
  return std::make_unique<Fft>(fft);
}

}  // namespace assay::evaluator
