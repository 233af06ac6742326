// `assay judge`: judges answers that come as files, to cases that `assay corpus export` wrote: as
// `assay test` judges those of a target. Test: judge_cli_test.py.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus.h"
#include "conformance/offline/case_folder.h"
#include "conformance/profiles/profile.h"
#include "conformance/report/reports.h"
#include "conformance/runner/case_runner.h"
#include "conformance/runner/judgeability.h"
#include "tools/cli/case_selection.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"

namespace assay {
namespace {

struct JudgeCommand {
  std::string folder;
  std::string profile = "golden";
  std::string reports;
  CaseSelection selection;
  BudgetOptions budget;
  OutputOptions output;

  JudgeCommand() { budget.budget.seconds = kUsualTimeout; }
  int Run() const;

 private:
  absl::StatusOr<RunResult> Judge() const;
};

// The tier that the cases are, no more and no less; empty: none, as when they are a part of one.
absl::StatusOr<std::string> TierOf(const std::vector<CorpusCase>& cases) {
  // No tier is that small, and reading the corpus takes half a second.
  constexpr size_t kFewest = 1000;
  if (cases.size() < kFewest) return "";
  const absl::StatusOr<std::vector<CorpusCase>> corpus = CorpusCases();
  if (!corpus.ok()) return corpus.status();
  for (int i = 0; i < kTiers; ++i) {
    CaseFilter whole;
    whole.tier = static_cast<Tier>(i);
    const absl::StatusOr<std::vector<CorpusCase>> tier = SelectCases(*corpus, whole);
    if (!tier.ok()) return tier.status();
    if (tier->size() == cases.size() && ManifestHash(*tier) == ManifestHash(cases)) {
      return std::string(TierName(whole.tier));
    }
  }
  return "";
}

absl::StatusOr<RunResult> JudgeCommand::Judge() const {
  const absl::StatusOr<TargetProfile> target = TargetProfile::Find(profile);
  if (!target.ok()) return target.status();
  absl::StatusOr<std::vector<CorpusCase>> cases = ImportCases(folder);
  if (!cases.ok()) return cases.status();
  RunResult run;
  run.target = absl::StrCat("files:", folder);
  run.profile = target->name();
  run.corpus = ManifestHash(*cases);
  const absl::StatusOr<std::string> tier = TierOf(*cases);
  if (!tier.ok()) return tier.status();
  run.tier = *tier;
  run.filter = selection.Words();
  cases = SelectCases(*std::move(cases), selection.filter);
  if (!cases.ok()) return cases.status();
  run.selected = static_cast<int64_t>(cases->size());
  FolderTarget answers(folder);
  CaseOptions options;
  options.golden = budget.budget;
  for (const CorpusCase& each : *cases) {
    const absl::StatusOr<TraceDepth> depth = ExportedDepth(folder, each.id);
    if (!depth.ok()) return depth.status();
    options.depth = *depth;
    answers.Enter(each.id);
    run.cases.push_back(CaseRunner(answers, *target, options).Run(each));
  }
  run.complaints = JudgeabilityComplaints(run);
  return run;
}

int JudgeCommand::Run() const {
  absl::StatusOr<ReportPaths> paths = ReportPaths();
  if (!reports.empty()) paths = ParseReportPaths(reports);
  if (!paths.ok()) return Fail(paths.status(), output);
  const absl::StatusOr<RunResult> run = Judge();
  if (!run.ok()) return Fail(run.status(), output);
  const absl::Status written = WriteReports(*run, *paths);
  if (!written.ok()) return Fail(written, output);
  return PrintRun(*run, output);
}

}  // namespace

void AddJudgeCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<JudgeCommand>();
  CLI::App* sub = app.add_subcommand("judge", "Judges answers to exported cases");
  sub->footer(
      "Beside each module.hlo that `assay corpus export` wrote it reads actual.npz, or "
      "refused.txt,\n"
      "unsupported.txt or failed.txt with the reason (docs/corpus_format.md, section 5).\n"
      "Example:\n"
      "  assay corpus export out --tier quick\n"
      "  assay judge out --profile level-b --report html=report.html");
  sub->add_option("DIR", command->folder, "What `assay corpus export` wrote, with answers")
      ->required();
  sub->add_option("--profile", command->profile, "What the target may do (docs/profiles.md)")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  sub->add_option("--report", command->reports, "Where reports go, by kind")
      ->type_name("html=F,json=F,junit=F");
  sub->add_option("--filter", command->selection.filter.globs, "Cases whose id matches")
      ->type_name("GLOB");
  command->budget.AddTo(sub, "a case that spends one is not run or not judgeable");
  command->output.AddTo(sub);
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
