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

Region::Region(const Computation& computation)
    : computation_(computation),
      outputs_(LeafTypes(computation.root()->shape())),
      cost_(std::max<int64_t>(1, computation.instruction_count())) {
  for (const Instruction* parameter : computation.parameters()) {
    const std::vector<ElementType> leaves = LeafTypes(parameter->shape());
    inputs_.insert(inputs_.end(), leaves.begin(), leaves.end());
  }
  auto program = BlockProgram::Create(computation);
  if (program.ok()) program_ = *std::move(program);
}

absl::Status Region::Run(absl::Span<const std::byte* const> inputs,
                         absl::Span<std::byte* const> outputs, int64_t n, std::byte* scratch,
                         runtime::Context& context) const {
  if (program_ == nullptr) return Call(inputs, outputs, n, context);
  program_->Run(inputs, outputs, n, scratch);
  return absl::OkStatus();
}

absl::Status Region::Call(absl::Span<const std::byte* const> inputs,
                          absl::Span<std::byte* const> outputs, int64_t n,
                          runtime::Context& context) const {
  if (context.caller == nullptr) {
    return absl::InternalError("a region that is not flat has nobody to run it");
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
