#include "spec/analysis/mixed_move.h"

#include <utility>

namespace assay::analysis {
namespace {

// Returns true if not every number of a type is one of the other.
bool Narrows(ElementType from, ElementType to) {
  if (from == to || !IsFloat(from) || !IsFloat(to)) return false;
  const FloatFormat &a = *Info(from).format, &b = *Info(to).format;
  return a.significand_bits > b.significand_bits || a.exponent_bits > b.exponent_bits;
}

// The type that operand k is converted to; its own if it is taken as it is.
ElementType TargetType(const Instruction& instruction, int64_t k) {
  const ElementType own = instruction.operand(k)->shape().element_type();
  switch (instruction.opcode()) {
    case Opcode::kPad:
    case Opcode::kConcatenate:
      return instruction.shape().element_type();
    case Opcode::kDynamicUpdateSlice:
      return k < 2 ? instruction.shape().element_type() : own;
    case Opcode::kReduce:
    case Opcode::kReduceWindow: {
      // The accumulators come first among the parameters, the initial values last among the
      // operands.
      const int64_t count = instruction.operand_count(), half = count / 2;
      const auto& parameters = instruction.to_apply()->parameters();
      if (static_cast<int64_t>(parameters.size()) != count) return own;
      const ElementType taken = parameters[(k + half) % count]->shape().element_type();
      return Narrows(own, taken) ? taken : own;
    }
    default:
      return own;
  }
}

}  // namespace

std::unique_ptr<MixedMove> SplitMixedMove(const Instruction& instruction) {
  const auto differs = [&](int64_t k) {
    return TargetType(instruction, k) != instruction.operand(k)->shape().element_type();
  };
  bool mixed = false;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) mixed |= differs(k);
  if (!mixed) return nullptr;
  auto split = std::make_unique<MixedMove>();
  split->move = std::make_unique<Instruction>(instruction.opcode(), instruction.shape());
  split->move->set_name(instruction.name());
  split->move->set_position(instruction.position());
  for (const auto& [attr, value] : instruction.attributes().entries()) {
    split->move->SetAttribute(attr, value);
  }
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const Shape& shape = instruction.operand(k)->shape();
    split->parameters.push_back(std::make_unique<Instruction>(Opcode::kParameter, shape));
    Instruction* operand = split->parameters.back().get();
    split->converts.push_back(nullptr);
    if (differs(k)) {
      Shape converted = shape;
      converted.set_element_type(TargetType(instruction, k));
      split->converts.back() = std::make_unique<Instruction>(Opcode::kConvert, converted);
      split->converts.back()->AppendOperand(operand);
      operand = split->converts.back().get();
    }
    split->move->AppendOperand(operand);
  }
  return split;
}

}  // namespace assay::analysis
