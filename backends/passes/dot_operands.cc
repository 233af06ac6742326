// dot-operands: a transposition that only a dot reads becomes dimension numbers of the dot. The
// order of the free dimensions is that of the operand, so that the transposition must keep it.
// Tests: passes_test.cc.
#include <algorithm>

#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"

namespace assay::passes {
namespace {

struct SideAttributes {
  Attr batch, contracting;
};
constexpr SideAttributes kSides[] = {{Attr::kLhsBatchDims, Attr::kLhsContractingDims},
                                     {Attr::kRhsBatchDims, Attr::kRhsContractingDims}};

// The dimensions of the transposition's operand that dimensions of its result are.
std::vector<int64_t> Mapped(absl::Span<const int64_t> dims, absl::Span<const int64_t> permutation) {
  std::vector<int64_t> mapped;
  for (const int64_t d : dims) mapped.push_back(permutation[d]);
  return mapped;
}

bool Contains(absl::Span<const int64_t> list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

// Makes operand `side` of the dot what is transposed, where that is possible.
bool FoldSide(Instruction& dot, int64_t side) {
  const Instruction& transpose = *dot.operand(side);
  if (transpose.opcode() != Opcode::kTranspose) return false;
  const absl::Span<const int64_t> permutation = transpose.GetInts(Attr::kDimensions);
  const SideAttributes& attributes = kSides[side];
  const absl::Span<const int64_t> batch = dot.GetInts(attributes.batch);
  const absl::Span<const int64_t> contracting = dot.GetInts(attributes.contracting);
  int64_t last = -1;
  for (int64_t d = 0; d < static_cast<int64_t>(permutation.size()); ++d) {
    if (Contains(batch, d) || Contains(contracting, d)) continue;
    if (ASSAY_DEFECT(86, permutation[d] < last, false)) return false;
    last = permutation[d];
  }
  std::vector<int64_t> new_batch = Mapped(batch, permutation);
  std::vector<int64_t> new_contracting = Mapped(contracting, permutation);
  if (ASSAY_DEFECT(87, false, true)) new_contracting.assign(contracting.begin(), contracting.end());
  dot.SetAttribute(attributes.batch, std::move(new_batch));
  dot.SetAttribute(attributes.contracting, std::move(new_contracting));
  std::vector<Instruction*> operands(dot.operands().begin(), dot.operands().end());
  operands[side] = transpose.operand(0);
  dot.set_operands(operands);
  return true;
}

class DotOperandsPass : public Pass {
 public:
  absl::string_view name() const override { return "dot-operands"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (Computation* computation : RunningComputations(*module)) {
      Editor editor(*computation, edit);
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() != Opcode::kDot) continue;
        for (const int64_t side : {0, 1}) {
          // After a fold the operand is the next transposition, which may be ordered.
          while (editor.IsFree(*instruction->operand(side)) && FoldSide(*instruction, side)) {
            editor.set_changed();
          }
        }
      }
      if (editor.changed()) editor.Finish();
    }
    return edit.Apply(module);
  }
};

}  // namespace

std::unique_ptr<Pass> DotOperands() { return std::make_unique<DotOperandsPass>(); }

}  // namespace assay::passes
