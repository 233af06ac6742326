// `assay judge`: judges answers that come as files, to cases that `assay corpus export` wrote: as
// `assay test` judges those of a target. Test: judge_cli_test.py.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus.h"
#include "conformance/offline/case_folder.h"
#include "conformance/profiles/profile.h"
#include "conformance/runner/case_runner.h"
#include "tools/cli/case_selection.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/suite_report.h"

namespace assay::cli {
namespace {

struct JudgeCommand {
  std::string folder;
  ProfileOption profile_option;
  SuiteReport report;
  CaseSelection selection;
  bool tier_given = false;
  BudgetOptions budget;
  OutputOptions output;

  JudgeCommand() { budget.budget.seconds = conformance::kUsualTimeout; }
  int Run();

 private:
  // What the folder holds, and what is chosen of it.
  struct Inputs {
    std::vector<std::string> ids;  // of the folder and, where waivers may mean it, of the corpus
    std::vector<conformance::CorpusCase> cases;
  };

  absl::Status Read(Inputs* inputs, conformance::RunResult* run) const;
  absl::Status TakeTier(std::vector<conformance::CorpusCase>* cases) const;
  absl::Status Judge(const std::vector<conformance::CorpusCase>& cases,
                     const conformance::TargetProfile& target, conformance::RunResult* run) const;
};

// The tier that the cases are, no more and no less; empty: none, as when they are a part of one.
absl::StatusOr<std::string> TierOf(const std::vector<conformance::CorpusCase>& cases) {
  // No tier is that small, and reading the corpus takes half a second.
  constexpr size_t kFewest = 1000;
  if (cases.size() < kFewest) return "";
  const absl::StatusOr<std::vector<conformance::CorpusCase>> corpus = conformance::CorpusCases();
  if (!corpus.ok()) return corpus.status();
  for (int i = 0; i < conformance::kTiers; ++i) {
    conformance::CaseFilter whole;
    whole.tier = static_cast<conformance::Tier>(i);
    const absl::StatusOr<std::vector<conformance::CorpusCase>> tier =
        conformance::SelectCases(*corpus, whole);
    if (!tier.ok()) return tier.status();
    if (tier->size() == cases.size() &&
        conformance::ManifestHash(*tier) == conformance::ManifestHash(cases)) {
      return std::string(conformance::TierName(whole.tier));
    }
  }
  return "";
}

// Leaves those of the tier, of which none may be missing: a part of it is not a tier.
absl::Status JudgeCommand::TakeTier(std::vector<conformance::CorpusCase>* cases) const {
  conformance::CaseFilter whole;
  whole.tier = selection.filter.tier;
  const absl::StatusOr<std::vector<conformance::CorpusCase>> tier =
      conformance::SelectCorpusCases(whole);
  if (!tier.ok()) return tier.status();
  absl::flat_hash_set<absl::string_view> ids;
  for (const conformance::CorpusCase& each : *tier) ids.insert(each.id);
  std::vector<conformance::CorpusCase> taken;
  for (conformance::CorpusCase& each : *cases) {
    if (ids.contains(each.id)) taken.push_back(std::move(each));
  }
  if (taken.size() < tier->size()) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": it has ", taken.size(), " of the ",
                                                   tier->size(), " cases of tier ",
                                                   conformance::TierName(selection.filter.tier)));
  }
  *cases = std::move(taken);
  return absl::OkStatus();
}

absl::Status JudgeCommand::Read(Inputs* inputs, conformance::RunResult* run) const {
  absl::StatusOr<std::vector<conformance::CorpusCase>> cases = conformance::ImportCases(folder);
  if (!cases.ok()) return cases.status();
  for (const conformance::CorpusCase& each : *cases) inputs->ids.push_back(each.id);
  if (report.has_waivers()) {
    const absl::StatusOr<std::vector<conformance::CorpusCase>> corpus = conformance::CorpusCases();
    if (!corpus.ok()) return corpus.status();
    for (const conformance::CorpusCase& each : *corpus) inputs->ids.push_back(each.id);
  }
  if (tier_given) {
    if (absl::Status status = TakeTier(&*cases); !status.ok()) return status;
  }
  const absl::StatusOr<std::string> tier = TierOf(*cases);
  if (!tier.ok()) return tier.status();
  run->tier = *tier;
  run->corpus = conformance::ManifestHash(*cases);
  run->filter = selection.Words();
  conformance::CaseFilter filter = selection.filter;
  filter.tier = conformance::Tier::kFull;  // it has been taken
  cases = conformance::SelectCases(*std::move(cases), filter);
  if (!cases.ok()) return cases.status();
  run->selected = static_cast<int64_t>(cases->size());
  inputs->cases = *std::move(cases);
  return absl::OkStatus();
}

absl::Status JudgeCommand::Judge(const std::vector<conformance::CorpusCase>& cases,
                                 const conformance::TargetProfile& target,
                                 conformance::RunResult* run) const {
  conformance::FolderTarget answers(folder);
  conformance::CaseOptions options;
  options.golden = budget.budget;
  for (const conformance::CorpusCase& each : cases) {
    const absl::StatusOr<conformance::TraceDepth> depth =
        conformance::ExportedDepth(folder, each.id);
    if (!depth.ok()) return depth.status();
    options.depth = *depth;
    answers.Enter(each.id);
    run->cases.push_back(conformance::CaseRunner(answers, target, options).Run(each));
  }
  return absl::OkStatus();
}

int JudgeCommand::Run() {
  const auto start = std::chrono::steady_clock::now();
  const std::string name = absl::StrCat("files:", folder);
  const std::string profile = profile_option.For(name);
  const absl::StatusOr<conformance::TargetProfile> target =
      conformance::TargetProfile::Find(profile);
  if (!target.ok()) return Fail(target.status(), output);
  conformance::RunResult run = BeginRun(name, profile, *target);
  Inputs inputs;
  absl::Status status = report.Read();
  if (status.ok()) status = Read(&inputs, &run);
  if (status.ok()) status = Judge(inputs.cases, *target, &run);
  if (!status.ok()) return Fail(status, output);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<absl::string_view> ids(inputs.ids.begin(), inputs.ids.end());
  report.Conclude(ids, &run);
  const absl::Status written = report.Write(run);
  const int exit_code = report.Print(run, output);
  return written.ok() ? exit_code : Fail(written, OutputOptions());
}

}  // namespace

void AddJudgeCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<JudgeCommand>();
  CLI::App* sub = app.add_subcommand("judge", "Judge answers to exported cases");
  sub->footer(
      "Beside each module.hlo that `assay corpus export` wrote it reads actual.npz, or "
      "refused.txt,\n"
      "unsupported.txt or failed.txt with the reason (docs/corpus_format.md, section 5).\n"
      "Exit codes: 0 all pass, 1 failures or complaints, 2 bad input.\n"
      "Example:\n"
      "  assay corpus export out --tier quick\n"
      "  assay judge out --profile cpu-strict --report html=report.html");
  sub->add_option("DIR", command->folder, "What `assay corpus export` wrote, with answers")
      ->required();
  command->profile_option.AddTo(sub);
  command->selection.AddFiltersTo(sub);
  command->report.AddTo(sub);
  command->budget.AddTo(sub, "a case that spends one is not run or not judgeable");
  command->output.AddTo(sub);
  sub->callback([command, sub, exit_code] {
    command->tier_given = sub->count("--tier") > 0;
    *exit_code = command->Run();
  });
}

}  // namespace assay::cli
