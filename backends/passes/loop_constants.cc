// loop-constants: an element of a loop's state that begins as a constant and that the body returns
// as it was is that constant in condition and body. Tests: passes_test.cc.
#include <utility>

#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"

namespace assay::passes {
namespace {

constexpr int64_t kMostConstantBytes = 64;

bool IsElement(const Instruction& instruction, const Instruction* of, int64_t index) {
  return instruction.opcode() == Opcode::kGetTupleElement && instruction.operand(0) == of &&
         ASSAY_DEFECT(89, instruction.GetInt(Attr::kIndex) == index, true);
}

// The constants that stay what they are, by index of the state; null for others.
std::vector<const Instruction*> Unchanging(const Instruction& loop) {
  const Instruction& state = *loop.operand(0);
  const Computation& body = *loop.GetComputation(Attr::kBody);
  const Instruction* result = body.root();
  if (state.opcode() != Opcode::kTuple || result->opcode() != Opcode::kTuple) return {};
  const Instruction* parameter = body.parameters()[0];
  std::vector<const Instruction*> constants(state.operand_count(), nullptr);
  for (int64_t i = 0; i < state.operand_count(); ++i) {
    const Instruction& first = *state.operand(i);
    const bool small = first.opcode() == Opcode::kConstant && first.literal() != nullptr &&
                       first.literal()->is_array() &&
                       first.literal()->byte_size() <= kMostConstantBytes;
    if (small && IsElement(*result->operand(i), parameter, i)) constants[i] = &first;
  }
  return constants;
}

void PutInto(Computation& computation, const std::vector<const Instruction*>& constants,
             ModuleEditor& edit) {
  Editor editor(computation, edit);
  const Instruction* parameter = computation.parameters()[0];
  const int64_t count = computation.instruction_count();
  // Elements that the body only returns stay.
  const auto users = UsersOf(computation);
  for (int64_t i = 0; i < count; ++i) {
    const Instruction& element = *computation.instruction(i);
    if (element.opcode() != Opcode::kGetTupleElement || element.operand(0) != parameter) continue;
    const Instruction* constant = constants[element.GetInt(Attr::kIndex)];
    if (constant == nullptr || !editor.IsFree(element)) continue;
    bool is_read = false;
    for (const Instruction* user : users[i]) {
      is_read |= user != computation.root() || user->opcode() != Opcode::kTuple;
    }
    if (!is_read) continue;
    auto copy = std::make_unique<Instruction>(Opcode::kConstant, constant->shared_shape());
    copy->set_name("constant");
    copy->set_literal(*constant->literal());
    editor.Replace(&element, editor.Add(std::move(copy)));
  }
  if (editor.changed()) editor.Finish();
}

class LoopConstantsPass : public Pass {
 public:
  absl::string_view name() const override { return "loop-constants"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    absl::flat_hash_map<const Computation*, int64_t> callers;
    for (const auto& computation : module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        for (const Computation* callee : instruction->called_computations()) ++callers[callee];
      }
    }
    for (Computation* computation : RunningComputations(*module)) {
      for (const auto& loop : computation->instructions()) {
        if (loop->opcode() != Opcode::kWhile) continue;
        Computation* body = loop->GetComputation(Attr::kBody);
        Computation* condition = loop->GetComputation(Attr::kCondition);
        const bool is_shared = callers[body] != 1 || callers[condition] != 1;
        if (ASSAY_DEFECT(90, is_shared, false)) continue;
        const std::vector<const Instruction*> constants = Unchanging(*loop);
        if (constants.empty()) continue;
        PutInto(*body, constants, edit);
        PutInto(*condition, constants, edit);
      }
    }
    return edit.Apply(module);
  }
};

}  // namespace

std::unique_ptr<Pass> LoopConstants() { return std::make_unique<LoopConstantsPass>(); }

}  // namespace assay::passes
