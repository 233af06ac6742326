// Shards of a run become one. Tests: report_test.cc, report_cli_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_MERGE_H_
#define ASSAY_CONFORMANCE_REPORT_MERGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/runner/case_result.h"

namespace assay::conformance {

struct NamedRun {
  std::string name;  // of its file, for messages
  RunResult run;
};

// INVALID_ARGUMENT, naming the files: runs that are not one (IdentityOf); a shard or a case that is
// there twice; a shard that is missing or was interrupted. With `partial` the last two are
// complaints of the result. Its seconds are the sum.
absl::StatusOr<RunResult> MergeRuns(std::vector<NamedRun> runs, bool partial);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_MERGE_H_
