// What it takes to see a failure again, in a folder of its own: the case as plain files, what the
// target did, and the command. Tests: bundle_test.cc, report_cli_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_BUNDLE_H_
#define ASSAY_CONFORMANCE_REPORT_BUNDLE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/runner/case_result.h"
#include "interpreter/interpreter.h"

namespace assay::conformance {

// Writes into `root`/<id of the case>: the files of ExportCase, result.json, profile.textproto
// where the run's profile is a file (with all that it extends), CMakeLists.txt with a test that
// runs the case again, and README.txt. Of the run target, profile, repetitions, limits, subgraphs
// and iterations count. Errors name the file; those of a case whose golden results cannot be
// computed come last, when everything else is written.
absl::Status WriteBundle(const std::string& root, const CorpusCase& corpus_case,
                         const CaseResult& result, const RunResult& run, const RunBudget& budget);

// That for each failure of the run that is not waived. `cases` are sorted by id and hold those of
// the run. The first error; the other bundles are written all the same.
absl::Status WriteBundles(const std::string& root, absl::Span<const CorpusCase> cases,
                          const RunResult& run, const RunBudget& budget);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_BUNDLE_H_
