#include "conformance/diagnose/instruction_report.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "evaluator/facts/isolate.h"
#include "interpreter/effect.h"
#include "interpreter/module_form.h"

namespace assay {
namespace {

class Collector : public Observer {
 public:
  using Observe = std::function<void(const InstructionVerdict&)>;

  Collector(Backend& target, const TargetProfile& profile, const RunBudget& budget,
            const Observe& observe)
      : target_(target), profile_(profile), observe_(observe) {
    options_.budget = budget;
  }

  void Enter(const ProcessId& process) override { is_first_ = process == ProcessId{}; }

  absl::Status After(const Instruction& instruction, int64_t, const Literal& value) override {
    if (!is_first_ || !Keep(instruction, value)) return absl::OkStatus();
    if (HasDefinition(instruction.opcode()) && instruction.operand_count() > 0 &&
        !HasDynamicSizes(instruction)) {
      verdicts_.push_back(Judge(instruction, value));
      if (observe_) observe_(verdicts_.back());
    }
    for (const Instruction* operand : instruction.operands()) {
      auto kept = values_.find(operand);
      if (kept != values_.end() && --kept->second.uses == 0) values_.erase(kept);
    }
    return absl::OkStatus();
  }

  std::vector<InstructionVerdict> TakeVerdicts() { return std::move(verdicts_); }

 private:
  // A value until the last instruction that takes it has been judged.
  struct Kept {
    Literal value;
    int64_t uses;
  };

  // Keeps the value for the instructions that take it. False when the instruction has run before:
  // in a later turn of a loop nothing is judged, and nothing kept.
  bool Keep(const Instruction& instruction, const Literal& value) {
    if (!seen_.insert(&instruction).second) return false;
    const Computation* computation = instruction.parent();
    if (counted_.insert(computation).second) {
      for (const auto& each : computation->instructions()) {
        for (const Instruction* operand : each->operands()) ++uses_[operand];
      }
    }
    auto uses = uses_.find(&instruction);
    if (uses != uses_.end()) values_[&instruction] = {value, uses->second};
    return true;
  }

  InstructionVerdict Judge(const Instruction& instruction, const Literal& golden) {
    InstructionVerdict verdict;
    verdict.instruction = &instruction;
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(values_.at(operand).value);
    }
    const std::unique_ptr<Module> alone = IsolateInstruction(instruction);
    absl::StatusOr<Literal> actual = RunOnce(target_, *alone, operands);
    if (!actual.ok()) {
      verdict.status = actual.status();
      return verdict;
    }
    auto evaluate = [&](const Module& other, absl::Span<const Literal> arguments) {
      return Interpret(other, arguments, options_);
    };
    absl::StatusOr<Judgement> judgement =
        JudgeInstruction(instruction, operands, golden, *actual, profile_, evaluate);
    verdict.status = judgement.status();
    if (judgement.ok()) verdict.judgement = *std::move(judgement);
    return verdict;
  }

  bool is_first_ = true;
  Backend& target_;
  const TargetProfile& profile_;
  const Observe& observe_;
  RunOptions options_;
  absl::flat_hash_map<const Instruction*, Kept> values_;
  absl::flat_hash_map<const Instruction*, int64_t> uses_;  // in the computations counted
  absl::flat_hash_set<const Computation*> counted_;
  absl::flat_hash_set<const Instruction*> seen_;
  std::vector<InstructionVerdict> verdicts_;
};

}  // namespace

absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const std::vector<Literal>> arguments, Backend& target,
    const TargetProfile& profile, const RunBudget& budget,
    const std::function<void(const InstructionVerdict&)>& observe,
    const CustomCallRegistry* custom_calls) {
  Collector collector(target, profile, budget, observe);
  PlanOptions plan;
  plan.observed = true;
  plan.seconds = budget.seconds;
  plan.custom_calls = custom_calls;
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(module, plan);
  if (!planned.ok()) return planned.status();
  absl::StatusOr<ProcessPlan> processes = PlanProcesses(module);
  if (!processes.ok()) return processes.status();
  Program program;
  program.module = planned->get();
  program.grid = processes->grid;
  for (const std::vector<Literal>& device : arguments) {
    program.arguments.insert(program.arguments.end(), processes->per_device, device);
  }
  RunOptions options;
  options.budget = budget;
  options.observers.push_back(&collector);
  const auto results = RunPrograms(absl::MakeConstSpan(&program, 1), options);
  if (!results.ok()) return results.status();
  return collector.TakeVerdicts();
}

}  // namespace assay
