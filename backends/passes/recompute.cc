// recompute: where a large array is the result of one simple operation, and a reduction reads it as
// well as others, the reduction gets an operation of its own. Fusion then makes that one part of
// the reduction, and nobody has to store and read the array again. `x - mean(x)` of a normalisation
// is the common case. Comes before fusion. Tests: conformance/passes/passes_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/passes/editor.h"
#include "backends/passes/fusion_merge.h"
#include "backends/passes/pass.h"
#include "spec/analysis/effects.h"
#include "spec/builder/copy_module.h"

namespace assay::passes {
namespace {

// The longest chain of operations from the array to the reduction.
constexpr int kMostSteps = 16;

bool IsElementwise(const Instruction& x) { return x.info().elementwise() && x.shape().is_array(); }

// Operations that take less time than reading an operand.
bool IsSimple(const Instruction& x) {
  switch (x.opcode()) {
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kConvert:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kSubtract:
      return true;
    default:
      return false;
  }
}

class Recomputer {
 public:
  Recomputer(Computation& computation, ModuleEditor& edit, int64_t fewest_elements)
      : fewest_elements_(fewest_elements),
        computation_(computation),
        editor_(computation, edit),
        users_(UsersOf(computation)) {}

  void Run() {
    const int64_t count = computation_.instruction_count();
    for (int64_t i = 0; i < count; ++i) {
      Instruction* instruction = computation_.instruction(i);
      if (MayRepeat(*instruction)) GiveToReductions(*instruction);
    }
    if (editor_.changed()) editor_.Finish();
  }

 private:
  // Whether the instruction reads one array, which is stored anyway.
  bool MayRepeat(const Instruction& x) {
    if (!IsSimple(x) || !x.shape().is_array() || x.shape().element_count() < fewest_elements_ ||
        users_[x.index()].size() < 2 || !editor_.IsFree(x) || analysis::HasDynamicSizes(x)) {
      return false;
    }
    const Instruction* array = nullptr;
    for (const Instruction* operand : x.operands()) {
      if (MayBeDuplicated(*operand) || operand == array) continue;
      if (array != nullptr) return false;
      array = operand;
    }
    return array != nullptr && (!IsElementwise(*array) || users_[array->index()].size() > 1);
  }

  // Returns the reduction to which elementwise operations lead from `x` on the way over `user`, if
  // nobody else reads what is on that way; otherwise null.
  const Instruction* ReductionOf(const Instruction& x, const Instruction& user) const {
    const Instruction* from = &x;
    const Instruction* at = &user;
    for (int step = 0; step < kMostSteps; ++step) {
      const bool reduces = at->opcode() == Opcode::kReduce && at->operand_count() == 2;
      if (reduces) return at->operand(0) == from && at->operand(1) != from ? at : nullptr;
      if (!IsElementwise(*at) || !Shape::SameDimensions(at->shape(), x.shape()) ||
          at == computation_.root() || users_[at->index()].size() != 1) {
        return nullptr;
      }
      from = at;
      at = users_[at->index()][0];
    }
    return nullptr;
  }

  void GiveToReductions(Instruction& x) {
    absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> readers;  // by reduction
    std::vector<const Instruction*> reductions;
    size_t others = &x == computation_.root() ? 1 : 0;
    for (Instruction* user : users_[x.index()]) {
      const Instruction* reduction = ReductionOf(x, *user);
      if (reduction == nullptr) {
        ++others;
        continue;
      }
      if (readers[reduction].empty()) reductions.push_back(reduction);
      readers[reduction].push_back(user);
    }
    // Without others the last reduction keeps the instruction.
    if (others == 0 && !reductions.empty()) reductions.pop_back();
    for (const Instruction* reduction : reductions) {
      InstructionMap operands;
      for (Instruction* operand : x.operands()) operands[operand] = operand;
      Instruction* own = editor_.Add(CopyInstruction(x, operands, /*callees=*/{}));
      for (Instruction* reader : readers[reduction]) {
        std::vector<Instruction*> read;
        for (Instruction* operand : reader->operands())
          read.push_back(operand == &x ? own : operand);
        reader->set_operands(read);
        std::vector<Instruction*>& left = users_[x.index()];
        left.erase(std::find(left.begin(), left.end(), reader));
      }
    }
  }

  const int64_t fewest_elements_;
  Computation& computation_;
  Editor editor_;
  std::vector<std::vector<Instruction*>> users_;
};

class RecomputePass : public Pass {
 public:
  explicit RecomputePass(int64_t fewest_elements) : fewest_elements_(fewest_elements) {}
  absl::string_view name() const override { return "recompute"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (Computation* computation : RunningComputations(*module)) {
      Recomputer(*computation, edit, fewest_elements_).Run();
    }
    return edit.Apply(module);
  }

 private:
  const int64_t fewest_elements_;
};

}  // namespace

std::unique_ptr<Pass> Recompute(int64_t fewest_elements) {
  return std::make_unique<RecomputePass>(fewest_elements);
}

}  // namespace assay::passes
