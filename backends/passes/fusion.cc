// fusion: instructions that are computed together become fusions.
//
// A loop fusion (kLoop) is a tree or web of elementwise operations on arrays of one size, of which
// only the last is used outside; data movement that only it reads goes with it, and broadcasts,
// iotas and constants whoever else reads them. Loop fusions that hand values to each other become
// one with several results (fusion_merge.h). An output fusion (kOutput) is a dot or convolution
// with the elementwise operations after it, an input fusion (kInput) elementwise operations with
// the reduce that takes their result. Every instruction still rounds to its type, so that no bit
// changes. Tests: passes_test.cc.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/defect.h"
#include "backends/passes/editor.h"
#include "backends/passes/fused_product.h"
#include "backends/passes/fusion_merge.h"
#include "backends/passes/pass.h"
#include "spec/analysis/effects.h"
#include "spec/builder/copy_module.h"

namespace assay::passes {
namespace {

constexpr size_t kMostMembers = 64;
constexpr size_t kMostInputs = 24;

// Movement that a fusion reads through, and what has no operands.
bool IsSource(const Instruction& x) {
  switch (x.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    case Opcode::kConstant:
      return x.shape().is_scalar() && x.literal() != nullptr;
    default:
      return false;
  }
}

// A reduce takes it from outside, whatever it is.
bool IsInitialValue(const Instruction& user, const Instruction* operand) {
  return user.opcode() == Opcode::kReduce && user.operand(1) == operand &&
         user.operand(0) != operand;
}

class Fuser {
 public:
  Fuser(Computation& computation, ModuleEditor& edit, int64_t fewest_elements)
      : fewest_elements_(fewest_elements),
        module_(edit.module()),
        computation_(computation),
        editor_(computation, edit),
        users_(UsersOf(computation)),
        taken_(computation.instruction_count(), 0) {
    for (const auto& each : module_.computations()) same_[each.get()] = each.get();
  }

  void Run() {
    // From users to operands: a group begins with its last instruction.
    for (int64_t i = computation_.instruction_count() - 1; i >= 0; --i) {
      Instruction* root = computation_.instruction(i);
      if (taken_[i] || !MayFuse(*root)) continue;
      std::vector<const Instruction*> members = Grow(*root);
      const bool alone = members.empty();
      if (alone && !IsElementwise(*root)) continue;
      if (alone) members = WithSources(*root);
      bool elementwise = true;
      for (const Instruction* member : members) {
        elementwise = elementwise && (IsElementwise(*member) || IsSource(*member));
      }
      groups_.push_back({.members = std::move(members),
                         .elementwise = elementwise,
                         .alone = alone,
                         .size = &root->shape()});
    }
    FusionMerger(computation_).Run(groups_);
    for (const FusionGroup& group : groups_) {
      if (!group.alone && !group.members.empty()) Make(group);
    }
    if (editor_.changed()) editor_.Finish();
  }

 private:
  bool MayFuse(const Instruction& x) {
    const bool reduces = x.opcode() == Opcode::kReduce && x.shape().is_array();
    const Shape& size = reduces ? x.operand(0)->shape() : x.shape();
    return (IsElementwise(x) || reduces) && size.is_array() &&
           size.element_count() >= fewest_elements_ && editor_.IsFree(x) &&
           !analysis::HasDynamicSizes(x);
  }
  static bool IsElementwise(const Instruction& x) {
    return x.info().elementwise() && x.shape().is_array() && x.opcode() != Opcode::kRng;
  }

  // Whether an instruction has users, and all of them are in the group. One that nobody uses is a
  // result of its group, as the root is.
  bool OnlyUsedIn(const Instruction& x,
                  const absl::flat_hash_set<const Instruction*>& group) const {
    if (&x == computation_.root() || users_[x.index()].empty()) return false;
    for (const Instruction* user : users_[x.index()]) {
      if (!group.contains(user)) return false;
    }
    return true;
  }

