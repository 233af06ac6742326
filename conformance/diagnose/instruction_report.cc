#include "conformance/diagnose/instruction_report.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "conformance/diagnose/isolate.h"

namespace assay {
namespace {

class Collector : public Observer {
 public:
  Collector(Backend& target, const RunBudget& budget) : target_(target) {
    options_.budget = budget;
  }

  absl::Status After(const Instruction& instruction, int64_t, const Literal& value) override {
    values_[&instruction] = value;
    if (!HasDefinition(instruction.opcode()) || instruction.operand_count() == 0) {
      return absl::OkStatus();
    }
    if (!seen_.insert(&instruction).second) return absl::OkStatus();
    verdicts_.push_back(Judge(instruction, value));
    return absl::OkStatus();
  }

  std::vector<InstructionVerdict> TakeVerdicts() { return std::move(verdicts_); }

 private:
  InstructionVerdict Judge(const Instruction& instruction, const Literal& golden) {
    InstructionVerdict verdict;
    verdict.instruction = &instruction;
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(values_.at(operand));
    }
    const std::unique_ptr<Module> alone = IsolateInstruction(instruction);
    absl::StatusOr<Literal> actual = RunOnce(target_, *alone, operands);
    if (!actual.ok()) {
      verdict.status = actual.status();
      return verdict;
    }
    auto evaluate = [&](absl::Span<const Literal> others) {
      return Interpret(*alone, others, options_);
    };
    absl::StatusOr<Judgement> judgement =
        JudgeInstruction(instruction, operands, golden, *actual, evaluate);
    verdict.status = judgement.status();
    if (judgement.ok()) verdict.judgement = *std::move(judgement);
    return verdict;
  }

  Backend& target_;
  RunOptions options_;
  absl::flat_hash_map<const Instruction*, Literal> values_;  // the latest of each
  absl::flat_hash_set<const Instruction*> seen_;
  std::vector<InstructionVerdict> verdicts_;
};

}  // namespace

absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const Literal> arguments, Backend& target,
    const RunBudget& budget) {
  Collector collector(target, budget);
  RunOptions options;
  options.budget = budget;
  options.observers.push_back(&collector);
  absl::StatusOr<Literal> result = Interpret(module, arguments, options);
  if (!result.ok()) return result.status();
  return collector.TakeVerdicts();
}

}  // namespace assay
