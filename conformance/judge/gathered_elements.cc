#include "conformance/judge/gathered_elements.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "conformance/judge/rounds.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

ElementType Widest(ElementType type) {
  return IsComplex(type) ? ElementType::kC128 : IsFloat(type) ? ElementType::kF64 : type;
}

// Exact: the wider type has every value.
Element Widen(ElementType type, Element element) {
  const ElementType part = Info(type).component;
  if (IsFloat(type) || IsComplex(type)) {
    element.bits = EncodeFloat(ElementType::kF64, DecodeFloat(part, element.bits));
  }
  if (IsComplex(type)) {
    element.imag = EncodeFloat(ElementType::kF64, DecodeFloat(part, element.imag));
  }
  return element;
}

}  // namespace

GatheredElements::GatheredElements(const Subject& subject, ElementType result,
                                   LeastScale least_scale)
    : subject_(subject),
      result_(result),
      least_scale_(least_scale),
      operands_(subject.operands.size()) {}

int64_t GatheredElements::Add(const std::vector<Element>& operands) {
  for (size_t k = 0; k < operands.size(); ++k) operands_[k].push_back(operands[k]);
  return size_++;
}

absl::StatusOr<Literal> GatheredElements::Run(bool widened) const {
  const std::unique_ptr<Module> module = analysis::IsolateInstruction(subject_.instruction);
  Instruction& root = *module->entry()->root();
  std::vector<Literal> arguments;
  for (size_t k = 0; k < operands_.size(); ++k) {
    const ElementType own = subject_.operands[k].element_type();
    const ElementType type = widened ? Widest(own) : own;
    Literal argument = Literal::Zeros(Shape(type, {size_}));
    for (int64_t slot = 0; slot < size_; ++slot) {
      const Element element = operands_[k][slot];
      const bool vanishes = own == ElementType::kF8E8M0FNU && element.bits == 0 && widened &&
                            least_scale_ == LeastScale::kZero;
      if (!vanishes) argument.Set(slot, widened ? Widen(own, element) : element);
    }
    root.operand(static_cast<int64_t>(k))->set_shape(argument.shape());
    arguments.push_back(std::move(argument));
  }
  root.set_shape(Shape(widened ? Widest(result_) : result_, {size_}));
  return subject_.evaluate(*module, arguments);
}

absl::Status GatheredElements::Evaluate(bool exact) {
  absl::StatusOr<Literal> golden = Run(/*widened=*/false);
  if (!golden.ok()) return golden.status();
  golden_ = *std::move(golden);
  if (!exact || !IsRounded(result_) || Widest(result_) == result_) return absl::OkStatus();
  absl::StatusOr<Literal> widened = Run(/*widened=*/true);
  if (!widened.ok()) return widened.status();
  exact_ = *std::move(widened);
  return absl::OkStatus();
}

ExactValue GatheredElements::Exact(int64_t slot) const {
  if (!exact_) return std::nullopt;
  const Element element = exact_->Get(slot);
  const double imag = IsComplex(result_) ? DecodeFloat(ElementType::kF64, element.imag) : 0;
  return std::complex<double>(DecodeFloat(ElementType::kF64, element.bits), imag);
}

}  // namespace assay::conformance
