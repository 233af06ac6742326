// algebraic-simplification: the rows of algebraic_rules.h, from operands to users, so that what a
// row makes is looked at by the rows of its users. Tests: passes_test.cc.
#include "backends/passes/algebraic_rules.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"
#include "spec/analysis/effects.h"

namespace assay::passes {
namespace {

class AlgebraicPass : public Pass {
 public:
  explicit AlgebraicPass(Exactness exactness) : exactness_(exactness) {}
  absl::string_view name() const override { return "algebraic-simplification"; }
  Exactness exactness() const override { return exactness_; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (Computation* computation : RunningComputations(*module)) {
      Simplify(*computation, edit);
    }
    return edit.Apply(module);
  }

 private:
  void Simplify(Computation& computation, ModuleEditor& edit) const {
    Editor editor(computation, edit);
    const int64_t count = computation.instruction_count();
    for (int64_t i = 0; i < count; ++i) {
      Instruction* instruction = computation.instruction(i);
      if (!editor.IsFree(*instruction) || analysis::HasDynamicSizes(*instruction)) continue;
      // What a row makes may be simplified again, a few times.
      constexpr int kMost = 4;
      for (int turn = 0; turn < kMost; ++turn) {
        Instruction* by = Find(*editor.Now(instruction), editor);
        if (by == nullptr) break;
        editor.Replace(editor.Now(instruction), by);
      }
    }
    if (editor.changed()) editor.Finish();
  }

  Instruction* Find(Instruction& instruction, Editor& editor) const {
    for (const AlgebraicRule& rule : AlgebraicRules()) {
      Instruction* by = rule.apply(instruction, exactness_, editor);
      if (by != nullptr && by != &instruction && by->shape() == instruction.shape()) return by;
    }
    return nullptr;
  }

  const Exactness exactness_;
};

}  // namespace

std::unique_ptr<Pass> AlgebraicSimplification(Exactness exactness) {
  return std::make_unique<AlgebraicPass>(exactness);
}

}  // namespace assay::passes
