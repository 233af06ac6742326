// cholesky: lower: a = L L^H, upper: a = U^H U, with a real positive diagonal. Reads the triangle
// that it returns; the imaginary part of the diagonal counts as zero. The other triangle is zero.
// A matrix that is not positive definite gives NaN everywhere, and so does one that holds an
// infinity or a NaN in the triangle that is read: it is none in exact arithmetic. Zeros are +0.
// Source: ops_structural.md 10.1.
#include <cmath>
#include <optional>
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/exact_cholesky.h"
#include "evaluator/ops/special_elements.h"

namespace assay::evaluator {
namespace {

class Cholesky : public Definition {
 public:
  explicit Cholesky(const Instruction& cholesky)
      : cholesky_(cholesky), lower_(cholesky.GetBool(Attr::kLower)) {}

  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions batch(index.begin(), index.end() - 2);
    if (std::exchange(batch_, batch) != batch) {
      if (absl::Status status = Factor(batch, operands, context); !status.ok()) return status;
    }
    int64_t i = index[index.size() - 2], j = index.back();
    if (!lower_) std::swap(i, j);
    const Shape& shape = cholesky_.shape();
    Element element = factor_[i * shape.dimensions().back() + j];
    // U = L^H.
    if (!lower_ && IsComplex(shape.element_type())) element.imag = Negated(element.imag);
    return element;
  }

 private:
  // L of this matrix, or of its mirror image when the upper triangle counts.
  absl::Status Factor(const Dimensions& batch, OperandElements& operands,
                      EvaluationContext& context) {
    const Shape& shape = cholesky_.shape();
    const ElementType type = shape.element_type(), part = Info(type).component;
    const int64_t n = shape.dimensions().back();
    const int64_t parts = IsComplex(type) ? 2 : 1;
    std::vector<double> triangle(n * n * parts);
    bool finite = true;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        Dimensions at = batch;
        at.push_back(lower_ ? i : j);
        at.push_back(lower_ ? j : i);
        absl::StatusOr<Element> element = operands.At(0, at);
        if (!element.ok()) return element.status();
        double* out = &triangle[(i * n + j) * parts];
        out[0] = DecodeFloat(part, element->bits);
        if (parts == 2 && j < i) out[1] = DecodeFloat(part, element->imag) * (lower_ ? 1 : -1);
        finite = finite && std::isfinite(out[0]) && std::isfinite(out[parts - 1]);
      }
    }
    factor_.clear();
    if (finite) {
      absl::StatusOr<std::vector<Element>> factor = ExactCholesky(type, n, triangle, context);
      if (!factor.ok()) return factor.status();
      factor_ = *std::move(factor);
    }
    if (factor_.empty()) factor_.assign(n * n, NanOf(type));
    return absl::OkStatus();
  }

  uint64_t Negated(uint64_t bits) const {
    const ElementType part = Info(cholesky_.shape().element_type()).component;
    if (IsNan(part, bits) || IsZero(part, bits)) return bits;
    return EncodeFloat(part, -DecodeFloat(part, bits));
  }

  const Instruction& cholesky_;
  const bool lower_;
  std::optional<Dimensions> batch_;
  std::vector<Element> factor_;  // of batch_
};

}  // namespace

DefinitionOr DefineCholesky(const Instruction& cholesky) {
  return std::make_unique<Cholesky>(cholesky);
}

}  // namespace assay::evaluator
