// The report files of a run. Tests: report_test.cc, page_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_REPORTS_H_
#define ASSAY_CONFORMANCE_REPORT_REPORTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/runner/case_result.h"

namespace assay::conformance {

// Where to write what; empty: nowhere.
struct ReportPaths {
  std::string html, json, junit;
  bool empty() const { return html.empty() && json.empty() && junit.empty(); }
};

// "html=F,json=F,junit=F", each at most once; a name may have commas. INVALID_ARGUMENT that says
// what is wrong.
absl::StatusOr<ReportPaths> ParseReportPaths(absl::string_view text);

// Each file is written beside its place and renamed: where the disk is full or the folder missing,
// the old one stays and the error names it. The others are written all the same.
absl::Status WriteReports(const RunResult& run, const ReportPaths& paths);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_REPORTS_H_