  // The group that ends with `root`; empty if it is not worth a fusion.
  std::vector<const Instruction*> Grow(const Instruction& root) {
    const bool reduces = root.opcode() == Opcode::kReduce;
    const Shape& lanes = reduces ? root.operand(0)->shape() : root.shape();
    absl::flat_hash_set<const Instruction*> group = {&root};
    std::vector<const Instruction*> list = {&root};
    int64_t computing = 1;  // members that are not sources
    bool has_contraction = false;
    for (size_t i = 0; i < list.size() && list.size() < kMostMembers; ++i) {
      if (IsFusedProduct(*list[i])) continue;  // its operands come from outside
      for (const Instruction* operand : list[i]->operands()) {
        if (group.contains(operand) || taken_[operand->index()] || !editor_.IsFree(*operand) ||
            analysis::HasDynamicSizes(*operand) || list.size() >= kMostMembers) {
          continue;
        }
        if (IsInitialValue(*list[i], operand)) continue;
        const bool computes = IsElementwise(*operand) && !IsSource(*list[i]) &&
                              Shape::SameDimensions(operand->shape(), lanes);
        const bool contracts = !reduces && !has_contraction && IsFusedProduct(*operand) &&
                               !IsSource(*list[i]) &&
                               Shape::SameDimensions(operand->shape(), lanes);
        if (!computes && !contracts && !IsSource(*operand)) continue;
        const bool repeats = IsSource(*operand) && MayBeDuplicated(*operand);
        if (!repeats && !OnlyUsedIn(*operand, group)) continue;
        group.insert(operand);
        list.push_back(operand);
        computing += computes || contracts;
        has_contraction |= contracts;
      }
    }
    if (reduces && root.operand_count() != 2) return {};
    absl::flat_hash_set<const Instruction*> inputs;
    for (const Instruction* member : list) {
      for (const Instruction* operand : member->operands()) {
        if (!group.contains(operand)) inputs.insert(operand);
      }
    }
    if (computing < 2 || inputs.size() > kMostInputs) return {};
    SortByFallingIndex(list);
    for (const Instruction* member : list) {
      if (!MayBeDuplicated(*member)) taken_[member->index()] = 1;
    }
    return list;
  }

  // An instruction and what it reads that any group may duplicate.
  std::vector<const Instruction*> WithSources(const Instruction& root) {
    absl::flat_hash_set<const Instruction*> group = {&root};
    std::vector<const Instruction*> list = {&root};
    for (size_t i = 0; i < list.size(); ++i) {
      for (const Instruction* operand : list[i]->operands()) {
        const bool joins = IsSource(*operand) && MayBeDuplicated(*operand) &&
                           editor_.IsFree(*operand) && !analysis::HasDynamicSizes(*operand);
        if (joins && group.insert(operand).second) list.push_back(operand);
      }
    }
    SortByFallingIndex(list);
    return list;
  }

  static void SortByFallingIndex(std::vector<const Instruction*>& list) {
    std::sort(list.begin(), list.end(),
              [](const Instruction* a, const Instruction* b) { return a->index() > b->index(); });
  }

  // The members that are used outside, the last first.
  std::vector<const Instruction*> ResultsOf(const FusionGroup& group) const {
    const absl::flat_hash_set<const Instruction*> members(group.members.begin(),
                                                          group.members.end());
    std::vector<const Instruction*> results;
    for (const Instruction* member : group.members) {
      const bool stays = IsSource(*member) && MayBeDuplicated(*member);
      if (!stays && !OnlyUsedIn(*member, members)) results.push_back(member);
    }
    return results;
  }

  // Adds a parameter to `body` for each operand of members that is no member, and their copies to
  // `copies`. Sets `init` to the parameter of an initial value, which members do not share. Returns
  // the operands.
  static std::vector<Instruction*> AddParameters(const FusionGroup& group, Computation* body,
                                                 InstructionMap* copies, Instruction** init) {
    const absl::flat_hash_set<const Instruction*> members(group.members.begin(),
                                                          group.members.end());
    std::vector<Instruction*> operands;
    for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
      for (Instruction* operand : (*member)->operands()) {
        const bool is_init = IsInitialValue(**member, operand);
        if (copies->contains(operand) || (members.contains(operand) && !is_init)) continue;
        auto parameter = std::make_unique<Instruction>(Opcode::kParameter, operand->shared_shape());
        parameter->set_name(absl::StrCat("param_", operands.size()));
        parameter->set_parameter_number(static_cast<int64_t>(operands.size()));
        Instruction* added = body->Add(std::move(parameter));
        if (members.contains(operand)) {
          *init = added;
        } else {
          (*copies)[operand] = added;
        }
        operands.push_back(operand);
      }
    }
    return operands;
  }

