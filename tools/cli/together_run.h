// `assay run --together`: several modules that run together and communicate over channels.
// docs/devices.md describes it. Test: feeds_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TOGETHER_RUN_H_
#define ASSAY_TOOLS_CLI_TOGETHER_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/feeds.h"
#include "tools/cli/options.h"

namespace assay::cli {

struct TogetherOptions {
  bool together = false;
  // The values of the options, in order.
  std::vector<std::string> inputs, outs, expects;
  // Returns INVALID_ARGUMENT for an option that was given more than once, if only one module runs.
  absl::Status CheckAlone() const;
};

struct TogetherRun {
  const TogetherOptions& options;
  const std::vector<std::string>& modules;
  const InputOptions& inputs;  // seed and ranges of random arguments
  const GridOptions& grid;     // the grid of each module
  const FeedOptions& feeds;
  RunBudget budget;  // the budget of all modules together
  bool straight = false;
  uint64_t rng_seed = 0;
  bool sends_wait = false;
  uint64_t max_ulp = 0;
  OutputOptions output;
};

// Runs the modules, prints, saves and compares the results. Returns the exit code.
int RunTogether(const TogetherRun& run);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_TOGETHER_RUN_H_
