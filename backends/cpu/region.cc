#include "backends/cpu/region.h"

#include <algorithm>
#include <cstring>

#include "runtime/arrays.h"
#include "spec/ir/literal.h"

namespace assay::cpu {
namespace {

std::vector<ElementType> LeafTypes(const Shape& shape) {
  std::vector<ElementType> types;
  for (const Shape* leaf : Leaves(shape)) types.push_back(leaf->element_type());
  return types;
}

}  // namespace

bool IsFlatRegion(const Computation& computation) { return BlockProgram::Create(computation).ok(); }

Region::Region(const Computation& computation, absl::Span<const ElementType> given)
    : computation_(computation),
      outputs_(LeafTypes(computation.root()->shape())),
      cost_(std::max<int64_t>(1, computation.instruction_count())) {
  for (const Instruction* parameter : computation.parameters()) {
    const std::vector<ElementType> leaves = LeafTypes(parameter->shape());
    inputs_.insert(inputs_.end(), leaves.begin(), leaves.end());
  }
  auto program = BlockProgram::Create(computation);
  if (program.ok()) program_ = *std::move(program);
  if (program_ != nullptr) scratch_bytes_ = (program_->scratch_bytes() + 63) / 64 * 64;
  for (size_t i = 0; i < given.size() && i < inputs_.size(); ++i) {
    if (given[i] == inputs_[i]) continue;
    auto convert = ConvertFunction(given[i], inputs_[i]);
    if (!convert.ok()) continue;  // there is one between any two types of numbers
    conversions_.resize(inputs_.size());
    conversions_[i].emplace(*std::move(convert));
  }
  if (!conversions_.empty()) {
    scratch_bytes_ += static_cast<int64_t>(inputs_.size()) * kBlockElements * 16;
  }
}

absl::Status Region::Run(absl::Span<const std::byte* const> inputs,
                         absl::Span<std::byte* const> outputs, int64_t n, std::byte* scratch,
                         runtime::Context& context) const {
  if (conversions_.empty()) return RunConverted(inputs, outputs, n, scratch, context);
  std::vector<const std::byte*> converted(inputs.begin(), inputs.end());
  for (size_t i = 0; i < converted.size(); ++i) {
    if (!conversions_[i].has_value()) continue;
    (*conversions_[i])(absl::MakeConstSpan(&inputs[i], 1), scratch, n);
    converted[i] = scratch;
    scratch += kBlockElements * 16;
  }
  return RunConverted(converted, outputs, n, scratch, context);
}

absl::Status Region::RunConverted(absl::Span<const std::byte* const> inputs,
                                  absl::Span<std::byte* const> outputs, int64_t n,
                                  std::byte* scratch, runtime::Context& context) const {
  if (program_ == nullptr) return Call(inputs, outputs, n, context);
  program_->Run(inputs, outputs, n, scratch);
  return absl::OkStatus();
}

absl::Status Region::Call(absl::Span<const std::byte* const> inputs,
                          absl::Span<std::byte* const> outputs, int64_t n,
                          runtime::Context& context) const {
  if (context.caller == nullptr) {
    return absl::InternalError("a region that is not flat has no caller that runs it");
  }
  for (int64_t i = 0; i < n; ++i) {
    std::vector<Literal> arguments;
    size_t leaf = 0;
    for (const Instruction* parameter : computation_.parameters()) {
      std::vector<Literal> leaves;
      for (const Shape* shape : Leaves(parameter->shape())) {
        leaves.push_back(Literal::Scalar(shape->element_type(),
                                         LoadElement(shape->element_type(), inputs[leaf], i)));
        ++leaf;
      }
      arguments.push_back(Unflatten(parameter->shape(), leaves));
    }
    absl::StatusOr<Literal> value = context.caller->Call(computation_, arguments);
    if (!value.ok()) return value.status();
    const std::vector<Literal> results = Flatten(*value);
    for (size_t k = 0; k < results.size(); ++k) {
      StoreElement(outputs_[k], results[k].Get(0), outputs[k], i);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<BlockFunction> BinaryFunction(Opcode opcode, ElementType type) {
  Instruction x(Opcode::kParameter, Shape::Scalar(type));
  Instruction y(Opcode::kParameter, Shape::Scalar(type));
  Instruction op(opcode, Shape::Scalar(type));
  op.set_operands({&x, &y});
  return FindBlockFunction(op);
}

absl::StatusOr<BlockFunction> ConvertFunction(ElementType from, ElementType to) {
  Instruction x(Opcode::kParameter, Shape::Scalar(from));
  Instruction op(Opcode::kConvert, Shape::Scalar(to));
  op.set_operands({&x});
  return FindBlockFunction(op);
}

ElementType WideType(ElementType type) {
  return IsFloat(type) && runtime::StorageBytes(type) < 4 ? ElementType::kF32 : type;
}

}  // namespace assay::cpu
