// Options for StableHLO programs: the function to run, sizes of dynamic dimensions, the expansion
// of CHLO functions. Tests: stablehlo_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_PROGRAM_OPTIONS_H_
#define ASSAY_TOOLS_CLI_PROGRAM_OPTIONS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "spec/proto/module_file.h"

namespace assay::cli {

struct ProgramOptions {
  std::string entry;
  std::vector<std::string> shapes;  // "b=4", "arg0=2x3"
  bool expand_chlo = false;

  void AddTo(CLI::App* app);
  absl::StatusOr<stablehlo::ToModuleOptions> Parse() const;
  // Loads the module of a file. `inputs` is the file of its arguments, if there is one; it
  // determines dynamic sizes of the program.
  absl::StatusOr<ModuleFile> Load(const std::string& path, const std::string& inputs = "") const;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_PROGRAM_OPTIONS_H_
