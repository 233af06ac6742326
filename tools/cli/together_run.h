// Several modules that run at once and talk over channels: what `assay run --together` does instead
// of a single evaluation. docs/processes.md describes it. Test: feeds_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TOGETHER_RUN_H_
#define ASSAY_TOOLS_CLI_TOGETHER_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/feeds.h"
#include "tools/cli/options.h"

namespace assay {

struct TogetherOptions {
  bool together = false;
  // As often as they were given.
  std::vector<std::string> inputs, outs, expects;
  // Where one module runs alone: INVALID_ARGUMENT for an option that was given more than once.
  absl::Status CheckAlone() const;
};

struct TogetherRun {
  const TogetherOptions& options;
  const std::vector<std::string>& modules;
  const InputOptions& inputs;  // seed and ranges of random arguments
  const GridOptions& grid;     // of each module
  const FeedOptions& feeds;
  RunBudget budget;  // of all together
  bool straight = false;
  uint64_t rng_seed = 0;
  bool sends_wait = false;
  uint64_t max_ulp = 0;
  OutputOptions output;
};

// Runs, prints, saves, compares; the exit code.
int RunTogether(const TogetherRun& run);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_TOGETHER_RUN_H_
