// The options --subgraphs and --iterations, which set the TraceDepth of programs. Tests:
// run_cli_test.py, test_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_DEPTH_OPTIONS_H_
#define ASSAY_TOOLS_CLI_DEPTH_OPTIONS_H_

#include "CLI/CLI.hpp"
#include "conformance/diagnose/golden_trace.h"

namespace assay::cli {

struct DepthOptions {
  conformance::TraceDepth depth;

  void AddTo(CLI::App* sub);
  bool given() const { return depth.iterations > 1 || depth.subgraphs > 0; }
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_DEPTH_OPTIONS_H_
