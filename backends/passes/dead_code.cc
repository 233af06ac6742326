// dead-code: instructions that neither have an effect nor a user, and computations that nothing
// calls. Tests: passes_test.cc.
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"

namespace assay::passes {
namespace {

class DeadCodePass : public Pass {
 public:
  absl::string_view name() const override { return "dead-code"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (const auto& computation : module->computations()) Editor(*computation, edit).Finish();
    edit.DropUncalled();
    return edit.Apply(module);
  }
};

}  // namespace

std::unique_ptr<Pass> DeadCode() { return std::make_unique<DeadCodePass>(); }

}  // namespace assay::passes
