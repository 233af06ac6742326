// Runs modules: plans each computation once into steps on numbered slots, then runs the plan as
// often as asked. Values are kept only while they are needed, loops reuse their storage, and
// nothing recurses on what the module says. Budgets bound memory, work, nesting and time; observers
// see every instruction. Tests: interpreter_test.cc, budgets_test.cc.
#ifndef ASSAY_INTERPRETER_INTERPRETER_H_
#define ASSAY_INTERPRETER_INTERPRETER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/module.h"

namespace assay {

// What one run may use; defaults that suit a laptop. Exceeding one is RESOURCE_EXHAUSTED and names
// the instruction. Negative: unlimited.
struct RunBudget {
  int64_t bytes = int64_t{4} << 30;  // live values, arguments included
  int64_t elements = -1;             // of any one value
  int64_t steps = -1;                // element operations
  int64_t call_depth = 20000;        // calls, loops and branches inside each other
  double seconds = 600;              // wall time
};

// Sees instructions as they run, those of called computations too (not the scalar regions of
// reduce, sort and their like, which run per element). A status that is not OK ends the run.
class Observer {
 public:
  virtual ~Observer() = default;
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
  // The first undecided elements of elementwise instructions (not of regions), kMostUndecided at
  // most.
  std::vector<UndecidedResult> undecided;
  int64_t stored_bytes = 0;  // that instructions wrote as their results; views write none
};

struct PlanOptions {
  // Definitions alone, no kernels: slow, and the same bits.
  bool straight = false;
  // Every instruction becomes a step of its own, so that observers see it.
  bool observed = false;
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

  // The value of the entry's root. Arguments by parameter number; layouts do not count.
  absl::StatusOr<Literal> Run(absl::Span<const Literal> arguments, const RunOptions& options = {},
                              RunStats* stats = nullptr) const;

  const Module& module() const { return module_; }
  const PlanOptions& options() const { return options_; }
  // The plan of a computation that runs as such; null for scalar regions.
  const ComputationPlan* plan_of(const Computation& computation) const;
  int64_t plan_count() const { return static_cast<int64_t>(plans_.size()); }

 private:
  PlannedModule(const Module& module, const PlanOptions& options);
  const Module& module_;
  PlanOptions options_;
  std::vector<std::unique_ptr<ComputationPlan>> plans_;
  absl::flat_hash_map<const Computation*, const ComputationPlan*> plan_of_;
};

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
