// The expectations that a StableHLO program states about its own values, held against what it
// computed. Tests: stablehlo_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_PROGRAM_CHECKS_H_
#define ASSAY_TOOLS_CLI_PROGRAM_CHECKS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/proto/module_file.h"

namespace assay {

struct CheckResult {
  std::string place;    // "check.expect_eq at 7:12"
  std::string problem;  // empty: it holds
};

// `values` are the values of the entry on each device. INTERNAL where these are not what the
// program's checks need.
absl::StatusOr<std::vector<CheckResult>> RunChecks(const ModuleFile& file,
                                                   absl::Span<const Literal> values);

// The values without those that are there for checks alone.
std::vector<Literal> WithoutCheckValues(const ModuleFile& file, std::vector<Literal> values);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_PROGRAM_CHECKS_H_
