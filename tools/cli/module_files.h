// The modules of a command: files, folders, lists of files. Tests: verify_cli_test.py,
// triage_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_MODULE_FILES_H_
#define ASSAY_TOOLS_CLI_MODULE_FILES_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace assay::cli {

// Expands arguments. A folder stands for the modules in it and its subfolders (.hlo, .txt, .pb,
// .pbtxt, .textproto, .mlir, .mlirbc and .bc, also with .gz), without other files of XLA's dumps.
// @LIST stands for the names in a file, one on each line. Any other argument is a module file.
absl::StatusOr<std::vector<std::string>> ModuleFiles(absl::Span<const std::string> arguments);

// Returns INVALID_ARGUMENT for an argument that is neither a file nor a folder.
absl::Status CheckExist(absl::Span<const std::string> arguments);

// Returns the error for arguments that name no module.
absl::Status NoModules(absl::Span<const std::string> arguments);

// Adds a positional option with this name for module files.
void AddModuleFilesTo(CLI::App* app, const char* name, std::vector<std::string>* arguments);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_MODULE_FILES_H_
