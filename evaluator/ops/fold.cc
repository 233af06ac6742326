#include "evaluator/ops/fold.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/region/reducer.h"

namespace assay {

absl::StatusOr<Fold> Fold::Prepare(const Computation& computation) {
  Fold fold;
  for (const Instruction* parameter : computation.parameters()) {
    fold.types_.push_back(parameter->shape().element_type());
  }
  if (fold.types_.empty() || fold.types_.size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "computation ", computation.name(), " is no reducer: ", fold.types_.size(), " parameters"));
  }
  fold.accumulators_.resize(fold.types_.size() / 2);
  fold.arguments_.resize(fold.types_.size());
  absl::StatusOr<Region> region = Region::Prepare(computation);
  if (!region.ok()) return region.status();
  fold.region_ = *std::move(region);
  const ReducerKind kind = RecogniseReducer(computation).kind;
  const bool inexact = IsFloat(fold.types_[0]) || IsComplex(fold.types_[0]);
  if (kind == ReducerKind::kAdd && inexact) fold.way_ = Way::kSum;
  if (kind == ReducerKind::kMultiply && inexact) fold.way_ = Way::kProduct;
  return fold;
}

void Fold::Start(absl::Span<const Element> inits) {
  accumulators_.assign(inits.begin(), inits.end());
  empty_ = true;
}

void Fold::Accumulate(Element x) {
  const ElementType component = Info(types_[0]).component;
  const double value = DecodeFloat(component, x.bits);
  if (way_ == Way::kProduct) {
    product_.Multiply(value);
    return;
  }
  sum_.Add(value);
  if (IsComplex(types_[0])) imaginary_sum_.Add(DecodeFloat(component, x.imag));
}

absl::Status Fold::Add(absl::Span<const Element> elements, EvaluationContext& context) {
  if (absl::Status status = context.Charge(1); !status.ok()) return status;
  if (way_ != Way::kAsWritten) {
    if (empty_) {
      sum_.Clear();
      imaginary_sum_.Clear();
      product_.Clear();
      Accumulate(accumulators_[0]);
    }
    empty_ = false;
    Accumulate(elements[0]);
    return absl::OkStatus();
  }
  for (int64_t k = 0; k < size(); ++k) {
    arguments_[k] = accumulators_[k];
    arguments_[size() + k] = elements[k];
  }
  return region_.Run(arguments_, absl::MakeSpan(accumulators_), context);
}

Element Fold::Result(int64_t k, EvaluationContext& context) const {
  if (way_ == Way::kAsWritten || empty_) return accumulators_[k];
  const ElementType component = Info(types_[0]).component;
  if (way_ == Way::kProduct) {
    if (!product_.Decided(component)) {
      ++context.real_stats.decided[static_cast<int>(RealTier::kUndecided)];
    }
    return {product_.Round(component)};
  }
  return {sum_.Round(component), IsComplex(types_[0]) ? imaginary_sum_.Round(component) : 0};
}

absl::Status StartFold(Fold& fold, const Instruction& instruction, OperandElements& operands) {
  std::vector<Element> inits;
  for (int64_t k = 0; k < fold.size(); ++k) {
    absl::StatusOr<Element> init =
        ElementAs(fold.accumulator_type(k), instruction, fold.size() + k, {}, operands);
    if (!init.ok()) return init.status();
    inits.push_back(*init);
  }
  fold.Start(inits);
  return absl::OkStatus();
}

absl::Status AddToFold(Fold& fold, const Instruction& instruction, Index index,
                       OperandElements& operands, EvaluationContext& context) {
  std::vector<Element> elements;
  for (int64_t k = 0; k < fold.size(); ++k) {
    absl::StatusOr<Element> x = ElementAs(fold.element_type(k), instruction, k, index, operands);
    if (!x.ok()) return x.status();
    elements.push_back(*x);
  }
  return fold.Add(elements, context);
}

}  // namespace assay
