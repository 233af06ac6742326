// common-subexpressions: of equal instructions on the same operands the first one stays. Constants
// are equal if their bit patterns are. Tests: passes_test.cc.
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"

namespace assay::passes {
namespace {

// Larger constants are not compared.
constexpr int64_t kMostComparedBytes = 4096;

bool MayBeShared(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
    case Opcode::kRngBitGenerator:
      return false;
    case Opcode::kConstant:
      return instruction.literal() != nullptr && instruction.literal()->is_array() &&
             instruction.literal()->byte_size() <= kMostComparedBytes;
    default:
      return !instruction.shape().is_token() && instruction.info().family != Family::kControl;
  }
}

size_t HashOf(const Instruction& instruction, const std::vector<Instruction*>& operands) {
  const Shape& shape = instruction.shape();
  return absl::HashOf(instruction.opcode(), operands, shape.element_type(), shape.dimensions(),
                      instruction.attributes().entries().size());
}

bool AreEqual(const Instruction& a, const Instruction& b, const Editor& editor) {
  if (a.opcode() != b.opcode() || !(a.shape() == b.shape()) ||
      a.operand_count() != b.operand_count() ||
      !ASSAY_DEFECT(83, SameAttributes(a, b), a.opcode() == Opcode::kSlice)) {
    return false;
  }
  for (int64_t k = 0; k < a.operand_count(); ++k) {
    if (editor.Now(a.operand(k)) != editor.Now(b.operand(k))) return false;
  }
  if (a.literal() == nullptr) return true;
  if (ASSAY_DEFECT(84, false, IsFloat(a.shape().element_type()))) return true;
  return Literal::BitEqual(*a.literal(), *b.literal());
}

void Share(Computation& computation, ModuleEditor& edit) {
  Editor editor(computation, edit);
  absl::flat_hash_map<size_t, std::vector<Instruction*>> known;
  for (const auto& instruction : computation.instructions()) {
    if (!MayBeShared(*instruction) || !editor.IsFree(*instruction)) continue;
    std::vector<Instruction*> operands;
    for (Instruction* operand : instruction->operands()) operands.push_back(editor.Now(operand));
    std::vector<Instruction*>& alike = known[HashOf(*instruction, operands)];
    Instruction* first = nullptr;
    for (Instruction* other : alike) {
      if (first == nullptr && AreEqual(*instruction, *other, editor)) first = other;
    }
    if (first != nullptr) {
      editor.Replace(instruction.get(), first);
    } else {
      alike.push_back(instruction.get());
    }
  }
  if (editor.changed()) editor.Finish();
}

class CommonSubexpressionsPass : public Pass {
 public:
  absl::string_view name() const override { return "common-subexpressions"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (const auto& computation : module->computations()) Share(*computation, edit);
    return edit.Apply(module);
  }
};

}  // namespace

std::unique_ptr<Pass> CommonSubexpressions() {
  return std::make_unique<CommonSubexpressionsPass>();
}

}  // namespace assay::passes
