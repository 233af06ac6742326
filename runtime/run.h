// Runs of planned modules: what a run is given, who watches it, and what it reports.
// Tests: interpreter/interpreter_test.cc, budgets_test.cc, world_test.cc.
#ifndef ASSAY_RUNTIME_RUN_H_
#define ASSAY_RUNTIME_RUN_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/budget.h"
#include "runtime/host.h"
#include "runtime/module_plan.h"
#include "runtime/process_groups.h"
#include "runtime/random_state.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::runtime {

// Sees instructions as they run, those of called computations too (not the scalar regions of
// reduce, sort and their like, which run per element). A status that is not OK ends the run.
class Observer {
 public:
  virtual ~Observer() = default;
  // The instructions that follow are those of this process; said where there are several.
  virtual void Enter(const ProcessId& /*process*/) {}
  // `depth` is 0 in the entry computation.
  virtual absl::Status Before(const Instruction& /*instruction*/, int64_t /*depth*/) {
    return absl::OkStatus();
  }
  virtual absl::Status After(const Instruction& /*instruction*/, int64_t /*depth*/,
                             const Literal& /*value*/) {
    return absl::OkStatus();
  }
};

struct RunOptions {
  RunBudget budget;
  // Not empty: the module must have been planned with PlanOptions::observed.
  std::vector<Observer*> observers;
  Host* host = nullptr;  // null: no data to feed, nobody to send to
  // Returns to the order of channel instructions in the documents of 2018: a send does not end
  // before the recv that gets its value has begun. Otherwise it leaves its value and goes on.
  bool sends_wait = false;
  // Of `rng`: equal seeds give equal runs.
  uint64_t random_seed = 0;
  // Where random streams stand: a run goes on where the one before it stopped. Null: from the
  // start.
  RandomStates* random = nullptr;
};

// Filled as far as the run came. Engines derive what else they count.
struct RunStats {
  virtual ~RunStats() = default;
  int64_t steps = 0;         // element operations charged
  int64_t peak_bytes = 0;    // of live values
  int64_t stored_bytes = 0;  // that instructions wrote as their results; views write none
};

// A module and the processes that run it.
struct Program {
  const ModulePlan* module = nullptr;
  const Computation* computation = nullptr;  // null: the entry
  ProcessGrid grid;
  // By process (replica * partitions + partition), then by parameter number.
  absl::Span<const std::vector<Literal>> arguments;

  const Computation& entry() const {
    return computation == nullptr ? *module->module().entry() : *computation;
  }
};

// Processes that a run may have.
inline constexpr int64_t kMostProcesses = int64_t{1} << 16;
// OK; INVALID_ARGUMENT for a grid without processes, RESOURCE_EXHAUSTED for one with more.
absl::Status CheckGrid(const ProcessGrid& grid);

// Whether there is an argument of the right shape for each parameter. INVALID_ARGUMENT says what is
// wanted and what was given.
absl::Status CheckArguments(const Computation& entry, absl::Span<const Literal> arguments);

// Runs the processes of all programs together: they meet in collectives, each program's among
// themselves, and talk over channels. The value of the root by program and process. Adds to
// `stats`, unless null. FAILED_PRECONDITION for a deadlock, with who waits for whom; the error of a
// process is that of the run and names it.
absl::StatusOr<std::vector<std::vector<Literal>>> RunPrograms(absl::Span<const Program> programs,
                                                              const RunOptions& options = {},
                                                              RunStats* stats = nullptr);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_RUN_H_
