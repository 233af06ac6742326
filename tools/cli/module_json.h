// A module as JSON: the fields of HloModuleProto by their names. Strings are text, the payloads of
// literals base64. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_MODULE_JSON_H_
#define ASSAY_TOOLS_CLI_MODULE_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::cli {

absl::StatusOr<std::string> ModuleToJson(const Module& module);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_MODULE_JSON_H_
