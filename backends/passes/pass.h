// Transformations of modules: each takes a legal module to a legal module that computes the same,
// in the same IR, so that every step can be printed, verified and run by itself.
// Tests: passes_test.cc.
#ifndef ASSAY_BACKENDS_PASSES_PASS_H_
#define ASSAY_BACKENDS_PASSES_PASS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/engine.h"
#include "spec/ir/module.h"

namespace assay::passes {

// What a pass may change in the results of an engine whose operations are correctly rounded.
enum class Exactness : uint8_t {
  kBitExact,  // nothing
  kAnyNan,    // the sign and the payload of NaN: legal under every profile
};

class Pass {
 public:
  virtual ~Pass() = default;
  // "dead-code": as `assay show --after` names it.
  virtual absl::string_view name() const = 0;
  virtual Exactness exactness() const { return Exactness::kBitExact; }
  // Puts another module in the place of this one and returns true if there is something to change.
  // The module is legal before and after.
  virtual absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const = 0;
};
using PassList = std::vector<std::unique_ptr<Pass>>;

// Instructions without users and effects, computations that nothing calls.
std::unique_ptr<Pass> DeadCode();
// Equal instructions on the same operands become one.
std::unique_ptr<Pass> CommonSubexpressions();
// Instructions on constants become constants, which the engine computes. The engine must outlive
// the pass.
std::unique_ptr<Pass> ConstantFolding(const runtime::Engine& engine);
// The rows of algebraic_rules.h up to this exactness.
std::unique_ptr<Pass> AlgebraicSimplification(Exactness exactness);
// Transpositions of factors become dimension numbers of the dot.
std::unique_ptr<Pass> DotOperands();
// Calls are written out where they stand.
std::unique_ptr<Pass> InlineCalls();
// Constants that a loop carries along unchanged are put into its computations.
std::unique_ptr<Pass> LoopConstants();
// Elementwise operations that depend on each other become fusions, where arrays have so many
// elements at least: on a processor, fewer cost less to compute than a fusion to plan.
std::unique_ptr<Pass> Fusion(int64_t fewest_elements = 64);

// The pipeline of the cpu backend. `exactness` is the most that passes may change.
PassList CpuPipeline(const runtime::Engine& engine, Exactness exactness = Exactness::kAnyNan);

// Runs passes in order. `after` is called with the name of each pass and the module after it; an
// error of it ends the run. Modules that are cut into partitions are left as they are.
absl::Status RunPasses(const PassList& passes, std::unique_ptr<Module>& module,
                       const std::function<absl::Status(absl::string_view pass)>& after = {});

// The module with its computations, header and annotations.
std::unique_ptr<Module> CopyModule(const Module& module);
// The header alone, unscheduled.
std::unique_ptr<Module> EmptyModuleLike(const Module& module);

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_PASS_H_
