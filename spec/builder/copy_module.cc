#include "spec/builder/copy_module.h"

#include <utility>

namespace assay {
namespace {

AttributeValue Remapped(const AttributeValue& value, const CalleeMap& callees) {
  if (auto* const* one = std::get_if<Computation*>(&value)) return callees.at(*one);
  if (const auto* list = std::get_if<std::vector<Computation*>>(&value)) {
    std::vector<Computation*> copies;
    for (const Computation* callee : *list) copies.push_back(callees.at(callee));
    return copies;
  }
  return value;
}

}  // namespace

std::unique_ptr<Instruction> CopyInstruction(const Instruction& original,
                                             const InstructionMap& instructions,
                                             const CalleeMap& callees) {
  auto copy = std::make_unique<Instruction>(original.opcode(), original.shared_shape());
  copy->set_name(original.name());
  copy->set_position(original.position());
  for (const Instruction* operand : original.operands()) {
    copy->AppendOperand(instructions.at(operand));
  }
  for (const Instruction* predecessor : original.control_predecessors()) {
    copy->AddControlPredecessor(instructions.at(predecessor));
  }
  for (const auto& [attr, value] : original.attributes().entries()) {
    copy->SetAttribute(attr, Remapped(value, callees));
  }
  copy->set_parameter_number(original.parameter_number());
  if (original.literal() != nullptr) copy->set_literal(*original.literal());
  if (original.has_annotations()) copy->mutable_annotations() = original.annotations();
  return copy;
}

std::unique_ptr<Computation> EmptyCopy(const Computation& original) {
  auto copy = std::make_unique<Computation>(original.name());
  copy->set_execution_thread(original.execution_thread());
  copy->set_is_fusion(original.is_fusion());
  return copy;
}

void CopyComputations(const Module& from, Module* to, CalleeMap* callees) {
  for (const auto& original : from.computations()) {
    std::unique_ptr<Computation> copy = EmptyCopy(*original);
    InstructionMap instructions;
    for (const auto& instruction : original->instructions()) {
      instructions[instruction.get()] =
          copy->Add(CopyInstruction(*instruction, instructions, *callees));
    }
    copy->set_root(instructions.at(original->root()));
    (*callees)[original.get()] = to->Add(std::move(copy));
  }
}

}  // namespace assay
