// Two runs of the suite compared: what has broken since, what has been mended, and what is no
// longer covered. Tests: compare_test.cc, report_cli_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_COMPARE_H_
#define ASSAY_CONFORMANCE_REPORT_COMPARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

// A case whose outcome is of another kind than before.
struct CaseChange {
  std::string id, op, type;
  std::string before, after;  // names of outcomes; "absent" where the run does not have the case
  std::string headline;       // of the run in which it fails, if it does
};

// Outcomes are of three kinds: a case passes, it fails, or it was not judged (not run, not
// supported, not judgeable, absent).
struct RunComparison {
  std::vector<CaseChange> regressions;    // fails, and did not
  std::vector<CaseChange> fixes;          // passes, and failed
  std::vector<CaseChange> lost_coverage;  // was judged, and is not
  std::vector<CaseChange> new_coverage;   // passes, and was not judged
  int64_t still_failing = 0;
  int64_t same = 0;  // cases of both runs of one kind, those that still fail among them

  bool worse() const { return !regressions.empty() || !lost_coverage.empty(); }
};
// The lists are sorted by id.
RunComparison CompareRuns(const RunResult& before, const RunResult& after);

// For a terminal: the counts by operation and type, the first of each list, a closing sentence.
std::string FormatComparison(const RunComparison& comparison);
nlohmann::json ToJson(const RunComparison& comparison);
// A page without scripts that lists every change. The names are those of the runs.
std::string ComparisonHtml(const RunComparison& comparison, const std::string& before,
                           const std::string& after);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_COMPARE_H_
