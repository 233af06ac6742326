// Compares the values of a StableHLO program with its own check operations. Tests:
// stablehlo_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_PROGRAM_CHECKS_H_
#define ASSAY_TOOLS_CLI_PROGRAM_CHECKS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/proto/module_file.h"

namespace assay::cli {

struct CheckResult {
  std::string place;    // "check.expect_eq at 7:12"
  std::string problem;  // empty if the check passes
};

// Runs the checks on `values`, which are the values of the entry on each device. Returns INTERNAL
// if the program's checks need other values.
absl::StatusOr<std::vector<CheckResult>> RunChecks(const ModuleFile& file,
                                                   absl::Span<const Literal> values);

// Returns the values without those that exist only for checks.
std::vector<Literal> WithoutCheckValues(const ModuleFile& file, std::vector<Literal> values);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_PROGRAM_CHECKS_H_
