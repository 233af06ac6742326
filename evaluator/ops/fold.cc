#include "evaluator/ops/fold.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

void ExactFold::Clear() {
  product_.Clear();
  complex_product_ = real::ExactComplexProduct(Info(type_).component);
  sum_.Clear();
  imaginary_sum_.Clear();
}

void ExactFold::Add(Element x) {
  const ElementType component = Info(type_).component;
  const double value = DecodeFloat(component, x.bits);
  const double imaginary = IsComplex(type_) ? DecodeFloat(component, x.imag) : 0;
  if (is_product_) {
    if (IsComplex(type_)) return complex_product_.Multiply(value, imaginary);
    return product_.Multiply(value);
  }
  sum_.Add(value);
  if (IsComplex(type_)) imaginary_sum_.Add(imaginary);
}

Element ExactFold::Result(EvaluationContext& context) const {
  const ElementType component = Info(type_).component;
  if (!is_product_) {
    return {sum_.Round(component), IsComplex(type_) ? imaginary_sum_.Round(component) : 0};
  }
  Element value;
  bool decided;
  if (IsComplex(type_)) {
    const RoundedComplex rounded = complex_product_.Round();
    value = rounded.value;
    decided = !rounded.undecided;
  } else {
    value = {product_.Round(component)};
    decided = product_.Decided(component);
  }
  if (!decided) ++context.real_stats.decided[static_cast<int>(RealTier::kUndecided)];
  return value;
}

absl::StatusOr<Fold> Fold::Prepare(const Computation& computation) {
  Fold fold;
  for (const Instruction* parameter : computation.parameters()) {
    fold.types_.push_back(parameter->shape().element_type());
  }
  if (fold.types_.empty() || fold.types_.size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("computation ", computation.name(),
                                                   " is not a reducer: ", fold.types_.size(),
                                                   " parameters"));
  }
  fold.arguments_.resize(fold.types_.size());
  absl::StatusOr<Region> region = Region::Prepare(computation);
  if (!region.ok()) return region.status();
  fold.region_ = *std::move(region);
  std::vector<analysis::Reducer> parts = analysis::RecogniseParts(computation);
  parts.resize(fold.size());
  fold.exact_.resize(fold.size());
  for (int64_t k = 0; k < fold.size(); ++k) {
    const ElementType type = fold.types_[k];
    if (ExactFold::IsFor(parts[k].kind, type)) {
      fold.exact_[k].emplace(parts[k].kind, type);
    } else {
      fold.runs_region_ = true;
    }
  }
  return fold;
}

void Fold::Start(absl::Span<const Element> inits) {
  accumulators_.assign(inits.begin(), inits.end());
  begun_ = false;
}

absl::Status Fold::Add(absl::Span<const Element> elements, EvaluationContext& context) {
  if (absl::Status status = context.Charge(1); !status.ok()) return status;
  for (int64_t k = 0; k < size(); ++k) {
    if (!exact_[k]) continue;
    if (!begun_) {
      exact_[k]->Clear();
      exact_[k]->Add(accumulators_[k]);
    }
    exact_[k]->Add(elements[k]);
  }
  begun_ = true;
  if (!runs_region_) return absl::OkStatus();
  for (int64_t k = 0; k < size(); ++k) {
    arguments_[k] = accumulators_[k];
    arguments_[size() + k] = elements[k];
  }
  return region_.Run(arguments_, absl::MakeSpan(accumulators_), context);
}

Element Fold::Result(int64_t k, EvaluationContext& context) const {
  return begun_ && exact_[k] ? exact_[k]->Result(context) : accumulators_[k];
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

}  // namespace assay::evaluator
