// The plan of a module: a plan for each computation that runs as such. Tests:
// interpreter/plan_values_test.cc, plan_effects_test.cc.
#ifndef ASSAY_RUNTIME_MODULE_PLAN_H_
#define ASSAY_RUNTIME_MODULE_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::runtime {

class Engine;
struct ComputationPlan;

struct PlanOptions {
  // Makes every instruction a step of its own, so that observers see it.
  bool observed = false;
  // The limit on the wall time of planning; negative for unlimited. Exceeding it is
  // RESOURCE_EXHAUSTED.
  double seconds = -1;
};

class ModulePlan {
 public:
  // Plans a module and checks its shapes. Module and engine must outlive the plan, and the module
  // must not change. Returns INVALID_ARGUMENT for an illegal module or an elided constant, and
  // UNIMPLEMENTED for an operation that the engine does not support, both with opcode and
  // instruction.
  static absl::StatusOr<std::unique_ptr<ModulePlan>> Create(const Module& module,
                                                            const Engine& engine,
                                                            const PlanOptions& options = {});
  ~ModulePlan();

  const Module& module() const { return module_; }
  const Engine& engine() const { return engine_; }
  const PlanOptions& options() const { return options_; }
  // Returns the plan of a computation that runs as such; null for regions that kernels apply.
  const ComputationPlan* plan_of(const Computation& computation) const;
  // Returns true if transfers may overlap with computation.
  bool has_transfers() const { return has_transfers_; }
  // Returns true if every run does the same work, but for the course of loops and branches: sizes
  // are static, and effects exchange values between devices only.
  bool repeats() const { return repeats_; }
  // Returns true if the course of a loop or branch depends on values.
  bool decides() const { return decides_; }
  // Returns the computations that must run even if their value is unused.
  const absl::flat_hash_set<const Computation*>& effectful() const { return effectful_; }
  int64_t plan_count() const { return static_cast<int64_t>(plans_.size()); }

 private:
  ModulePlan(const Module& module, const Engine& engine, const PlanOptions& options);
  const Module& module_;
  const Engine& engine_;
  PlanOptions options_;
  bool has_transfers_ = false;
  bool repeats_ = true;
  bool decides_ = false;
  absl::flat_hash_set<const Computation*> effectful_;
  std::vector<std::unique_ptr<ComputationPlan>> plans_;
  absl::flat_hash_map<const Computation*, const ComputationPlan*> plan_of_;
};

// Returns true if the runtime implements an operation for all engines: control flow, tuples,
// effects and operations on sizes. All others are kernels.
bool IsRunByRuntime(Opcode opcode);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MODULE_PLAN_H_
