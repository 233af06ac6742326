// Options that implement custom calls by functions of shared libraries or by results from files.
// Tests: custom_call_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_CUSTOM_CALL_OPTIONS_H_
#define ASSAY_TOOLS_CLI_CUSTOM_CALL_OPTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "interpreter/custom_call.h"
#include "spec/ir/module.h"

namespace assay::cli {

struct CustomCallOptions {
  std::vector<std::string> libraries;
  std::vector<std::string> files;  // NAME=FILE

  void AddTo(CLI::App* app);
  bool active() const { return !libraries.empty() || !files.empty(); }
  // Returns a registry of the built-in targets and those of the options. Errors name the file.
  absl::StatusOr<std::unique_ptr<CustomCallRegistry>> Load(const Module& module,
                                                           int64_t max_bytes) const;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_CUSTOM_CALL_OPTIONS_H_
