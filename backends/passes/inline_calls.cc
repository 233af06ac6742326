// inline-calls: the instructions of a called computation take the place of the call, and so do
// those of a fusion that somebody else made. Calls whose computation has effects or control
// dependencies stay. Tests: passes_test.cc.
#include <utility>

#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"
#include "spec/builder/copy_module.h"

namespace assay::passes {
namespace {

// Nested calls can double a computation at every level: what all copies may add.
constexpr int64_t kMostInstructions = 50000;

// Control dependencies, or a fusion, whose computation has one caller only.
bool HoldsWhatStays(absl::Span<Instruction* const> instructions) {
  for (const Instruction* instruction : instructions) {
    if (!instruction->control_predecessors().empty()) return true;
    if (instruction->opcode() == Opcode::kFusion) return true;
  }
  return false;
}

// The computation that an instruction calls, and does nothing else; null for any other.
const Computation* CalleeOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kCall) return instruction.to_apply();
  const bool fuses = instruction.opcode() == Opcode::kFusion &&
                     instruction.GetEnum<FusionKind>(Attr::kKind) != FusionKind::kCustom;
  return fuses ? instruction.GetComputation(Attr::kCalls) : nullptr;
}

// Whether shapes agree with those of the computation, layouts too, which bitcast sees.
bool FitsExactly(const Instruction& call, const Computation& callee, const Shape& result) {
  if (!(call.shape() == result)) return false;
  for (const Instruction* parameter : callee.parameters()) {
    if (!(call.operand(parameter->parameter_number())->shape() == parameter->shape())) return false;
  }
  return true;
}

class InlineCallsPass : public Pass {
 public:
  absl::string_view name() const override { return "inline-calls"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    CalleeMap same;
    for (const auto& computation : module->computations()) {
      same[computation.get()] = computation.get();
    }
    int64_t left = kMostInstructions;
    // Callees come first: their own calls are gone when they are copied.
    for (const auto& computation : module->computations()) {
      InlineIn(*computation, edit, same, left);
    }
    if (edit.changed()) edit.DropUncalled();
    return edit.Apply(module);
  }

 private:
  static void InlineIn(Computation& computation, ModuleEditor& edit, const CalleeMap& same,
                       int64_t& left) {
    Editor editor(computation, edit);
    const int64_t count = computation.instruction_count();
    for (int64_t i = 0; i < count; ++i) {
      const Instruction& call = *computation.instruction(i);
      const Computation* callee = CalleeOf(call);
      if (callee == nullptr || !editor.IsFree(call) || callee->instruction_count() > left ||
          edit.effects().contains(callee) ||
          callee->execution_thread() != computation.execution_thread() ||
          !FitsExactly(call, *callee, edit.Root(*callee)->shape())) {
        continue;
      }
      const std::vector<Instruction*> instructions = edit.Instructions(*callee);
      if (HoldsWhatStays(instructions)) continue;
      left -= static_cast<int64_t>(instructions.size());
      InstructionMap copies;
      for (const Instruction* original : instructions) {
        if (original->opcode() == Opcode::kParameter) {
          const int64_t number = original->parameter_number();
          copies[original] = call.operand(ASSAY_DEFECT(
              88, number,
              call.shape().is_array() && call.operand(0)->shape() == call.shape() &&
                      call.operand(number)->shape() == call.shape() && !call.shape().is_scalar()
                  ? 0
                  : number));
        } else {
          copies[original] = editor.Add(CopyInstruction(*original, copies, same));
        }
      }
      editor.Replace(&call, copies.at(edit.Root(*callee)));
    }
    if (editor.changed()) editor.Finish();
  }
};

}  // namespace

std::unique_ptr<Pass> InlineCalls() { return std::make_unique<InlineCallsPass>(); }

}  // namespace assay::passes
