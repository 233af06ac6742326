// `assay diff --isolate`: runs every instruction of a module, and groups of them, alone on another
// implementation on golden operands, then the whole module, and judges all results. Tests:
// run_cli_test.py, judge_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_ISOLATED_DIFF_H_
#define ASSAY_TOOLS_CLI_ISOLATED_DIFF_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/diagnose/golden_trace.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"
#include "tools/cli/options.h"

namespace assay::cli {

struct Isolation {
  std::string right;         // the implementation's specification (MakeBackend)
  std::string profile;       // the name or file of its profile
  std::string html;          // the file for the graph of the module; empty for none
  std::string reduce;        // the folder for reduced findings; empty for none
  std::string out_subgraph;  // the folder for the first wrong instruction; empty for none
  conformance::TraceDepth depth;
  RunBudget budget;
  TargetMemory memory;
  const runtime::CustomCallRegistry* custom_calls = nullptr;
  OutputOptions output;
};

// Prints the verdicts and returns the exit code. Arguments by device, then by parameter.
int RunIsolated(const Module& module, absl::Span<const std::vector<Literal>> arguments,
                const Isolation& isolation);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_ISOLATED_DIFF_H_
