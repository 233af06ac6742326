// constant-folding: what depends on constants alone becomes a constant, computed by the engine that
// would run it. Results are kept small; data movement that only repeats elements is left to the
// engine. Tests: passes_test.cc.
#include <utility>

#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"
#include "runtime/module_plan.h"
#include "runtime/run.h"
#include "spec/analysis/effects.h"
#include "spec/analysis/isolate.h"

namespace assay::passes {
namespace {

constexpr int64_t kMostElements = 1024;
// Elements of the operands together: what a fold may cost.
constexpr int64_t kMostRead = int64_t{1} << 16;

bool MayBeFolded(const Instruction& instruction) {
  switch (instruction.info().family) {
    case Family::kControl:
    case Family::kCollective:
    case Family::kHost:
    case Family::kRandom:
      return false;
    default:
      break;
  }
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kBroadcast || opcode == Opcode::kIota || opcode == Opcode::kConstant ||
      instruction.operand_count() == 0 || !instruction.shape().is_array() ||
      analysis::HasDynamicSizes(instruction) || !instruction.called_computations().empty()) {
    return false;
  }
  int64_t read = 0;
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().is_array()) return false;
    read += operand->shape().element_count();
  }
  return read <= kMostRead && instruction.shape().element_count() <= kMostElements;
}

class ConstantFoldingPass : public Pass {
 public:
  explicit ConstantFoldingPass(const runtime::Engine& engine) : engine_(engine) {}
  absl::string_view name() const override { return "constant-folding"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (Computation* computation : RunningComputations(*module)) Fold(*computation, edit);
    return edit.Apply(module);
  }

 private:
  void Fold(Computation& computation, ModuleEditor& edit) const {
    Editor editor(computation, edit);
    std::vector<char> is_known(computation.instruction_count(), 0);
    std::vector<const Instruction*> members, results;
    for (const auto& instruction : computation.instructions()) {
      if (instruction->opcode() == Opcode::kConstant) {
        is_known[instruction->index()] =
            instruction->literal() != nullptr && instruction->shape().is_array();
        continue;
      }
      bool known = MayBeFolded(*instruction) && editor.IsFree(*instruction);
      for (const Instruction* operand : instruction->operands()) {
        known = known && is_known[operand->index()];
      }
      if (!known) continue;
      is_known[instruction->index()] = 1;
      members.push_back(instruction.get());
    }
    if (members.empty()) return;
    // Those that others than members take.
    const auto users = UsersOf(computation);
    for (const Instruction* member : members) {
      bool wanted = member == computation.root();
      for (const Instruction* user : users[member->index()]) wanted |= !is_known[user->index()];
      if (wanted) results.push_back(member);
    }
    if (results.empty()) return;
    absl::StatusOr<std::vector<Literal>> values = Evaluate(members, results);
    // What cannot be computed now says so where it runs.
    if (!values.ok()) return;
    for (size_t i = 0; i < results.size(); ++i) {
      auto constant = std::make_unique<Instruction>(Opcode::kConstant, results[i]->shared_shape());
      constant->set_name("constant");
      const bool is_lost = ASSAY_DEFECT(85, false, IsFloat(results[i]->shape().element_type()));
      constant->set_literal((is_lost ? Literal::Zeros(results[i]->shape()) : (*values)[i])
                                .WithShape(results[i]->shape()));
      editor.Replace(results[i], editor.Add(std::move(constant)));
    }
    editor.Finish();
  }

  absl::StatusOr<std::vector<Literal>> Evaluate(
      absl::Span<const Instruction* const> members,
      absl::Span<const Instruction* const> results) const {
    const analysis::IsolatedGroup group = analysis::IsolateGroup(members, results);
    const auto plan = runtime::ModulePlan::Create(*group.module, engine_);
    if (!plan.ok()) return plan.status();
    std::vector<std::vector<Literal>> arguments(1);
    for (const Instruction* operand : group.operands) {
      if (operand->literal() == nullptr) return absl::InternalError("an operand is no constant");
      arguments[0].push_back(*operand->literal());
    }
    runtime::Program program;
    program.module = plan->get();
    program.grid = {1, 1};
    program.arguments = arguments;
    runtime::RunOptions options;
    auto values = runtime::RunPrograms(absl::MakeConstSpan(&program, 1), options);
    if (!values.ok()) return values.status();
    return Flatten(values->front().front());
  }

  const runtime::Engine& engine_;
};

}  // namespace

std::unique_ptr<Pass> ConstantFolding(const runtime::Engine& engine) {
  return std::make_unique<ConstantFoldingPass>(engine);
}

}  // namespace assay::passes
