// Consecutive runs of a module with state, for `assay run --state`. docs/sessions.md describes it.
// Test: session_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_STATEFUL_RUN_H_
#define ASSAY_TOOLS_CLI_STATEFUL_RUN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "interpreter/session.h"
#include "spec/ir/literal.h"
#include "spec/proto/module_file.h"
#include "tools/cli/options.h"

namespace assay::cli {

struct StateOptions {
  std::string state;        // the state file; empty if the state is not stored
  std::string steps;        // "100": until the state has seen 100; "+10": ten more
  std::string tensors;      // a JSON file that marks parameters
  std::string init;         // a module whose results initialise the state
  std::string step_inputs;  // arrays with the step as their first dimension
  std::vector<std::string> bindings;
  int64_t save_every = 1;

  void AddTo(CLI::App* app);
  // Returns true if any of the options is given.
  bool active() const { return !state.empty() || !steps.empty() || !bindings.empty(); }
};

struct StatefulResult {
  int64_t first_step = 0;       // steps that the state had seen before
  int64_t steps = 0;            // the steps that the state has seen now
  std::optional<Literal> last;  // the result of the last run; not set if there was nothing to run
};

// Called after each step with its number (from 1) and its result.
using StepObserver = std::function<void(int64_t step, const Literal& result)>;

// Runs the steps and updates the state file, which always has the state after a complete step.
absl::StatusOr<StatefulResult> RunSteps(const StateOptions& options, const ModuleFile& file,
                                        const InputOptions& inputs, const RunBudget& budget,
                                        const Session::Evaluator& evaluate,
                                        const StepObserver& observe);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_STATEFUL_RUN_H_
