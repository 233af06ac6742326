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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "runtime/module_plan.h"
#include "runtime/run.h"
#include "spec/ir/module.h"

namespace assay::runtime {
class CustomCallRegistry;
}

namespace assay {

using runtime::CheckArguments;
using runtime::CheckGrid;
using runtime::Host;
using runtime::kMostProcesses;
using runtime::Observer;
using runtime::ProcessGrid;
using runtime::ProcessId;
using runtime::RandomStates;
using runtime::RunBudget;
using runtime::RunOptions;

// An element whose rounding is not proven.
struct UndecidedResult {
  const Instruction* instruction = nullptr;
  evaluator::UndecidedElement element;
};

struct RunStats : runtime::RunStats {
  static constexpr size_t kMostUndecided = 1000;
  evaluator::RealStats real;  // elements by deciding tier; undecided ones
  // The first undecided elements of elementwise instructions, transforms and complex products (not
  // of what runs in regions), kMostUndecided at most.
  std::vector<UndecidedResult> undecided;
};

class GoldenEngine;

struct PlanOptions : runtime::PlanOptions {
  // Definitions alone, no kernels: slow, and the same bits.
  bool straight = false;
  // What custom calls mean beside the well-known targets; null: nothing.
  const runtime::CustomCallRegistry* custom_calls = nullptr;
};

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

  const Module& module() const { return plan_->module(); }
  const PlanOptions& options() const;
  const runtime::ModulePlan& plan() const { return *plan_; }

 private:
  explicit PlannedModule(const PlanOptions& options);
  std::unique_ptr<const GoldenEngine> engine_;
  std::unique_ptr<const runtime::ModulePlan> plan_;
};

// A module and the processes that run it.
struct Program {
  const PlannedModule* module = nullptr;
  const Computation* computation = nullptr;  // null: the entry
  ProcessGrid grid;
  // By process (replica * partitions + partition), then by parameter number.
  std::vector<std::vector<Literal>> arguments;
};

// Runs the processes of all programs together, as runtime::RunPrograms does.
absl::StatusOr<std::vector<std::vector<Literal>>> RunPrograms(absl::Span<const Program> programs,
                                                              const RunOptions& options = {},
                                                              RunStats* stats = nullptr);

// Create and Run in one.
absl::StatusOr<Literal> Interpret(const Module& module, absl::Span<const Literal> arguments,
                                  const RunOptions& options = {}, RunStats* stats = nullptr);

// Whether the golden interpreter runs the operation.
bool IsInterpreted(Opcode opcode);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_INTERPRETER_H_
