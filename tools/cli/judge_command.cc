// `assay judge`: judges answers that come as files, to cases that `assay corpus export` wrote: as
// `assay test` judges those of a target. Test: judge_cli_test.py.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/offline/case_folder.h"
#include "conformance/profiles/profile.h"
#include "conformance/report/describe.h"
#include "conformance/report/reports.h"
#include "conformance/runner/case_runner.h"
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
  CaseFilter filter;
  BudgetOptions budget;
  OutputOptions output;

  int Run() const;

 private:
  absl::StatusOr<RunResult> Judge() const;
};

absl::StatusOr<RunResult> JudgeCommand::Judge() const {
  const absl::StatusOr<TargetProfile> target = TargetProfile::Find(profile);
  if (!target.ok()) return target.status();
  absl::StatusOr<std::vector<CorpusCase>> cases = ImportCases(folder);
  if (!cases.ok()) return cases.status();
  RunResult run;
  run.target = absl::StrCat("files:", folder);
  run.profile = target->name();
  run.corpus = ManifestHash(*cases);
  cases = SelectCases(*std::move(cases), filter);
  if (!cases.ok()) return cases.status();
  run.selected = static_cast<int64_t>(cases->size());
  FolderTarget answers(folder);
  CaseOptions options;
  options.golden = budget.budget;
  CaseRunner runner(answers, *target, options);
  for (const CorpusCase& each : *cases) {
    answers.Enter(each.id);
    run.cases.push_back(runner.Run(each));
  }
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
  const bool fails = RunFails(*run);
  if (output.json) {
    std::cout << FormatReport(*run);
  } else if (!output.quiet || fails) {
    std::cout << FormatSummary(*run);
  }
  return fails ? kExitMismatch : kExitOk;
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
      ->type_name("NAME|FILE");
  sub->add_option("--report", command->reports, "Where reports go, by kind")
      ->type_name("html=F,json=F,junit=F");
  sub->add_option("--filter", command->filter.globs, "Cases whose id matches")->type_name("GLOB");
  command->budget.AddTo(sub);
  command->output.AddTo(sub);
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
