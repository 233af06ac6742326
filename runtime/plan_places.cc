// Where the values of a plan lie. The arena of a frame is laid out by lifetimes: values that are
// never alive together share bytes, and so do the operand and the result of a kernel that may
// overwrite the one by the other. Tests: arena_layout_test.cc, interpreter/plan_memory_test.cc,
// plan_values_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/arena_layout.h"
#include "runtime/plan.h"

namespace assay::runtime {
namespace {

// Larger values take long to compute, beside which a buffer of their own is cheap.
constexpr int64_t kMostLocalBytes = int64_t{1} << 17;
// Of one arena. A frame keeps its arena until the run ends, so that this is what a plan may hold
// without need.
constexpr int64_t kMostArenaBytes = int64_t{1} << 22;
constexpr int64_t kLocalAlignment = 64;  // a cache line, and the widest vector

// The values that never leave their frame: kernels make them, and only kernels read them.
class LocalValues {
 public:
  explicit LocalValues(const ComputationPlan& plan)
      : plan_(plan), is_local_(plan.slots.size(), false), donors_(plan.slots.size(), -1) {
    for (const Step& step : plan.steps) {
      if (step.kind != StepKind::kKernel) continue;
      for (const int32_t slot : step.results) is_local_[slot] = MayBeLocal(plan.slots[slot]);
    }
    for (const Step& step : plan.steps) {
      if (step.kind != StepKind::kKernel) Exclude(step);
    }
    for (const RootSlot& root : plan.roots) is_local_[root.slot] = false;
    JoinDonors();
  }

  bool contains(int32_t slot) const { return is_local_[slot]; }
  // The local value whose place the local value gets, or -1.
  int32_t DonorOf(int32_t slot) const { return donors_[slot]; }
  void Clear() { is_local_.assign(is_local_.size(), false); }

 private:
  static bool MayBeLocal(const Slot& slot) {
    return !slot.in_frame && slot.bytes > 0 && slot.bytes <= kMostLocalBytes &&
           !slot.shape->is_dynamic();
  }
  void Exclude(const Step& step) {
    for (const int32_t slot : step.operands) is_local_[slot] = false;
    for (const int32_t slot : step.results) is_local_[slot] = false;
  }
  // The operand that may become the first result of the step, or -1.
  int32_t Donor(const Step& step) const {
    if (step.kind != StepKind::kKernel || step.results.empty()) return -1;
    const int operand = step.kernel->in_place_operand();
    if (operand < 0 || step.uses[operand] != OperandUse::kSole) return -1;
    const Slot& donor = plan_.slots[step.operands[operand]];
    const Slot& result = plan_.slots[step.results[0]];
    return !donor.in_frame && !result.in_frame && donor.bytes == result.bytes
               ? step.operands[operand]
               : -1;
  }
  // Values that overwrite each other one after the other are all local or all buffers, for a buffer
  // that comes from outside or goes there may be passed on from the first of them to the last.
  void JoinDonors() {
    for (const Step& step : plan_.steps) {
      const int32_t donor = Donor(step);
      if (donor < 0) continue;
      donors_[step.results[0]] = donor;
      if (!is_local_[donor]) is_local_[step.results[0]] = false;
    }
    for (size_t i = plan_.steps.size(); i-- > 0;) {
      const std::vector<int32_t>& results = plan_.steps[i].results;
      if (results.empty() || donors_[results[0]] < 0 || is_local_[results[0]]) continue;
      is_local_[donors_[results[0]]] = false;
    }
  }

  const ComputationPlan& plan_;
  std::vector<bool> is_local_;
  std::vector<int32_t> donors_;
};

class Places {
 public:
  Places(ComputationPlan& plan, LocalValues locals) : plan_(plan), locals_(std::move(locals)) {}

  void Assign(int32_t number) {
    Slot& slot = plan_.slots[number];
    if (locals_.contains(number)) AssignLocal(number);
    if (slot.is_local) return;
    if (slot.in_frame) {
      slot.place = static_cast<int32_t>(small_.Take(SmallBytes(slot), kPlaceBytes));
    } else if (!free_buffers_.empty()) {
      slot.place = free_buffers_.back();
      free_buffers_.pop_back();
    } else {
      slot.place = plan_.buffer_count++;
    }
  }
  void AssignStep(Step& step) {
    for (const int32_t slot : step.results) {
      Assign(slot);
      step.makes_local |= plan_.slots[slot].is_local;
    }
    const int32_t donor = step.results.empty() ? -1 : locals_.DonorOf(step.results[0]);
    step.takes_place = donor >= 0 && plan_.slots[step.results[0]].is_local;
    for (const int32_t slot : step.dying) {
      if (!step.takes_place || slot != donor) Release(plan_.slots[slot], step);
    }
  }
  int64_t small_bytes() const { return small_.size(); }
  int64_t local_bytes() const { return local_.size(); }

 private:
  static int64_t SmallBytes(const Slot& slot) {
    return (slot.bytes + kPlaceBytes - 1) / kPlaceBytes * kPlaceBytes;
  }
  static int64_t LocalBytes(const Slot& slot) {
    return (slot.bytes + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
  }
  // Of those that overwrite each other, the first is assigned first, and the others follow it.
  void AssignLocal(int32_t number) {
    Slot& slot = plan_.slots[number];
    const int32_t donor = locals_.DonorOf(number);
    if (donor >= 0) {
      slot.is_local = slot.in_frame = plan_.slots[donor].is_local;
      slot.place = plan_.slots[donor].place;
      return;
    }
    const int64_t place = local_.Take(LocalBytes(slot), kLocalAlignment, kMostArenaBytes);
    if (place == ArenaLayout::kNoRoom) return;
    slot.is_local = slot.in_frame = true;
    slot.place = static_cast<int32_t>(place);
  }
  void Release(const Slot& slot, Step& step) {
    if (slot.is_local) {
      step.released_bytes += slot.bytes;
      local_.Give(slot.place, LocalBytes(slot));
    } else if (slot.in_frame) {
      small_.Give(slot.place, SmallBytes(slot));
    } else {
      free_buffers_.push_back(slot.place);
    }
  }

  ComputationPlan& plan_;
  LocalValues locals_;
  ArenaLayout small_, local_;
  std::vector<int32_t> free_buffers_;
};

}  // namespace

void PlanBuilder::AssignPlaces() {
  // Observers look at values when they like, values on their way are known by their buffers, and
  // the arena lies in the host's memory.
  LocalValues locals(*plan_);
  if (options_.observed || module_.has_transfers() || device_ != nullptr) locals.Clear();
  Places places(*plan_, std::move(locals));
  for (const int32_t slot : plan_->parameters) places.Assign(slot);
  for (const auto& [slot, literal] : plan_->constants) places.Assign(slot);
  // What no step makes is a token, which has no bytes.
  for (Step& step : plan_->steps) places.AssignStep(step);
  // Small values, current sizes, local values.
  plan_->small_bytes = places.small_bytes();
  for (Slot& slot : plan_->slots) {
    if (!slot.shape->is_array() || !slot.shape->is_dynamic()) continue;
    slot.sizes = static_cast<int32_t>(plan_->small_bytes);
    plan_->small_bytes += slot.shape->rank() * static_cast<int64_t>(sizeof(int64_t));
  }
  const int64_t first_local =
      (plan_->small_bytes + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
  plan_->arena_bytes = first_local + places.local_bytes();
  for (Slot& slot : plan_->slots) {
    if (slot.is_local) slot.place += static_cast<int32_t>(first_local);
  }
}

}  // namespace assay::runtime
