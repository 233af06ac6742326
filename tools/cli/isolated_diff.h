// `assay diff --isolate`: every instruction of a module is run alone on another implementation, and
// groups of them, on golden operands, then the whole module; all are judged. Tests:
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

namespace assay {

struct Isolation {
  std::string right;         // the implementation, as MakeBackend takes it
  std::string profile;       // what it may do: a name or a file
  std::string html;          // the file that gets the graph of the module; empty: none
  std::string reduce;        // the folder that gets what is wrong, reduced; empty: none
  std::string out_subgraph;  // the folder that gets what is wrong first; empty: none
  TraceDepth depth;
  RunBudget budget;
  TargetMemory memory;
  const CustomCallRegistry* custom_calls = nullptr;
  OutputOptions output;
};

// Asks the target as RunIsolated does, prints nothing, and writes the graph of the module.
absl::Status WriteIsolatedGraph(const Module& module,
                                absl::Span<const std::vector<Literal>> arguments, Backend& target,
                                const TargetProfile& profile, const Isolation& isolation,
                                const std::string& title);

// Prints the verdicts and returns the exit code. Arguments by device, then by parameter.
int RunIsolated(const Module& module, absl::Span<const std::vector<Literal>> arguments,
                const Isolation& isolation);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_ISOLATED_DIFF_H_
