// A run as JUnit XML, for what collects test results: a test suite for each operation, a test for
// each case. It keeps to what both well-known schemas (Ant's, Jenkins's) admit. Tests:
// report_test.cc, report_cli_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_JUNIT_H_
#define ASSAY_CONFORMANCE_REPORT_JUNIT_H_

#include <string>

#include "conformance/runner/case_result.h"

namespace assay::conformance {

// Wrong and flaky cases are failures, failed and invalid ones errors; skipped is what did not run,
// is not supported, cannot be judged or is waived. Complaints of the run are failures of a suite of
// their own.
std::string FormatJunit(const RunResult& run);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_JUNIT_H_
