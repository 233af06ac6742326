// Runs planned modules: the options, observers and statistics of a run. Tests:
// interpreter/interpreter_test.cc, budgets_test.cc, world_test.cc.
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

// Observes instructions as they run, including those of called computations, but not the scalar
// regions of reduce, sort and similar operations. A status that is not OK ends the run.
class Observer {
 public:
  virtual ~Observer() = default;
  // Tells that the following instructions are those of this device. Called if there are several
  // devices.
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
  // If there are observers, the module must have been planned with PlanOptions::observed.
  std::vector<Observer*> observers;
  Host* host = nullptr;  // null if there is no host
  // Makes a send wait until the recv that gets its value has begun, as the documents of 2018
  // specify. Otherwise a send does not wait.
  bool sends_wait = false;
  // The seed of `rng`. Equal seeds give equal runs.
  uint64_t random_seed = 0;
  // The states of random streams, which a run continues and updates. Null to start from the
  // beginning.
  RandomStates* random = nullptr;
};

// Statistics of a run, which may have ended early. Engines derive types with more counts.
struct RunStats {
  virtual ~RunStats() = default;
  int64_t steps = 0;         // element operations charged
  int64_t peak_bytes = 0;    // the peak of live values
  int64_t stored_bytes = 0;  // bytes of results that instructions wrote; views write none
};

// A module and the devices that run it.
struct Program {
  const ModulePlan* module = nullptr;
  const Computation* computation = nullptr;  // null for the entry
  ProcessGrid grid;
  // By device (replica * partitions + partition), then by parameter number.
  absl::Span<const std::vector<Literal>> arguments;

  const Computation& entry() const {
    return computation == nullptr ? *module->module().entry() : *computation;
  }
};

// The largest number of devices of a run.
inline constexpr int64_t kMostProcesses = int64_t{1} << 16;
// Returns INVALID_ARGUMENT for an empty grid and RESOURCE_EXHAUSTED for one with more than
// kMostProcesses.
absl::Status CheckGrid(const ProcessGrid& grid);

// Checks that there is an argument of the right shape for each parameter. Returns INVALID_ARGUMENT
// with the expected and the given shape.
absl::Status CheckArguments(const Computation& entry, absl::Span<const Literal> arguments);

// Runs the devices of all programs together. Devices of one program participate in collectives;
// devices of all programs communicate over channels. Returns the value of the root by program and
// device. Adds to `stats` unless it is null. Returns FAILED_PRECONDITION for a deadlock, with the
// devices that wait for each other. The error of a device ends the run and names it.
absl::StatusOr<std::vector<std::vector<Literal>>> RunPrograms(absl::Span<const Program> programs,
                                                              const RunOptions& options = {},
                                                              RunStats* stats = nullptr);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_RUN_H_
