#include "backends/passes/editor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "backends/defect.h"
#include "backends/passes/pass.h"
#include "spec/analysis/call_order.h"
#include "spec/analysis/effects.h"
#include "spec/builder/copy_module.h"

namespace assay::passes {
namespace {

std::vector<const Computation*> CalleesFirst(const Module& module, bool all) {
  std::vector<const Computation*> roots;
  if (all) {
    for (const auto& computation : module.computations()) roots.push_back(computation.get());
  } else {
    roots.push_back(module.entry());
  }
  return analysis::FindCallOrder(roots, analysis::AllCallees).callees_first;
}

// Whether an instruction runs its computations as such.
bool RunsCallees(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

template <typename T>
bool SameValue(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, ResultAccuracy>) {
    return a.mode == b.mode && a.atol == b.atol && a.rtol == b.rtol && a.ulps == b.ulps;
  } else {
    return a == b;
  }
}

}  // namespace

EffectSet EffectsOf(const Module& module) {
  return analysis::FindEffectful(CalleesFirst(module, /*all=*/true));
}

std::vector<Computation*> RunningComputations(const Module& module) {
  std::vector<Computation*> running = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  for (size_t i = 0; i < running.size(); ++i) {
    for (const auto& instruction : running[i]->instructions()) {
      if (!RunsCallees(instruction->opcode())) continue;
      for (Computation* callee : instruction->called_computations()) {
        if (seen.insert(callee).second) running.push_back(callee);
      }
    }
  }
  return running;
}

bool Editor::IsFree(const Instruction& instruction) {
  if (!knows_order_) {
    for (const auto& each : computation_.instructions()) {
      for (const Instruction* predecessor : each->control_predecessors()) {
        ordered_.insert(predecessor);
        ordered_.insert(each.get());
      }
    }
    knows_order_ = true;
  }
  return !ordered_.contains(&instruction) && !analysis::HasEffect(instruction, effects_) &&
         !analysis::IsEffect(instruction.opcode());
}

Instruction* Editor::Add(std::unique_ptr<Instruction> instruction) {
  changed_ = true;
  computation_.set_root(computation_.root());
  return computation_.Add(std::move(instruction));
}

Instruction* Editor::Add(Opcode opcode, const Shape& shape,
                         absl::Span<Instruction* const> operands) {
  auto instruction = std::make_unique<Instruction>(opcode, shape);
  instruction->set_name(std::string(Name(opcode)));
  instruction->set_operands(operands);
  return Add(std::move(instruction));
}

void Editor::Replace(const Instruction* instruction, Instruction* by) {
  changed_ = true;
  replaced_[instruction] = by;
}

Instruction* Editor::Now(Instruction* instruction) const {
  for (auto it = replaced_.find(instruction); it != replaced_.end();
       it = replaced_.find(instruction)) {
    instruction = it->second;
  }
  return instruction;
}

void Editor::Finish() {
  Instruction* root = Now(computation_.root());
  if (!replaced_.empty()) {
    for (const auto& instruction : computation_.instructions()) {
      std::vector<Instruction*> operands;
      for (Instruction* operand : instruction->operands()) operands.push_back(Now(operand));
      instruction->set_operands(operands);
    }
  }
  // What is needed, each after what it needs: a walk with a stack of its own.
  std::vector<char> state(computation_.instruction_count(), 0);  // 1: on the stack, 2: in the list
  std::vector<Instruction*> order, stack;
  auto push = [&](Instruction* instruction) {
    if (state[instruction->index()] != 2) stack.push_back(instruction);
  };
  auto visit = [&](Instruction* wanted) {
    push(wanted);
    while (!stack.empty()) {
      Instruction* top = stack.back();
      char& at = state[top->index()];
      if (at != 0) {
        stack.pop_back();
        if (at == 1) order.push_back(top);
        at = 2;
        continue;
      }
      at = 1;
      for (Instruction* predecessor : top->control_predecessors()) push(predecessor);
      for (int64_t k = top->operand_count() - 1; k >= 0; --k) push(top->operand(k));
    }
  };
  for (const auto& instruction : computation_.instructions()) {
    const bool has_effect = analysis::HasEffect(*instruction, effects_);
    const bool stays = instruction->opcode() == Opcode::kParameter || instruction.get() == root ||
                       ASSAY_DEFECT(93, has_effect, false);
    if (stays) visit(instruction.get());
  }
  const bool dropped = static_cast<int64_t>(order.size()) != computation_.instruction_count();
  if (!dropped && !changed_) return;
  module_.orders_[&computation_] = std::move(order);
  module_.roots_[&computation_] = root;
}

std::vector<Instruction*> ModuleEditor::Instructions(const Computation& computation) const {
  const auto edited = orders_.find(&computation);
  if (edited != orders_.end()) return edited->second;
  std::vector<Instruction*> list;
  for (const auto& instruction : computation.instructions()) list.push_back(instruction.get());
  return list;
}

void ModuleEditor::DropUncalled() {
  drops_ = CalleesFirst(module_, /*all=*/false).size() != module_.computations().size();
}

bool ModuleEditor::Apply(std::unique_ptr<Module>& module) {
  if (!changed()) return false;
  std::unique_ptr<Module> edited = EmptyModuleLike(module_);
  CalleeMap callees;
  // By the calls of what is kept.
  const auto callees_of = [&](const Computation& computation) {
    std::vector<const Computation*> list;
    for (const Instruction* instruction : Instructions(computation)) {
      for (const Computation* callee : instruction->called_computations()) list.push_back(callee);
    }
    return list;
  };
  std::vector<const Computation*> roots;
  if (!drops_) {
    for (const auto& computation : module_.computations()) roots.push_back(computation.get());
  } else {
    roots.push_back(module_.entry());
  }
  for (const Computation* original : analysis::FindCallOrder(roots, callees_of).callees_first) {
    std::unique_ptr<Computation> copy = EmptyCopy(*original);
    InstructionMap instructions;
    for (const Instruction* instruction : Instructions(*original)) {
      instructions[instruction] = copy->Add(CopyInstruction(*instruction, instructions, callees));
    }
    copy->set_root(instructions.at(Root(*original)));
    callees[original] = edited->Add(std::move(copy));
  }
  edited->set_entry(callees.at(module_.entry()));
  edited->UniquifyNames();
  module = std::move(edited);
  return true;
}

std::vector<std::vector<Instruction*>> UsersOf(const Computation& computation) {
  std::vector<std::vector<Instruction*>> users(computation.instruction_count());
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) {
      std::vector<Instruction*>& list = users[operand->index()];
      if (list.empty() || list.back() != instruction.get()) list.push_back(instruction.get());
    }
  }
  return users;
}

bool SameAttributes(const Instruction& a, const Instruction& b) {
  const auto x = a.attributes().entries(), y = b.attributes().entries();
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].first != y[i].first || x[i].second.index() != y[i].second.index()) return false;
    const bool same = std::visit(
        [&](const auto& value) {
          return SameValue(value, std::get<std::decay_t<decltype(value)>>(y[i].second));
        },
        x[i].second);
    if (!same) return false;
  }
  return true;
}

}  // namespace assay::passes
