#include "conformance/diagnose/golden_trace.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "interpreter/effect.h"
#include "interpreter/module_form.h"

namespace assay {
namespace {

class Tracer : public Observer {
 public:
  explicit Tracer(const SeeInstruction& see) : see_(see) {}

  void Enter(const ProcessId& process) override { is_first_ = process == ProcessId{}; }

  absl::Status After(const Instruction& instruction, int64_t, const Literal& value) override {
    if (!is_first_ || !Keep(instruction, value)) return absl::OkStatus();
    if (HasDefinition(instruction.opcode()) && instruction.operand_count() > 0 &&
        !HasDynamicSizes(instruction)) {
      std::vector<Literal> operands;
      for (const Instruction* operand : instruction.operands()) {
        operands.push_back(values_.at(operand).value);
      }
      see_(instruction, std::move(operands), value);
    }
    for (const Instruction* operand : instruction.operands()) {
      auto kept = values_.find(operand);
      if (kept != values_.end() && --kept->second.uses == 0) values_.erase(kept);
    }
    return absl::OkStatus();
  }

 private:
  // A value until the last instruction that takes it has been seen.
  struct Kept {
    Literal value;
    int64_t uses;
  };

  // Keeps the value for the instructions that take it. False when the instruction has run before:
  // in a later turn of a loop nothing is shown, and nothing kept.
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

  const SeeInstruction& see_;
  bool is_first_ = true;
  absl::flat_hash_map<const Instruction*, Kept> values_;
  absl::flat_hash_map<const Instruction*, int64_t> uses_;  // in the computations counted
  absl::flat_hash_set<const Computation*> counted_;
  absl::flat_hash_set<const Instruction*> seen_;
};

}  // namespace

absl::StatusOr<std::vector<Literal>> TraceGolden(const Module& module,
                                                 absl::Span<const std::vector<Literal>> arguments,
                                                 PlanOptions plan, const RunBudget& budget,
                                                 const SeeInstruction& see) {
  plan.observed = true;
  plan.seconds = budget.seconds;
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
  Tracer tracer(see);
  RunOptions options;
  options.budget = budget;
  options.observers.push_back(&tracer);
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      RunPrograms(absl::MakeConstSpan(&program, 1), options);
  if (!results.ok()) return results.status();
  std::vector<Literal> by_device;
  for (size_t i = 0; i < results->front().size(); i += processes->per_device) {
    by_device.push_back(std::move(results->front()[i]));
  }
  return by_device;
}

}  // namespace assay
