#include "conformance/mutants/score.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/mutants/mutant_backend.h"
#include "conformance/mutants/mutant_cases.h"
#include "conformance/runner/executions.h"
#include "conformance/runner/probe.h"

namespace assay::conformance {
namespace {

// One mutant that is still unseen, and what it is judged by.
struct Candidate {
  MutantScore* score;
  const TargetProfile* profile;
};

bool KeepsState(const Candidate& candidate) {
  return candidate.score->mutant->state != StateDefect::kNone;
}

std::string Describe(const ProbeResult& probe) {
  std::string text(OutcomeName(probe.outcome));
  if (!probe.name.empty()) absl::StrAppend(&text, " in ", probe.name);
  if (!probe.judgement.evidence.empty()) {
    const Evidence& first = probe.judgement.evidence.front();
    absl::StrAppend(&text, ": ", first.actual, " for ", first.golden);
  } else if (!probe.message.empty()) {
    absl::StrAppend(&text, ": ", probe.message);
  }
  return text;
}

// The mutant's results of one sub-test, which are golden where the defect does not apply. `again`:
// those of several executions.
ProbeResult Ask(MutantBackend& target, const Probe& probe, const Candidate& candidate,
                const RunBudget& budget, bool again, bool* stood) {
  ProbeResult result;
  result.name = probe.name;
  const auto executable = target.Compile(*probe.module);
  if (!executable.ok()) {
    candidate.score->broken = std::string(executable.status().message());
    return result;
  }
  if (target.sites() == 0) return result;
  *stood = true;
  const std::vector<size_t> order = OrderOfExecutions(probe, /*repeat=*/1, again);
  ModuleRun run;
  if (order.size() == 1) {
    auto actual = RunOnDevices(target, **executable, probe.inputs);
    if (actual.ok()) run.outputs.push_back(*std::move(actual));
    if (!actual.ok()) candidate.score->broken = std::string(actual.status().message());
  } else {
    auto all = target.RunSets(*probe.module, SetsOf(probe, order));
    if (all.ok()) run = *std::move(all);
    if (!all.ok()) candidate.score->broken = std::string(all.status().message());
  }
  if (run.outputs.empty()) return result;
  absl::StatusOr<ExecutionsJudgement> judgement =
      JudgeExecutions(probe, run, order, /*repeat=*/1, *candidate.profile, budget);
  if (!judgement.ok()) {
    result.outcome = Outcome::kFailed;
    result.message = std::string(judgement.status().message());
  } else {
    result.outcome = OutcomeOf(judgement->judgement.verdict);
    result.judgement = std::move(judgement->judgement);
  }
  return result;
}

void Examine(const CorpusCase& corpus_case, absl::Span<const Probe> probes,
             const Candidate& candidate, const RunBudget& budget) {
  GoldenOptions options;
  options.run.budget = budget;
  MutantBackend target(*candidate.score->mutant, options);
  CaseResult result;
  bool stood = false;
  // As the quick tier executes them.
  const bool again = KeepsState(candidate) && IsExecutedAgain(corpus_case.id, Again::kEighth);
  for (const Probe& probe : probes) {
    result.probes.push_back(Ask(target, probe, candidate, budget, again, &stood));
  }
  if (!stood) return;
  ++candidate.score->cases;
  Conclude(&result);
  if (!IsFailure(result.outcome)) return;
  candidate.score->caught_by = corpus_case.id;
  for (const ProbeResult& probe : result.probes) {
    if (IsFailure(probe.outcome)) candidate.score->reason = Describe(probe);
  }
}

using Profiles = std::map<std::string, TargetProfile>;

absl::StatusOr<const TargetProfile*> FindProfile(const std::string& name, Profiles* found) {
  auto known = found->find(name);
  if (known == found->end()) {
    absl::StatusOr<TargetProfile> profile = TargetProfile::Find(name);
    if (!profile.ok()) return profile.status();
    known = found->emplace(name, *std::move(profile)).first;
  }
  return &known->second;
}

}  // namespace

absl::StatusOr<std::vector<MutantScore>> ScoreMutants(absl::Span<const Mutant* const> mutants,
                                                      absl::Span<const CorpusCase> cases,
                                                      const ScoreOptions& options) {
  const MutantCases choice(cases);
  Profiles profiles;
  std::vector<MutantScore> scores(mutants.size());
  // By number: in the order of the cases.
  std::map<const CorpusCase*, std::vector<Candidate>> examined;
  for (size_t i = 0; i < mutants.size(); ++i) {
    const Mutant& mutant = *mutants[i];
    scores[i].mutant = &mutant;
    scores[i].profile = !options.profile.empty() ? options.profile
                        : mutant.conforming()    ? mutant.profile
                                                 : "golden";
    const auto profile = FindProfile(scores[i].profile, &profiles);
    if (!profile.ok()) return profile.status();
    for (const CorpusCase* each : choice.Of(mutant)) {
      examined[each].push_back({&scores[i], *profile});
    }
  }
  int64_t done = 0;
  for (auto& [corpus_case, candidates] : examined) {
    if (options.progress) options.progress(done++, static_cast<int64_t>(examined.size()));
    std::erase_if(candidates, [](const Candidate& candidate) {
      return candidate.score->caught() || !candidate.score->broken.empty();
    });
    if (candidates.empty()) continue;
    ProbeOptions probe_options;
    probe_options.other_arguments = std::any_of(candidates.begin(), candidates.end(), KeepsState);
    const auto probes = MakeProbes(*corpus_case, options.budget, probe_options);
    if (!probes.ok()) return probes.status();
    for (const Candidate& candidate : candidates) {
      Examine(*corpus_case, *probes, candidate, options.budget);
    }
  }
  return scores;
}

}  // namespace assay::conformance
