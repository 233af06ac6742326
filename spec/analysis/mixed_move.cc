#include "spec/analysis/mixed_move.h"

#include <utility>

namespace assay::analysis {
namespace {

// The number of operands that are moved; the others are indices.
int64_t MovedOperands(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kPad:
    case Opcode::kDynamicUpdateSlice:
      return 2;
    case Opcode::kConcatenate:
      return instruction.operand_count();
    default:
      return 0;
  }
}

}  // namespace

std::unique_ptr<MixedMove> SplitMixedMove(const Instruction& instruction) {
  const int64_t moved = MovedOperands(instruction);
  if (moved == 0) return nullptr;
  const ElementType type = instruction.shape().element_type();
  const auto differs = [&](int64_t k) {
    return k < moved && instruction.operand(k)->shape().element_type() != type;
  };
  bool mixed = false;
  for (int64_t k = 0; k < moved; ++k) mixed |= differs(k);
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
      converted.set_element_type(type);
      split->converts.back() = std::make_unique<Instruction>(Opcode::kConvert, converted);
      split->converts.back()->AppendOperand(operand);
      operand = split->converts.back().get();
    }
    split->move->AppendOperand(operand);
  }
  return split;
}

}  // namespace assay::analysis
