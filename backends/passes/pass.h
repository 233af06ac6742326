// Transformations of modules. Each transforms a legal module to a legal module of the same meaning
// in the same IR, so that every step can be printed, verified and run by itself. Tests:
// passes_test.cc.
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

// The changes that a pass may make to the results of an engine whose operations are correctly
// rounded.
enum class Exactness : uint8_t {
  kBitExact,  // nothing
  kAnyNan,    // the sign and the payload of NaN: legal under every profile
};

class Pass {
 public:
  virtual ~Pass() = default;
  // The name in `assay show --after`, such as "dead-code".
  virtual absl::string_view name() const = 0;
  virtual Exactness exactness() const { return Exactness::kBitExact; }
  // Replaces the module and returns true if there is something to change. The module is legal
  // before and after.
  virtual absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const = 0;
};
using PassList = std::vector<std::unique_ptr<Pass>>;

// Removes instructions without users and effects, and computations that nothing calls.
std::unique_ptr<Pass> DeadCode();
// Merges equal instructions on the same operands.
std::unique_ptr<Pass> CommonSubexpressions();
// Replaces instructions on constants by constants that the engine computes. The engine must outlive
// the pass.
std::unique_ptr<Pass> ConstantFolding(const runtime::Engine& engine);
// Applies the rows of algebraic_rules.h up to this exactness.
std::unique_ptr<Pass> AlgebraicSimplification(Exactness exactness);
// Folds transpositions of operands and of the result into the dot.
std::unique_ptr<Pass> DotOperands();
// Inlines calls.
std::unique_ptr<Pass> InlineCalls();
// Moves constants that a loop carries unchanged into its computations.
std::unique_ptr<Pass> LoopConstants();
// Gives reductions that read the result of a simple operation on a large array an operation of
// their own, which fusion makes a part of them. Smaller arrays than `fewest_elements` stay in the
// cache until they are read again.
std::unique_ptr<Pass> Recompute(int64_t fewest_elements = int64_t{1} << 16);
// Fuses elementwise operations that depend on each other, for arrays of at least `fewest_elements`.
// On a CPU a smaller array takes less time to compute than a fusion takes to plan.
std::unique_ptr<Pass> Fusion(int64_t fewest_elements = 64);

// Returns the pipeline of the cpu backend. `exactness` limits the changes of its passes.
PassList CpuPipeline(const runtime::Engine& engine, Exactness exactness = Exactness::kAnyNan);

// Runs passes in order. Calls `after` with the name of each pass and the module after it; an error
// of `after` ends the run. Partitioned modules are not changed.
absl::Status RunPasses(const PassList& passes, std::unique_ptr<Module>& module,
                       const std::function<absl::Status(absl::string_view pass)>& after = {});

// Returns a copy of the module with its computations, header and annotations.
std::unique_ptr<Module> CopyModule(const Module& module);
// Returns a module with the same header and no computations or schedule.
std::unique_ptr<Module> EmptyModuleLike(const Module& module);

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_PASS_H_
