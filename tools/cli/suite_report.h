// The reports of a suite run, of a target (`assay test`) or of stored results (`assay judge`):
// --waivers and --report, complaints, report files. Tests: test_cli_test.py, judge_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_SUITE_REPORT_H_
#define ASSAY_TOOLS_CLI_SUITE_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "conformance/profiles/profile.h"
#include "conformance/report/compare.h"
#include "conformance/report/reports.h"
#include "conformance/runner/case_result.h"
#include "conformance/runner/shard.h"
#include "conformance/runner/waivers.h"
#include "tools/cli/options.h"

namespace assay::cli {

class SuiteReport {
 public:
  void AddTo(CLI::App* sub);
  // Called before the first case. Reads the waivers and checks that the files can be written. If
  // `everywhere`, the same command runs for each shard, so that file names must have %r.
  absl::Status Read(const conformance::Shard& place = {}, bool everywhere = false);
  bool has_waivers() const { return !waivers_.empty(); }
  const conformance::ReportPaths& paths() const { return paths_; }

  // Returns true if the result fails and no waiver covers it.
  bool Fails(const conformance::CaseResult& result) const;
  // Called after all cases. Sorts them, applies the waivers and adds complaints. `ids` are the ids
  // of the whole corpus; each waiver must match one.
  void Conclude(absl::Span<const absl::string_view> ids, conformance::RunResult* run) const;
  // Writes the reports and the waivers to fill in.
  absl::Status Write(const conformance::RunResult& run) const;
  // Prints the run and its changes from a baseline. The exit code tells if the run fails or, with a
  // baseline, if it is worse or incomplete.
  int Print(const conformance::RunResult& run, const OutputOptions& output) const;

 private:
  std::string waivers_file_, reports_, baseline_file_, waivers_out_;  // as the options say
  std::vector<conformance::Waiver> waivers_;
  conformance::ReportPaths paths_;
  std::optional<conformance::RunResult> baseline_;
};

// Text or JSON, as the options say.
void PrintComparison(const conformance::RunComparison& comparison, const OutputOptions& output);

// The head of a run that begins now.
conformance::RunResult BeginRun(const std::string& target, const std::string& profile_name,
                                const conformance::TargetProfile& profile);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_SUITE_REPORT_H_
