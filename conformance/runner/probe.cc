#include "conformance/runner/probe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/runner/executions.h"
#include "spec/analysis/effects.h"
#include "spec/ir/source_text.h"

namespace assay::conformance {

namespace {

// The largest number of element operations of golden for the other arguments of a module with
// loops. The arguments may decide the number of iterations.
constexpr int64_t kMostStepsOfLoops = 4'000'000;

bool HasLoops(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() == Opcode::kWhile) return true;
    }
  }
  return false;
}

bool SameInputs(const std::vector<DeviceInputs>& a, const std::vector<DeviceInputs>& b) {
  const auto same = [](const std::vector<Literal>& left, const std::vector<Literal>& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), Literal::BitEqual);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const DeviceInputs& left, const DeviceInputs& right) {
                      return same(left.arguments, right.arguments) &&
                             same(left.infeed, right.infeed);
                    });
}

// Golden's kernels compute the other results, also if golden is the target. The first execution
// already compares the kernels with the definitions.
void AddOtherArguments(const CorpusCase& corpus_case, RunBudget budget, Probe* probe) {
  if (analysis::UsesRandomState(*probe->module)) return;
  const CorpusCase other = WithOtherArguments(corpus_case, *probe->module);
  absl::StatusOr<std::vector<DeviceInputs>> inputs =
      MakeInputs(other, *probe->module, budget.bytes);
  if (!inputs.ok() || SameInputs(*inputs, probe->inputs)) return;
  if (HasLoops(*probe->module) && (budget.steps < 0 || budget.steps > kMostStepsOfLoops)) {
    budget.steps = kMostStepsOfLoops;
  }
  absl::StatusOr<std::vector<DeviceOutputs>> golden = RunGolden(*probe->module, *inputs, budget);
  if (!golden.ok()) return;
  probe->other_inputs = *std::move(inputs);
  probe->other_golden = *std::move(golden);
}

}  // namespace

absl::StatusOr<std::vector<Probe>> MakeProbes(const CorpusCase& corpus_case,
                                              const RunBudget& budget,
                                              const ProbeOptions& options) {
  absl::StatusOr<ReadyCase> ready = MakeReady(corpus_case, budget.bytes);
  if (!ready.ok()) return ready.status();
  PlanOptions plan;
  plan.straight = options.straight;
  std::vector<Probe> probes(1);
  absl::StatusOr<std::vector<DeviceOutputs>> golden;
  if (SoleInstruction(*ready->module) != nullptr) {
    golden = RunGolden(*ready, budget, plan);
  } else {
    int64_t bytes = 0;
    const auto see = [&](Excerpt excerpt) {
      // The operands and results of a group are those of its members and their neighbours, which
      // are counted already.
      if (!excerpt.is_group()) bytes += excerpt.golden.byte_size();
      if (budget.bytes >= 0 && bytes > budget.bytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the values of all instructions take more than the budget of ",
                         budget.bytes, " bytes"));
      }
      probes.push_back({excerpt.Name(),
                        SourceText(*excerpt.members.back()),
                        excerpt.is_group(),
                        std::move(excerpt.module),
                        {{std::move(excerpt.arguments), {}}},
                        {{std::move(excerpt.golden), {}}}});
      return absl::OkStatus();
    };
    golden = TraceGolden(*ready->module, ready->inputs, plan, budget, options.depth, see);
  }
  if (golden.ok()) {
    const absl::Status expected = CheckExpected(corpus_case, *golden);
    if (!expected.ok()) golden = expected;
  }
  if (!golden.ok()) return golden.status();
  probes.front() = {
      "", "", false, std::move(ready->module), std::move(ready->inputs), *std::move(golden)};
  if (options.other_arguments) AddOtherArguments(corpus_case, budget, &probes.front());
  return probes;
}

absl::StatusOr<Judgement> JudgeProbe(const Probe& probe, absl::Span<const DeviceOutputs> actual,
                                     const TargetProfile& profile, const RunBudget& budget) {
  std::vector<std::vector<Literal>> arguments;
  for (const DeviceInputs& device : probe.inputs) arguments.push_back(device.arguments);
  absl::StatusOr<Judgement> judgement = JudgeModule(
      *probe.module, arguments, ResultsOf(probe.golden), ResultsOf(actual), profile, budget);
  const auto feeds_out = [](const DeviceOutputs& device) { return !device.outfeed.empty(); };
  const bool fed_out = std::any_of(actual.begin(), actual.end(), feeds_out) ||
                       std::any_of(probe.golden.begin(), probe.golden.end(), feeds_out);
  if (judgement.ok() && fed_out) {
    judgement->Merge(JudgeOutfeeds(*probe.module, probe.golden, actual, profile));
  }
  return judgement;
}

void Conclude(CaseResult* result) {
  ProbeResult& whole = result->probes.front();
  const auto weight = [](const ProbeResult& probe) {
    const bool says_nothing = !IsPass(probe.outcome) && !IsFailure(probe.outcome);
    return probe.subgraph && says_nothing ? Outcome::kExact : probe.outcome;
  };
  const auto worse = [&](const ProbeResult& a, const ProbeResult& b) {
    return weight(a) < weight(b);
  };
  auto decisive = result->probes.begin();
  if (result->probes.size() > 1) {
    const auto introduced =
        std::max_element(result->probes.begin() + 1, result->probes.end(), worse);
    const Outcome own = weight(*introduced);
    const bool inherits =
        whole.outcome == Outcome::kNotJudgeable && own > Outcome::kCorrectlyRounded;
    if (inherits && whole.message.empty()) {
      whole.message = absl::StrCat("inherits what ", introduced->name, " introduced (",
                                   OutcomeName(introduced->outcome), ")");
    }
    if (inherits || whole.outcome <= own) decisive = introduced;
  }
  result->outcome = decisive->outcome;
  if (decisive->message.empty()) return;
  result->message = decisive->name.empty() ? decisive->message
                                           : absl::StrCat(decisive->name, ": ", decisive->message);
}

}  // namespace assay::conformance
