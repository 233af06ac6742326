// `assay report`: what is made of the JSON report of a run. Test: report_cli_test.py.
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/report/compare.h"
#include "conformance/report/describe.h"
#include "conformance/report/merge.h"
#include "conformance/report/reports.h"
#include "spec/files/file_io.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/suite_report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  conformance::ReportPaths paths;
  bool partial = false;
  OutputOptions output;

  int Merge() const;
  int Show() const;
  int Convert() const;
  int Diff() const;

 private:
  absl::StatusOr<std::vector<conformance::NamedRun>> Load() const;
  int Summarize(const conformance::RunResult& run) const;
};

absl::StatusOr<std::vector<conformance::NamedRun>> ReportCommand::Load() const {
  std::vector<conformance::NamedRun> runs;
  for (const std::string& path : files) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    absl::StatusOr<conformance::RunResult> run = conformance::ParseReport(*text, path);
    if (!run.ok()) return run.status();
    runs.push_back({path, *std::move(run)});
  }
  return runs;
}

int ReportCommand::Summarize(const conformance::RunResult& run) const {
  if (output.json) {
    const nlohmann::json summary = conformance::SummaryToJson(run);
    std::cout << JsonText(summary);
  } else if (!output.quiet) {
    std::cout << Printable(conformance::FormatSummary(run));
  }
  return conformance::RunFails(run) ? kExitMismatch : kExitOk;
}

// A run that died leaves the report of the one before it, and its own journal beside that.
absl::Status CheckCurrent(const std::vector<conformance::NamedRun>& runs) {
  for (const conformance::NamedRun& each : runs) {
    const std::string journal = absl::StrCat(each.name, ".journal");
    std::error_code error;
    if (each.run.interrupted || !std::filesystem::exists(journal, error)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        each.name, ": it is of an earlier run: ", journal, " is of one that has not ended"));
  }
  return absl::OkStatus();
}

int ReportCommand::Merge() const {
  absl::StatusOr<std::vector<conformance::NamedRun>> runs = Load();
  if (!runs.ok()) return Fail(runs.status(), output);
  if (absl::Status status = CheckCurrent(*runs); !status.ok()) return Fail(status, output);
  const absl::StatusOr<conformance::RunResult> merged =
      conformance::MergeRuns(*std::move(runs), partial);
  if (!merged.ok()) return Fail(merged.status(), output);
  if (absl::Status status = conformance::WriteReports(*merged, paths); !status.ok()) {
    return Fail(status, output);
  }
  return Summarize(*merged);
}

int ReportCommand::Show() const {
  const absl::StatusOr<std::vector<conformance::NamedRun>> runs = Load();
  if (!runs.ok()) return Fail(runs.status(), output);
  return Summarize(runs->front().run);
}

int ReportCommand::Convert() const {
  const absl::StatusOr<std::vector<conformance::NamedRun>> runs = Load();
  if (!runs.ok()) return Fail(runs.status(), output);
  const conformance::RunResult& run = runs->front().run;
  if (absl::Status status = conformance::WriteReports(run, paths); !status.ok())
    return Fail(status, output);
  if (output.json) {
    std::cout << JsonText(nlohmann::json{{"cases", run.cases.size()},
                                         {"file", paths.html.empty() ? paths.junit : paths.html}});
  }
  return kExitOk;
}

int ReportCommand::Diff() const {
  const absl::StatusOr<std::vector<conformance::NamedRun>> runs = Load();
  if (!runs.ok()) return Fail(runs.status(), output);
  const conformance::NamedRun &before = runs->front(), &after = runs->back();
  const conformance::RunComparison comparison = conformance::CompareRuns(before.run, after.run);
  if (!paths.html.empty()) {
    const absl::Status written = WriteFileAtomically(
        paths.html, conformance::ComparisonHtml(comparison, before.name, after.name));
    if (!written.ok()) return Fail(written, output);
  }
  PrintComparison(comparison, output);
  return comparison.worse() ? kExitMismatch : kExitOk;
}

}  // namespace

void AddReportCommand(CLI::App& app, int* exit_code) {
  CLI::App* sub =
      app.add_subcommand("report", "Join, show, compare and convert reports of the suite");
  sub->require_subcommand(1);
  sub->footer(
      "docs/reports.md says what is in a report. merge and show give exit code 1 where the run "
      "fails: failures that are not waived, complaints, cases that never ran; diff, where a case "
      "fails that did not fail before or is no longer judged.\n"
      "Examples:\n"
      "  assay report merge shard.*.json -o all.json --html all.html\n"
      "  assay report show all.json\n"
      "  assay report diff yesterday.json today.json --html changes.html\n"
      "  assay report junit all.json -o all.xml");
  const auto add = [&](const char* name, const char* description,
                       int (ReportCommand::*run)() const) {
    auto command = std::make_shared<ReportCommand>();
    CLI::App* own = sub->add_subcommand(name, description);
    own->callback([command, run, exit_code] { *exit_code = (command.get()->*run)(); });
    return std::pair(own, command);
  };
  const auto merge =
      add("merge", "Joins the reports of all shards of a run", &ReportCommand::Merge);
  merge.first->add_option("RUN", merge.second->files, "JSON reports, in any order")->required();
  merge.first->add_option("-o,--out", merge.second->paths.json, "Writes the joined report as JSON")
      ->type_name("FILE");
  merge.first->add_option("--html", merge.second->paths.html, "Writes it as a page")
      ->type_name("FILE");
  merge.first->add_option("--junit", merge.second->paths.junit, "Writes it as JUnit XML")
      ->type_name("FILE");
  merge.first->add_flag("--partial", merge.second->partial,
                        "Accepts missing and interrupted shards; the report says so");
  merge.second->output.AddTo(merge.first);
  const auto show = add("show", "The counts of a run and its first failures", &ReportCommand::Show);
  show.first->add_option("RUN", show.second->files, "A JSON report")->required()->expected(1);
  show.second->output.AddTo(show.first);
  const auto diff = add("diff",
                        "Compares two runs: regressions, fixes, coverage that was lost or "
                        "gained",
                        &ReportCommand::Diff);
  diff.first
      ->add_option("RUNS", diff.second->files, "The JSON reports of the earlier and the later run")
      ->required()
      ->expected(2);
  diff.first->add_option("--html", diff.second->paths.html, "Writes the comparison as a page")
      ->type_name("FILE");
  diff.second->output.AddTo(diff.first);
  const auto convert = [&](const char* name, const char* description,
                           std::string conformance::ReportPaths::*path) {
    const auto [own, command] = add(name, description, &ReportCommand::Convert);
    own->add_option("RUN", command->files, "A JSON report")->required()->expected(1);
    own->add_option("-o,--out", command->paths.*path, "The file to write")
        ->required()
        ->type_name("FILE");
    command->output.AddJsonTo(own);
  };
  convert("html", "Makes the page of a run: one file, to open in a browser",
          &conformance::ReportPaths::html);
  convert("junit", "Makes JUnit XML of a run", &conformance::ReportPaths::junit);
}

}  // namespace assay::cli
