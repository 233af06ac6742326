#include "conformance/diagnose/instruction_report.h"

#include <memory>
#include <utility>

#include "conformance/diagnose/golden_trace.h"
#include "evaluator/facts/isolate.h"

namespace assay {
namespace {

InstructionVerdict Judge(const Instruction& instruction, absl::Span<const Literal> operands,
                         const Literal& golden, Backend& target, const TargetProfile& profile,
                         const RunBudget& budget) {
  InstructionVerdict verdict;
  verdict.instruction = &instruction;
  const std::unique_ptr<Module> alone = IsolateInstruction(instruction);
  absl::StatusOr<Literal> actual = RunOnce(target, *alone, operands);
  if (!actual.ok()) {
    verdict.status = actual.status();
    return verdict;
  }
  const auto evaluate = [&](const Module& other, absl::Span<const Literal> arguments) {
    RunOptions options;
    options.budget = budget;
    return Interpret(other, arguments, options);
  };
  absl::StatusOr<Judgement> judgement =
      JudgeInstruction(instruction, operands, golden, *actual, profile, evaluate);
  verdict.status = judgement.status();
  if (judgement.ok()) verdict.judgement = *std::move(judgement);
  return verdict;
}

}  // namespace

absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const std::vector<Literal>> arguments, Backend& target,
    const TargetProfile& profile, const RunBudget& budget,
    const std::function<void(const InstructionVerdict&)>& observe,
    const CustomCallRegistry* custom_calls) {
  std::vector<InstructionVerdict> verdicts;
  const auto see = [&](const Instruction& instruction, std::vector<Literal> operands,
                       const Literal& golden) {
    verdicts.push_back(Judge(instruction, operands, golden, target, profile, budget));
    if (observe) observe(verdicts.back());
  };
  PlanOptions plan;
  plan.custom_calls = custom_calls;
  const absl::StatusOr<std::vector<Literal>> results =
      TraceGolden(module, arguments, plan, budget, see);
  if (!results.ok()) return results.status();
  return verdicts;
}

}  // namespace assay
