// dot-operands: a transposition that only a dot reads becomes dimension numbers of the dot. The
// order of the free dimensions is that of the operand, so that the transposition must keep it. A
// transposition of the result that puts the free dimensions of the second operand before those of
// the first, as in every gradient of a weight, is the dot of the operands in each other's place.
// Tests: passes_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"
#include "spec/analysis/effects.h"

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

// Whether the permutation of a dot's result exchanges the free dimensions of the operands.
bool ExchangesFree(absl::Span<const int64_t> permutation, const Instruction& dot) {
  const auto free = [&](int64_t side) {
    return dot.operand(side)->shape().rank() -
           static_cast<int64_t>(dot.GetInts(kSides[side].batch).size()) -
           static_cast<int64_t>(dot.GetInts(kSides[side].contracting).size());
  };
  const int64_t lhs = free(0), rhs = free(1);
  const int64_t batch = static_cast<int64_t>(permutation.size()) - lhs - rhs;
  if (lhs == 0 || rhs == 0) return false;
  for (int64_t d = 0; d < static_cast<int64_t>(permutation.size()); ++d) {
    const int64_t moved = d < batch ? d : d < batch + rhs ? d + lhs : d - rhs;
    if (permutation[d] != moved) return false;
  }
  return true;
}

// Puts the operands of the dot in each other's place.
void ExchangeOperands(Instruction& dot) {
  const auto exchange = [&](Attr a, Attr b) {
    const absl::Span<const int64_t> first = dot.GetInts(a), second = dot.GetInts(b);
    std::vector<int64_t> for_a(second.begin(), second.end()), for_b(first.begin(), first.end());
    dot.SetAttribute(a, std::move(for_a));
    dot.SetAttribute(b, std::move(for_b));
  };
  exchange(Attr::kLhsBatchDims, Attr::kRhsBatchDims);
  exchange(Attr::kLhsContractingDims, Attr::kRhsContractingDims);
  const absl::Span<const int64_t> precisions = dot.GetInts(Attr::kOperandPrecision);
  if (!precisions.empty()) {
    dot.SetAttribute(Attr::kOperandPrecision,
                     std::vector<int64_t>(precisions.rbegin(), precisions.rend()));
  }
  dot.set_operands({dot.operand(1), dot.operand(0)});
}

class DotOperandsPass : public Pass {
 public:
  absl::string_view name() const override { return "dot-operands"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (Computation* computation : RunningComputations(*module)) {
      RunOn(*computation, edit);
    }
    return edit.Apply(module);
  }

 private:
  static void RunOn(Computation& computation, ModuleEditor& edit) {
    Editor editor(computation, edit);
    for (const auto& instruction : computation.instructions()) {
      if (instruction->opcode() != Opcode::kDot) continue;
      for (const int64_t side : {0, 1}) {
        // After a fold the operand is the next transposition, which may be ordered.
        while (editor.IsFree(*instruction->operand(side)) && FoldSide(*instruction, side)) {
          editor.set_changed();
        }
      }
    }
    // Afterwards, since the dimension numbers of a dot may hold the transposition of another dot's
    // result by now.
    const std::vector<std::vector<Instruction*>> users = UsersOf(computation);
    for (const auto& instruction : computation.instructions()) {
      if (instruction->opcode() != Opcode::kTranspose) continue;
      FoldResult(*instruction, computation, users, editor);
    }
    if (editor.changed()) editor.Finish();
  }

  // Makes the dot that only this transposition reads compute the transposed result.
  static void FoldResult(Instruction& transpose, const Computation& computation,
                         const std::vector<std::vector<Instruction*>>& users, Editor& editor) {
    Instruction& dot = *transpose.operand(0);
    if (dot.opcode() != Opcode::kDot || users[dot.index()].size() != 1 ||
        &dot == computation.root() || !editor.IsFree(dot) || !editor.IsFree(transpose) ||
        analysis::HasDynamicSizes(dot) || analysis::HasDynamicSizes(transpose) ||
        !ExchangesFree(transpose.GetInts(Attr::kDimensions), dot)) {
      return;
    }
    ExchangeOperands(dot);
    dot.set_shape(transpose.shape());
    editor.Replace(&transpose, &dot);
  }
};

}  // namespace

std::unique_ptr<Pass> DotOperands() { return std::make_unique<DotOperandsPass>(); }

}  // namespace assay::passes
