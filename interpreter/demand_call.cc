#include "interpreter/demand_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "interpreter/custom_call.h"
#include "interpreter/golden_engine.h"

namespace assay {

absl::StatusOr<int64_t> DemandedCall::BytesOf(const Instruction& call, const PlanOptions& options) {
  if (MeaningsOf(options).Find(call) == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("elements of a custom call that is a collective: ", call.Describe()));
  }
  int64_t bytes = 0;
  const auto add = [&](const Shape& shape) -> absl::Status {
    for (const Shape* leaf : Leaves(shape)) {
      if (!leaf->is_array()) continue;
      if (leaf->is_dynamic()) {
        return absl::UnimplementedError(
            absl::StrCat("elements of a custom call on dynamic sizes: ", call.Describe()));
      }
      absl::StatusOr<int64_t> size = leaf->ByteSize();
      if (!size.ok()) return size.status();
      if (__builtin_add_overflow(bytes, *size, &bytes)) bytes = INT64_MAX / 2;
    }
    return absl::OkStatus();
  };
  absl::Status status = add(call.shape());
  for (const Instruction* operand : call.operands()) status.Update(add(operand->shape()));
  if (!status.ok()) return status;
  return bytes;
}

DemandedCall::DemandedCall(const Instruction& call, const PlanOptions& options)
    : call_(call), options_(options) {
  for (int64_t operand = 0; operand < call.operand_count(); ++operand) {
    int64_t number = 0;
    for (const Shape* leaf : Leaves(call.operand(operand)->shape())) {
      parts_.push_back(
          {operand, number++, leaf->is_array() ? Literal::Zeros(*leaf) : Literal::Token()});
    }
  }
}

absl::StatusOr<Element> DemandedCall::At(int64_t leaf, int64_t position, Source source,
                                         evaluator::EvaluationContext& context) {
  if (results_.empty()) {
    if (absl::Status status = Gather(source); !status.ok()) return status;
    if (absl::Status status = Make(context); !status.ok()) return status;
  }
  return results_[leaf].Get(position);
}

absl::Status DemandedCall::Gather(Source source) {
  for (; next_ < parts_.size(); ++next_) {
    Part& part = parts_[next_];
    if (!part.value.is_array()) continue;
    for (; part.gathered < part.value.element_count(); ++part.gathered) {
      absl::StatusOr<Element> element = source(part.operand, part.leaf, part.gathered);
      if (!element.ok()) return element.status();
      part.value.Set(part.gathered, *element);
    }
  }
  return absl::OkStatus();
}

absl::Status DemandedCall::Make(evaluator::EvaluationContext& context) {
  std::vector<Literal> leaves, operands;
  for (const Part& part : parts_) leaves.push_back(part.value);
  absl::Span<const Literal> rest = leaves;
  for (const Instruction* operand : call_.operands()) {
    const int64_t count = operand->shape().leaf_count();
    operands.push_back(Unflatten(operand->shape(), rest.first(count)));
    rest.remove_prefix(count);
  }
  const CustomCallHandler& handler = *MeaningsOf(options_).Find(call_);
  const GoldenEngine engine(options_);
  const CustomCall call = {call_,  operands, {},     {}, RunOptions().random_seed,
                           engine, context,  nullptr};
  absl::StatusOr<Literal> value = handler(call);
  if (!value.ok()) return value.status();
  if (absl::Status status = runtime::CheckCustomCallValue(call_, *value); !status.ok())
    return status;
  results_ = Flatten(*value);
  return absl::OkStatus();
}

}  // namespace assay
