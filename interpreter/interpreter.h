// Runs modules: plans each computation once into steps on numbered slots, then runs the plan as
// often as asked. Values are kept only while they are needed, loops reuse their storage, and
// nothing recurses on what the module says. Budgets bound memory, work, nesting and time; observers
// see every instruction. Tests: interpreter_test.cc, budgets_test.cc.
#ifndef ASSAY_INTERPRETER_INTERPRETER_H_
#define ASSAY_INTERPRETER_INTERPRETER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "interpreter/random_state.h"
#include "runtime/budget.h"
#include "runtime/host.h"
#include "runtime/process_groups.h"
#include "spec/ir/module.h"

namespace assay {

using runtime::Host;
using runtime::ProcessGrid;
using runtime::ProcessId;
using runtime::RunBudget;

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

// An element whose rounding is not proven.
struct UndecidedResult {
  const Instruction* instruction = nullptr;
  UndecidedElement element;
};

// Filled as far as the run came.
struct RunStats {
  static constexpr size_t kMostUndecided = 1000;
  int64_t steps = 0;       // element operations charged
  int64_t peak_bytes = 0;  // of live values
  RealStats real;          // elements by deciding tier; undecided ones
  // The first undecided elements of elementwise instructions, transforms and complex products (not
  // of what runs in regions), kMostUndecided at most.
  std::vector<UndecidedResult> undecided;
  int64_t stored_bytes = 0;  // that instructions wrote as their results; views write none
};

class CustomCallRegistry;

struct PlanOptions {
  // Definitions alone, no kernels: slow, and the same bits.
  bool straight = false;
  // Every instruction becomes a step of its own, so that observers see it.
  bool observed = false;
  // What custom calls mean; null: the well-known targets.
  const CustomCallRegistry* custom_calls = nullptr;
  // Wall time that planning may take; negative: unlimited. Exceeding it is RESOURCE_EXHAUSTED.
  double seconds = -1;
};

struct ComputationPlan;

// A module ready to run. The module must outlive it and not change. Run may be called from several
// threads at once.
class PlannedModule {
 public:
  // Checks shapes. INVALID_ARGUMENT for an illegal module or an elided constant, UNIMPLEMENTED for
  // an operation that the interpreter does not run; both name opcode and instruction.
  static absl::StatusOr<std::unique_ptr<PlannedModule>> Create(const Module& module,
                                                               const PlanOptions& options = {});
  ~PlannedModule();

  // The value of the entry's root, on one process. Arguments by parameter number; layouts do not
  // count.
  absl::StatusOr<Literal> Run(absl::Span<const Literal> arguments, const RunOptions& options = {},
                              RunStats* stats = nullptr) const;

  const Module& module() const { return module_; }
  const PlanOptions& options() const { return options_; }
  // The plan of a computation that runs as such; null for scalar regions.
  const ComputationPlan* plan_of(const Computation& computation) const;
  // Whether values may be on their way while others are computed.
  bool has_transfers() const { return has_transfers_; }
  // The computations that must run although nobody uses their value.
  const absl::flat_hash_set<const Computation*>& effectful() const { return effectful_; }
  int64_t plan_count() const { return static_cast<int64_t>(plans_.size()); }

 private:
  PlannedModule(const Module& module, const PlanOptions& options);
  const Module& module_;
  PlanOptions options_;
  bool has_transfers_ = false;
  absl::flat_hash_set<const Computation*> effectful_;
  std::vector<std::unique_ptr<ComputationPlan>> plans_;
  absl::flat_hash_map<const Computation*, const ComputationPlan*> plan_of_;
};

// A module and the processes that run it.
struct Program {
  const PlannedModule* module = nullptr;
  const Computation* computation = nullptr;  // null: the entry
  ProcessGrid grid;
  // By process (replica * partitions + partition), then by parameter number.
  std::vector<std::vector<Literal>> arguments;
};

// Processes that a run may have.
inline constexpr int64_t kMostProcesses = int64_t{1} << 16;
// OK; INVALID_ARGUMENT for a grid without processes, RESOURCE_EXHAUSTED for one with more.
absl::Status CheckGrid(const ProcessGrid& grid);

// Runs the processes of all programs together: they meet in collectives, each program's among
// themselves, and talk over channels. The value of the root by program and process.
// FAILED_PRECONDITION for a deadlock, with who waits for whom; the error of a process is that of
// the run and names it.
absl::StatusOr<std::vector<std::vector<Literal>>> RunPrograms(absl::Span<const Program> programs,
                                                              const RunOptions& options = {},
                                                              RunStats* stats = nullptr);

// Create and Run in one.
absl::StatusOr<Literal> Interpret(const Module& module, absl::Span<const Literal> arguments,
                                  const RunOptions& options = {}, RunStats* stats = nullptr);

// Whether there is an argument of the right shape for each parameter. INVALID_ARGUMENT says what is
// wanted and what was given.
absl::Status CheckArguments(const Computation& entry, absl::Span<const Literal> arguments);

// Whether the golden interpreter runs the operation.
bool IsInterpreted(Opcode opcode);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_INTERPRETER_H_
