#include "conformance/mutants/site.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/ops/shape_inference.h"

namespace assay::conformance {
namespace {

// The computations that run as such: the entry, and what control flow calls. What is fused or
// wrapped is held to forms (one instruction, no unused ones) that a defect would leave.
absl::flat_hash_set<const Computation*> RunComputations(const Module& module) {
  absl::flat_hash_set<const Computation*> found = {module.entry()};
  std::vector<const Computation*> pending = {module.entry()};
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const auto& instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case Opcode::kCall:
        case Opcode::kWhile:
        case Opcode::kConditional:
          for (const Computation* callee : instruction->called_computations()) {
            if (found.insert(callee).second) pending.push_back(callee);
          }
          break;
        default:
          break;
      }
    }
  }
  return found;
}

void CopyHeader(const Module& from, Module* to) {
  to->replica_count = from.replica_count;
  to->num_partitions = from.num_partitions;
  to->frontend_attributes = from.frontend_attributes;
  to->spmd_propagation_to_parameters = from.spmd_propagation_to_parameters;
  to->spmd_propagation_to_output = from.spmd_propagation_to_output;
}

}  // namespace

std::vector<Instruction*> Site::operands() const {
  std::vector<Instruction*> copies;
  for (const Instruction* operand : original_.operands()) {
    copies.push_back(instructions_.at(operand));
  }
  return copies;
}

Instruction* Site::AddChecked(std::unique_ptr<Instruction> instruction) {
  // No instruction of the computation has it as an operand: it may stay.
  if (!CheckInstruction(*instruction).ok()) return nullptr;
  return computation_->Add(std::move(instruction));
}

Instruction* Site::Edited(const std::function<void(Instruction&)>& edit) {
  std::unique_ptr<Instruction> copy = CopyInstruction(original_, instructions_, callees_);
  if (edit == nullptr) return computation_->Add(std::move(copy));
  edit(*copy);
  return AddChecked(std::move(copy));
}

Instruction* Site::Make(Opcode opcode, const Shape& shape, absl::Span<Instruction* const> operands,
                        const std::function<void(Instruction&)>& edit) {
  auto made = std::make_unique<Instruction>(opcode, shape);
  made->set_name(absl::StrCat("defect.", computation_->instruction_count()));
  made->set_operands(operands);
  if (edit != nullptr) edit(*made);
  return AddChecked(std::move(made));
}

Instruction* Site::Call(absl::Span<Instruction* const> operands, const Shape& shape,
                        HostFunction function) {
  const std::string target =
      absl::StrCat("defect.", computation_->name(), ".", computation_->instruction_count());
  registry_->Register(
      target, [function = std::move(function), &original = original_](const CustomCall& call) {
        return function(original, call.operands, call);
      });
  return Make(Opcode::kCustomCall, shape, operands,
              [&](Instruction& made) { made.SetAttribute(Attr::kCustomCallTarget, target); });
}

Computation* Site::EditedCallee(Attr attr, const std::function<void(Instruction&)>& edit) {
  return CopyCallee(*original_.GetComputation(attr), edit);
}

Computation* Site::CopyCallee(const Computation& callee,
                              const std::function<void(Instruction&)>& edit) {
  auto copy = std::make_unique<Computation>(
      absl::StrCat(callee.name(), ".defect.", module_->computations().size()));
  copy->set_is_fusion(callee.is_fusion());
  InstructionMap instructions;
  for (const auto& instruction : callee.instructions()) {
    std::unique_ptr<Instruction> edited = CopyInstruction(*instruction, instructions, callees_);
    // A fused computation has one caller, so that another fusion needs another one.
    if (instruction->opcode() == Opcode::kFusion) {
      edited->SetAttribute(Attr::kCalls, CopyCallee(*instruction->GetComputation(Attr::kCalls),
                                                    [](Instruction&) {}));
    }
    edit(*edited);
    instructions[instruction.get()] = copy->Add(std::move(edited));
  }
  copy->set_root(instructions.at(callee.root()));
  return module_->Add(std::move(copy));
}

DefectiveModule PutInto(const Module& module, absl::Span<const Opcode> opcodes,
                        const Defect& defect, const CustomCallRegistry* base) {
  DefectiveModule result;
  result.module = std::make_unique<Module>(module.name());
  result.registry = std::make_unique<CustomCallRegistry>(base);
  CopyHeader(module, result.module.get());
  const absl::flat_hash_set<const Computation*> run = RunComputations(module);
  CalleeMap callees;
  for (const auto& original : module.computations()) {
    std::unique_ptr<Computation> copy = EmptyCopy(*original);
    InstructionMap instructions;
    for (const auto& instruction : original->instructions()) {
      Site site(*instruction, instructions, callees, result.module.get(), copy.get(),
                result.registry.get());
      Instruction* placed = nullptr;
      if (run.contains(original.get()) && absl::c_linear_search(opcodes, instruction->opcode())) {
        placed = defect(site);
        if (placed != nullptr) ++result.sites;
      }
      instructions[instruction.get()] = placed != nullptr ? placed : site.Unchanged();
    }
    copy->set_root(instructions.at(original->root()));
    callees[original.get()] = result.module->Add(std::move(copy));
  }
  result.module->set_entry(callees.at(module.entry()));
  result.module->UniquifyNames();
  return result;
}

}  // namespace assay::conformance
