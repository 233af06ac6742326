#include "tools/cli/suite_report.h"

#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "conformance/runner/judgeability.h"
#include "spec/files/file_io.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {

void SuiteReport::AddTo(CLI::App* sub) {
  sub->add_option("--waivers", waivers_file_,
                  "Failures that are known: a file as docs/conformance.md describes it")
      ->type_name("FILE");
  sub->add_option("--report", reports_,
                  "Files to write: html=F,json=F,junit=F; %r stands for the number of the shard")
      ->type_name("FILES")
      ->join(',');
  sub->add_option("--baseline", baseline_file_,
                  "The JSON report of an earlier run: the exit code then says whether a case fails "
                  "that did not fail there, or is no longer judged")
      ->type_name("FILE");
  sub->add_option("--write-waivers", waivers_out_,
                  "Writes waivers for the failures, with their reasons and dates to fill in")
      ->type_name("FILE");
}

absl::Status SuiteReport::Read(const conformance::Shard& place, bool everywhere) {
  if (!reports_.empty()) {
    absl::StatusOr<conformance::ReportPaths> named = conformance::ParseReportPaths(reports_);
    if (!named.ok()) return named.status();
    for (std::string* path : {&named->html, &named->json, &named->junit}) {
      if (path->empty()) continue;
      // The same command on every rank: without the number they would all write this file.
      if (everywhere && place.count > 1 && !absl::StrContains(*path, "%r")) {
        return absl::InvalidArgumentError(
            absl::StrCat("--shard auto: each of ", place.count, " shards would write ", *path,
                         "; %r in its name stands for the number of the shard"));
      }
      *path = absl::StrReplaceAll(*path, {{"%r", absl::StrCat(place.index)}});
      if (absl::Status status = CheckWritable(*path); !status.ok()) return status;
    }
    paths_ = *std::move(named);
  }
  if (!waivers_out_.empty()) {
    if (absl::Status status = CheckWritable(waivers_out_); !status.ok()) return status;
  }
  if (!baseline_file_.empty()) {
    const absl::StatusOr<std::string> text = ReadFile(baseline_file_);
    if (!text.ok()) return text.status();
    absl::StatusOr<conformance::RunResult> run = conformance::ParseReport(*text, baseline_file_);
    if (!run.ok()) return run.status();
    baseline_ = *std::move(run);
  }
  if (waivers_file_.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> text = ReadFile(waivers_file_);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<conformance::Waiver>> list =
      conformance::ReadWaivers(*text, waivers_file_);
  if (!list.ok()) return list.status();
  waivers_ = *std::move(list);
  return absl::OkStatus();
}

absl::Status SuiteReport::Write(const conformance::RunResult& run) const {
  absl::Status written = conformance::WriteReports(run, paths_);
  if (!waivers_out_.empty()) {
    written.Update(WriteFileAtomically(waivers_out_, conformance::WaiversToFillIn(run.cases)));
  }
  return written;
}

int SuiteReport::Print(const conformance::RunResult& run, const OutputOptions& output) const {
  const int exit_code = PrintRun(run, output);
  if (!baseline_) return exit_code;
  const conformance::RunComparison comparison = conformance::CompareRuns(*baseline_, run);
  if (!output.json) {
    if (!output.quiet) std::cout << "\ncompared with " << baseline_file_ << "\n";
    PrintComparison(comparison, output);
  }
  return comparison.worse() || run.interrupted || !run.complaints.empty() ? kExitMismatch : kExitOk;
}

bool SuiteReport::Fails(const conformance::CaseResult& result) const {
  return conformance::IsFailure(result.outcome) &&
         conformance::FindWaiver(waivers_, conformance::Today(), result) == nullptr;
}

void SuiteReport::Conclude(absl::Span<const absl::string_view> ids,
                           conformance::RunResult* run) const {
  run->cases.SortById();
  run->interrupted = static_cast<int64_t>(run->cases.size()) < run->selected;
  const auto complain = [run](std::vector<std::string> complaints) {
    std::move(complaints.begin(), complaints.end(), std::back_inserter(run->complaints));
  };
  complain(conformance::ApplyWaivers(waivers_, conformance::Today(), ids, &run->cases));
  complain(conformance::NothingJudged(*run));
  complain(conformance::JudgeabilityComplaints(*run));
}

void PrintComparison(const conformance::RunComparison& comparison, const OutputOptions& output) {
  if (output.json) {
    std::cout << JsonText(conformance::ToJson(comparison));
  } else if (!output.quiet || comparison.worse()) {
    std::cout << Printable(conformance::FormatComparison(comparison));
  }
}

conformance::RunResult BeginRun(const std::string& target, const std::string& profile_name,
                                const conformance::TargetProfile& profile) {
  conformance::RunResult run;
  run.started = absl::FormatTime("%Y-%m-%dT%H:%M:%S", absl::Now(), absl::UTCTimeZone());
  run.target = target;
  run.profile = profile_name;
  run.profile_differences = profile.Differences();
  return run;
}

}  // namespace assay::cli
