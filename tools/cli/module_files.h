// Which modules a command is to take: files, folders, lists of files. Tests: verify_cli_test.py,
// triage_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_MODULE_FILES_H_
#define ASSAY_TOOLS_CLI_MODULE_FILES_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace assay {

// A folder stands for the modules in it and its subfolders, by name (.hlo, .txt, .pb, .pbtxt,
// .textproto, .mlir, .mlirbc and .bc, .gz or not) without what XLA dumps beside them; @LIST for the
// names in a file, one a line; everything else for itself.
absl::StatusOr<std::vector<std::string>> ModuleFiles(absl::Span<const std::string> arguments);

// What to say where that is nothing.
absl::Status NoModules();

// The positional option of that name that takes them.
void AddModuleFilesTo(CLI::App* app, const char* name, std::vector<std::string>* arguments);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_MODULE_FILES_H_
