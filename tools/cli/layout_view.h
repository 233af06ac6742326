// `assay show --layout`: the linear memory of arrays, cell by cell, including padding. Tests:
// show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_LAYOUT_VIEW_H_
#define ASSAY_TOOLS_CLI_LAYOUT_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "spec/layout/array_memory.h"
#include "spec/proto/module_file.h"
#include "tools/cli/options.h"

namespace assay::cli {

struct LayoutView {
  bool asked = false;  // --layout
  InputOptions inputs;
  // Override the layouts of the shapes unless they are empty.
  std::vector<int64_t> minor_to_major, padded_dimensions;
  std::string padding_value;

  void AddTo(CLI::App* app);
  // Returns the view of the module's constants and, if inputs are given, of its arguments.
  absl::StatusOr<std::string> Text(const ModuleFile& file, bool json) const;

 private:
  absl::StatusOr<ArrayMemory> MemoryOf(const Shape& shape) const;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_LAYOUT_VIEW_H_
