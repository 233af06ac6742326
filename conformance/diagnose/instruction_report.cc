#include "conformance/diagnose/instruction_report.h"

#include <utility>

#include "conformance/diagnose/module_judge.h"

namespace assay {
namespace {

InstructionVerdict AskExcerpt(const Excerpt& excerpt, Backend& target, const TargetProfile& profile,
                              const RunBudget& budget) {
  InstructionVerdict verdict;
  verdict.members = excerpt.members;
  verdict.name = excerpt.Name();
  verdict.turn = excerpt.turn;
  const absl::StatusOr<Literal> actual = RunOnce(target, *excerpt.module, excerpt.arguments);
  if (!actual.ok()) {
    verdict.status = actual.status();
    return verdict;
  }
  absl::StatusOr<Judgement> judgement = JudgeModule(*excerpt.module, {excerpt.arguments},
                                                    {excerpt.golden}, {*actual}, profile, budget);
  verdict.status = judgement.status();
  if (judgement.ok()) verdict.judgement = *std::move(judgement);
  return verdict;
}

}  // namespace

absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const DeviceInputs> inputs, Backend& target,
    const TargetProfile& profile, const RunBudget& budget, const ReportOptions& options) {
  std::vector<InstructionVerdict> verdicts;
  const auto see = [&](const Excerpt& excerpt) {
    verdicts.push_back(AskExcerpt(excerpt, target, profile, budget));
    if (options.observe) options.observe(verdicts.back(), excerpt);
    return absl::OkStatus();
  };
  PlanOptions plan;
  plan.custom_calls = options.custom_calls;
  const absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      TraceGolden(module, inputs, plan, budget, options.depth, see);
  if (!outputs.ok()) return outputs.status();
  return verdicts;
}

}  // namespace assay
