// Data movement in a plan: views that users read through, views that are stored after all, and
// small ones of constants, which become constants themselves. Tests: views_test.cc.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/plan.h"
#include "runtime/view_copy.h"

namespace assay::runtime {

bool PlanBuilder::IsView(const Instruction& instruction) const {
  return views_.contains(&instruction);
}

View PlanBuilder::AsView(const Instruction& instruction) const {
  auto view = views_.find(&instruction);
  if (view != views_.end()) return view->second;
  return View::Dense(instruction.shape().dimensions(), (*SlotsOf(instruction))[0]);
}

std::optional<View> PlanBuilder::ComposeView(const Instruction& instruction) {
  if (!instruction.shape().ByteSize().ok()) return std::nullopt;  // refused when it is to be stored
  std::vector<View> operands;
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().is_array() || operand->shape().is_dynamic()) return std::nullopt;
    operands.push_back(AsView(*operand));
  }
  std::optional<View> view = ViewOf(instruction, operands);
  if (view.has_value() || instruction.opcode() != Opcode::kReshape) return view;
  // A reshape of what is not stored may need division; one of what is stored never does.
  if (IsView(*instruction.operand(0))) StoreView(*instruction.operand(0));
  return ViewOf(instruction, {AsView(*instruction.operand(0))});
}

absl::Status PlanBuilder::VisitMovement(const Instruction& instruction) {
  const std::optional<View> view = ComposeView(instruction);
  if (!view.has_value()) return VisitStep(instruction, Step());
  absl::flat_hash_map<int64_t, int64_t> sources;  // bytes by slot
  for (const ViewPiece& piece : view->pieces()) {
    sources[piece.source] = plan_->slots[piece.source].bytes;
  }
  int64_t source_bytes = 0;
  for (const auto& [slot, bytes] : sources) source_bytes += bytes;
  bool of_views = false;
  for (const Instruction* operand : instruction.operands()) of_views |= IsView(*operand);
  if (FoldConstants(instruction, *view)) return absl::OkStatus();
  const bool stays = view_choice_->ShouldStayView(instruction, *view, source_bytes);
  if (!stays && !of_views) return VisitStep(instruction, Step());
  views_.emplace(&instruction, *view);
  if (!stays) StoreView(instruction);
  return absl::OkStatus();
}

View PlanBuilder::WithSlotsAsOperands(const View& view, std::vector<int32_t>* slots) {
  absl::flat_hash_map<int64_t, int64_t> numbers;
  return view.WithSources([&](int64_t slot) {
    auto [number, is_new] = numbers.emplace(slot, slots->size());
    if (is_new) slots->push_back(static_cast<int32_t>(slot));
    return number->second;
  });
}

void PlanBuilder::StoreView(const Instruction& instruction) {
  auto found = views_.find(&instruction);
  Step step;
  const View view = WithSlotsAsOperands(found->second, &step.operands);
  const ElementType type = instruction.shape().element_type();
  views_.erase(found);
  KernelOr kernel = device_ == nullptr ? std::make_unique<ViewCopy>(view, type)
                                       : device_->PrepareViewCopy(view, type);
  if (!kernel.ok()) {
    refusal_ = absl::Status(kernel.status().code(),
                            absl::StrCat(kernel.status().message(), ": ", instruction.Describe()));
    return;
  }
  step.kernel = *std::move(kernel);
  AddStep(instruction, std::move(step));
}

bool PlanBuilder::FoldConstants(const Instruction& instruction, const View& view) {
  if (module_.has_transfers()) return false;  // values are known by buffers of their own
  constexpr int64_t kMostFolded = 1 << 16;    // bytes that every frame of the plan holds for it
  const Shape& shape = instruction.shape();
  const int64_t bytes = shape.ByteSize().value_or(kSmallBytes + 1);
  if (bytes > kSmallBytes || folded_bytes_ + bytes > kMostFolded) return false;
  for (const ViewPiece& piece : view.pieces()) {
    if (!constant_of_slot_.contains(static_cast<int32_t>(piece.source))) return false;
  }
  std::vector<int32_t> slots;
  const ViewCopy copy(WithSlotsAsOperands(view, &slots), shape.element_type());
  std::vector<ArrayRef> operands;
  for (const int32_t slot : slots) {
    const Literal& literal = plan_->constants[constant_of_slot_.at(slot)].second;
    operands.push_back({&literal.shape(), literal.data()});
  }
  Literal folded = Literal::Zeros(shape);
  const MutableArrayRef result = {&folded.shape(), folded.mutable_data()};
  Context context;
  if (!copy.Execute(operands, {&result, 1}, context).ok()) return false;
  folded_bytes_ += bytes;
  SlotList slot = NewSlots(shape);
  AddConstant((*slot)[0], std::move(folded));
  slots_of_[instruction.index()] = std::move(slot);
  return true;
}

KernelOr PlanBuilder::PrepareOnViews(const Instruction& instruction,
                                     std::vector<int32_t>* slots) const {
  bool any = false;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    auto view = views_.find(instruction.operand(k));
    if (view == views_.end()) continue;
    if (!ViewChoice::CanReadThrough(instruction, k, view->second)) return nullptr;
    any = true;
  }
  if (!any) return nullptr;
  std::vector<View> views;
  for (const Instruction* operand : instruction.operands()) {
    // A slot that two operands read is listed for both: the step may overwrite neither.
    absl::flat_hash_map<int64_t, int64_t> numbers;
    views.push_back(AsView(*operand).WithSources([&](int64_t slot) {
      auto [number, is_new] = numbers.emplace(slot, slots->size());
      if (is_new) slots->push_back(static_cast<int32_t>(slot));
      return number->second;
    }));
  }
  KernelOr kernel = engine_.PrepareOnViews(instruction, views);
  if (!kernel.ok() || *kernel == nullptr) slots->clear();
  return kernel;
}

}  // namespace assay::runtime
