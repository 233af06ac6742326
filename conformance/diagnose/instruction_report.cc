#include "conformance/diagnose/instruction_report.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/diagnose/program_judge.h"

namespace assay::conformance {
namespace {

InstructionVerdict AskExcerpt(const Excerpt& excerpt, Backend& target, const TargetProfile& profile,
                              const RunBudget& budget) {
  InstructionVerdict verdict;
  verdict.members = excerpt.members;
  verdict.name = excerpt.Name();
  verdict.iteration = excerpt.iteration;
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
  absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      TraceGolden(module, inputs, plan, budget, options.depth, see);
  if (!outputs.ok()) return outputs.status();
  if (options.golden != nullptr) *options.golden = *std::move(outputs);
  return verdicts;
}

WholeVerdict ReportWhole(const Module& module, absl::Span<const DeviceInputs> inputs,
                         absl::Span<const DeviceOutputs> golden, Backend& target,
                         const TargetProfile& profile, const RunBudget& budget) {
  WholeVerdict verdict;
  const absl::StatusOr<ModuleRun> run = target.Run(module, inputs, /*repeat=*/1);
  if (!run.ok()) {
    verdict.status = run.status();
    return verdict;
  }
  verdict.answered = true;
  const std::vector<DeviceOutputs>& actual = run->outputs.front();
  std::vector<std::vector<Literal>> arguments;
  for (const DeviceInputs& device : inputs) arguments.push_back(device.arguments);
  absl::StatusOr<Judgement> judgement =
      JudgeModule(module, arguments, ResultsOf(golden), ResultsOf(actual), profile, budget);
  verdict.status = judgement.status();
  if (!judgement.ok()) return verdict;
  verdict.judgement = *std::move(judgement);
  const auto feeds_out = [](const DeviceOutputs& device) { return !device.outfeed.empty(); };
  if (std::any_of(golden.begin(), golden.end(), feeds_out) ||
      std::any_of(actual.begin(), actual.end(), feeds_out)) {
    verdict.judgement.Merge(JudgeOutfeeds(module, golden, actual, profile));
  }
  return verdict;
}

std::vector<const Instruction*> NotAskedAlone(const Module& module,
                                              absl::Span<const InstructionVerdict> verdicts) {
  absl::flat_hash_set<const Instruction*> asked;
  for (const InstructionVerdict& verdict : verdicts) {
    if (!verdict.is_group()) asked.insert(verdict.members.front());
  }
  std::vector<const Instruction*> missing;
  std::vector<const Computation*> open = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  for (size_t i = 0; i < open.size(); ++i) {
    for (const auto& each : open[i]->instructions()) {
      if (each->info().family == Family::kControl) {
        for (const Computation* callee : each->called_computations()) {
          if (seen.insert(callee).second) open.push_back(callee);
        }
      }
      const bool computes = !IsCarrier(each->opcode()) && each->opcode() != Opcode::kAfterAll;
      if (computes && !asked.contains(each.get())) {
        missing.push_back(each.get());
      }
    }
  }
  return missing;
}

}  // namespace assay::conformance
