#include "spec/analysis/isolate.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/analysis/call_order.h"
#include "spec/analysis/flat_computation.h"

namespace assay::analysis {
namespace {

using ComputationMap = absl::flat_hash_map<const Computation*, Computation*>;

// The instruction without operands; computations in its attributes are those of the map.
std::unique_ptr<Instruction> CopyAlone(const Instruction& instruction,
                                       const ComputationMap& computations) {
  auto copy = std::make_unique<Instruction>(instruction.opcode(), instruction.shape());
  copy->set_name(instruction.name());
  copy->set_parameter_number(instruction.parameter_number());
  if (instruction.literal() != nullptr) copy->set_literal(*instruction.literal());
  for (const auto& [attr, value] : instruction.attributes().entries()) {
    AttributeValue mapped = value;
    if (auto* callee = std::get_if<Computation*>(&mapped)) {
      *callee = computations.at(*callee);
    } else if (auto* callees = std::get_if<std::vector<Computation*>>(&mapped)) {
      for (Computation*& each : *callees) each = computations.at(each);
    }
    copy->SetAttribute(attr, std::move(mapped));
  }
  // What a call means stands in its configuration too.
  if (instruction.opcode() == Opcode::kCustomCall && instruction.has_annotations()) {
    copy->mutable_annotations().backend_config = instruction.annotations().backend_config;
    copy->mutable_annotations().frontend_attributes = instruction.annotations().frontend_attributes;
  }
  return copy;
}

// Copies what the instruction calls, callees first.
void CopyCallees(const Instruction& instruction, Module& module, ComputationMap* computations) {
  auto copy = [&](const Computation& computation) {
    auto target = std::make_unique<Computation>(computation.name());
    absl::flat_hash_map<const Instruction*, Instruction*> instructions;
    for (const auto& each : computation.instructions()) {
      Instruction* added = target->Add(CopyAlone(*each, *computations));
      for (const Instruction* operand : each->operands()) {
        added->AppendOperand(instructions.at(operand));
      }
      instructions[each.get()] = added;
    }
    target->set_root(instructions.at(computation.root()));
    (*computations)[&computation] = module.Add(std::move(target));
  };
  const auto callees = instruction.called_computations();
  const std::vector<const Computation*> roots(callees.begin(), callees.end());
  const auto uncopied = [&](const Computation& computation) {
    return computations->contains(&computation) ? std::vector<const Computation*>()
                                                : AllCallees(computation);
  };
  for (const Computation* callee : FindCallOrder(roots, uncopied).callees_first) {
    if (!computations->contains(callee)) copy(*callee);
  }
}

Instruction* AddParameter(int64_t number, const Shape& shape, Computation* entry) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_name(absl::StrCat("operand_", number));
  parameter->set_parameter_number(static_cast<int32_t>(number));
  return entry->Add(std::move(parameter));
}

void FinishModule(std::unique_ptr<Computation> entry, Instruction* root, Module* module) {
  entry->set_root(root);
  module->set_entry(module->Add(std::move(entry)));
  module->UniquifyNames();
}

bool IsKnownScalar(const Instruction& instruction) {
  return instruction.literal() != nullptr && instruction.shape().is_scalar();
}

}  // namespace

std::unique_ptr<Module> IsolateInstruction(const Instruction& instruction) {
  auto module = std::make_unique<Module>(absl::StrCat("isolated_", Name(instruction.opcode())));
  ComputationMap computations;
  CopyCallees(instruction, *module, &computations);
  auto entry = std::make_unique<Computation>("isolated");
  std::unique_ptr<Instruction> copy = CopyAlone(instruction, computations);
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    copy->AppendOperand(AddParameter(i, instruction.operand(i)->shape(), entry.get()));
  }
  Instruction* root = entry->Add(std::move(copy));
  FinishModule(std::move(entry), root, module.get());
  return module;
}

std::unique_ptr<Module> FlattenRegions(const Instruction& fold) {
  switch (fold.opcode()) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kScan:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      break;
    default:
      return nullptr;
  }
  std::unique_ptr<Module> module;
  for (const Attr attribute : {Attr::kToApply, Attr::kSelect, Attr::kScatter}) {
    if (!fold.HasAttribute(attribute)) continue;
    const Computation& region = *fold.GetComputation(attribute);
    if (FlattenComputation(region) == nullptr) continue;
    if (module == nullptr) module = IsolateInstruction(fold);
    Instruction* root = module->entry()->root();
    // Of the copy, whose loops and branches call copies.
    root->SetAttribute(attribute,
                       module->Add(FlattenComputation(*root->GetComputation(attribute))));
  }
  if (module != nullptr) module->UniquifyNames();
  return module;
}

IsolatedGroup IsolateGroup(absl::Span<const Instruction* const> members,
                           absl::Span<const Instruction* const> results) {
  IsolatedGroup group;
  group.module = std::make_unique<Module>("isolated_subgraph");
  ComputationMap computations;
  auto entry = std::make_unique<Computation>("isolated");
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const Instruction* member : members) {
    CopyCallees(*member, *group.module, &computations);
    copies[member] = nullptr;
  }
  for (const Instruction* member : members) {
    for (const Instruction* operand : member->operands()) {
      if (copies.contains(operand)) continue;
      if (IsKnownScalar(*operand)) {
        copies[operand] = entry->Add(CopyAlone(*operand, computations));
      } else {
        const auto number = static_cast<int64_t>(group.operands.size());
        copies[operand] = AddParameter(number, operand->shape(), entry.get());
        group.operands.push_back(operand);
      }
    }
  }
  for (const Instruction* member : members) {
    std::unique_ptr<Instruction> copy = CopyAlone(*member, computations);
    for (const Instruction* operand : member->operands()) copy->AppendOperand(copies.at(operand));
    copies[member] = entry->Add(std::move(copy));
  }
  Instruction* root = copies.at(results.front());
  if (results.size() > 1) {
    std::vector<Shape> shapes;
    for (const Instruction* result : results) shapes.push_back(result->shape());
    auto tuple = std::make_unique<Instruction>(Opcode::kTuple, Shape::Tuple(std::move(shapes)));
    tuple->set_name("results");
    for (const Instruction* result : results) tuple->AppendOperand(copies.at(result));
    root = entry->Add(std::move(tuple));
  }
  FinishModule(std::move(entry), root, group.module.get());
  return group;
}

}  // namespace assay::analysis