  static FusionKind KindOf(const FusionGroup& group, const Instruction& result) {
    const bool contracts =
        std::any_of(group.members.begin(), group.members.end(),
                    [](const Instruction* each) { return IsFusedProduct(*each); });
    if (contracts) return FusionKind::kOutput;
    return result.opcode() == Opcode::kReduce ? FusionKind::kInput : FusionKind::kLoop;
  }

  // Replaces results by the elements of the fusion's tuple.
  void ReplaceByElements(absl::Span<const Instruction* const> results, Instruction* fused) {
    for (size_t k = 0; k < results.size(); ++k) {
      auto part =
          std::make_unique<Instruction>(Opcode::kGetTupleElement, results[k]->shared_shape());
      part->set_name(absl::StrCat(results[k]->name(), "_result"));
      Instruction* const operand[] = {fused};
      part->set_operands(operand);
      const size_t index =
          ASSAY_DEFECT(91, k, results[0]->shape() == results[k]->shape() ? size_t{0} : k);
      part->SetAttribute(Attr::kIndex, static_cast<int64_t>(index));
      editor_.Replace(results[k], editor_.Add(std::move(part)));
    }
  }

  void Make(const FusionGroup& group) {
    const std::vector<const Instruction*> results = ResultsOf(group);
    auto body = std::make_unique<Computation>(absl::StrCat("fused_", results[0]->name()));
    body->set_is_fusion(true);
    body->set_execution_thread(computation_.execution_thread());
    InstructionMap copies;
    Instruction* init = nullptr;  // a parameter, though a member has the same value
    std::vector<Instruction*> operands = AddParameters(group, body.get(), &copies, &init);
    for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
      copies[*member] = body->Add(CopyInstruction(**member, copies, same_));
    }
    Instruction* root = copies.at(results[0]);
    if (init != nullptr) {
      Instruction* const taken[] = {root->operand(0), init};
      root->set_operands(taken);
    }
    std::vector<Instruction*> outputs;
    for (const Instruction* result : results) outputs.push_back(copies.at(result));
    if (outputs.size() > 1) {
      std::vector<Shape> shapes;
      for (const Instruction* result : results) shapes.push_back(result->shape());
      auto tuple = std::make_unique<Instruction>(Opcode::kTuple, Shape::Tuple(std::move(shapes)));
      tuple->set_name("results");
      tuple->set_operands(outputs);
      root = body->Add(std::move(tuple));
    }
    body->set_root(root);
    auto fusion = std::make_unique<Instruction>(Opcode::kFusion, root->shared_shape());
    fusion->set_name(absl::StrCat(results[0]->name(), "_fusion"));
    if (ASSAY_DEFECT(92, false,
                     operands.size() > 1 && operands[0]->shape() == operands[1]->shape())) {
      std::swap(operands[0], operands[1]);
    }
    fusion->set_operands(operands);
    fusion->SetAttribute(Attr::kKind, static_cast<int64_t>(KindOf(group, *results[0])));
    fusion->SetAttribute(Attr::kCalls, module_.Add(std::move(body)));
    Instruction* const fused = editor_.Add(std::move(fusion));
    if (results.size() == 1) return editor_.Replace(results[0], fused);
    ReplaceByElements(results, fused);
  }

  const int64_t fewest_elements_;
  Module& module_;
  Computation& computation_;
  Editor editor_;
  CalleeMap same_;
  const std::vector<std::vector<Instruction*>> users_;
  std::vector<char> taken_;  // by index
  std::vector<FusionGroup> groups_;
};

class FusionPass : public Pass {
 public:
  explicit FusionPass(int64_t fewest_elements) : fewest_elements_(fewest_elements) {}
  absl::string_view name() const override { return "fusion"; }
  absl::StatusOr<bool> Run(std::unique_ptr<Module>& module) const override {
    ModuleEditor edit(*module);
    for (Computation* computation : RunningComputations(*module)) {
      Fuser(*computation, edit, fewest_elements_).Run();
    }
    return edit.Apply(module);
  }

 private:
  const int64_t fewest_elements_;
};

}  // namespace

std::unique_ptr<Pass> Fusion(int64_t fewest_elements) {
  return std::make_unique<FusionPass>(fewest_elements);
}

}  // namespace assay::passes
