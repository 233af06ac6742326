// The named backends of the command line and the Python package. Tests: mutants_cli_test.py,
// run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_BACKEND_TABLE_H_
#define ASSAY_TOOLS_CLI_BACKEND_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/factory/factory.h"

namespace assay::cli {

// Returns the backends of backends/factory and the mutants of golden (conformance/mutants).
const std::vector<BackendKind>& AllBackends();
// Returns the names with their help texts, for descriptions of options.
std::string BackendHelp();
// Makes a backend. Returns INVALID_ARGUMENT, with the list of backends, for an unknown
// specification.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& specification,
                                                     const BackendOptions& options);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_BACKEND_TABLE_H_
