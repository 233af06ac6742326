// What every run of a plan would work out again: where the operands and results of kernels lie, and
// how values go from the frame of a caller to that of a callee and back. Loops on small arrays
// spend most of their time on it. Tests: interpreter/plan_values_test.cc, interpreter_bench.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/plan.h"

namespace assay::runtime {
namespace {

// Adds value number i, of which both frames have a slot.
void Add(const Slot& from, const Slot& to, int32_t i, Handover* handover) {
  if (!from.in_frame || to.sizes >= 0) {
    handover->others.push_back(i);
    return;
  }
  if (from.bytes == 0) return;  // a token, or an array without elements
  const auto bytes = static_cast<int32_t>(from.bytes);
  // Loading more bytes than the last store wrote there would wait for the cache: what is smaller
  // than a place is copied alone.
  if (bytes < kPlaceBytes) {
    handover->runs.push_back({from.place, to.place, bytes});
    return;
  }
  const auto size = static_cast<int32_t>((bytes + kPlaceBytes - 1) / kPlaceBytes * kPlaceBytes);
  if (!handover->runs.empty() && handover->runs.back().bytes >= kPlaceBytes) {
    Handover::Run& last = handover->runs.back();
    if (from.place == last.from + last.bytes && to.place == last.to + last.bytes) {
      last.bytes += size;
      return;
    }
  }
  handover->runs.push_back({from.place, to.place, size});
}

}  // namespace

void PlanBuilder::PrepareFrames() {
  std::vector<bool> is_constant(plan_->slots.size(), false);
  for (const auto& [slot, literal] : plan_->constants) is_constant[slot] = true;
  for (Step& step : plan_->steps) {
    std::vector<int32_t> with_buffers;
    for (const int32_t slot : step.dying) {
      if (!plan_->slots[slot].in_frame) with_buffers.push_back(slot);
    }
    step.dying = std::move(with_buffers);
    if (step.kind == StepKind::kKernel) PrepareKernelStep(step, is_constant);
    PrepareHandovers(step);
  }
  FindDirect();
}

void PlanBuilder::PrepareKernelStep(Step& step, const std::vector<bool>& is_constant) {
  step.first_operand = plan_->operand_count;
  step.first_result = plan_->result_count;
  plan_->operand_count += static_cast<int32_t>(step.operands.size());
  plan_->result_count += static_cast<int32_t>(step.results.size());
  step.is_fixed = true;
  for (const int32_t slot : step.operands) {
    step.is_fixed &= plan_->slots[slot].in_frame || is_constant[slot];
  }
  for (const int32_t slot : step.results) step.is_fixed &= plan_->slots[slot].in_frame;
}

void PlanBuilder::PrepareHandovers(Step& step) const {
  const bool loop = step.kind == StepKind::kWhile;
  // A loop's state lives in its results; a branch has its own part of the operands.
  const std::vector<int32_t>& values = loop ? step.results : step.operands;
  size_t first = step.kind == StepKind::kConditional ? 1 : 0;
  for (const ComputationPlan* callee : step.callees) {
    Handover& given = step.given.emplace_back();
    for (size_t i = 0; i < callee->parameters.size(); ++i) {
      const Slot& from = plan_->slots[values[first + i]];
      if (callee->is_unread[i] && from.in_frame) continue;
      Add(from, callee->slots[callee->parameters[i]], static_cast<int32_t>(i), &given);
    }
    if (!loop) first += callee->parameters.size();
    Handover& returned = step.returned.emplace_back();
    if (loop && step.returned.size() == 1) continue;  // the condition gives nothing back
    for (size_t i = 0; i < callee->roots.size(); ++i) {
      Add(callee->slots[callee->roots[i].slot], plan_->slots[step.results[i]],
          static_cast<int32_t>(i), &returned);
    }
  }
}

// A plan of kernels on values in frames, and of such calls, loops and branches inside each other,
// needs no activations: nothing in it waits, and nothing is passed on but bytes. A value that a
// step passes on otherwise is among the others of its handovers.
void PlanBuilder::FindDirect() {
  constexpr int32_t kMostLevels = 16;  // each takes some machine stack
  int32_t levels = 1;
  bool all = true;
  for (Step& step : plan_->steps) {
    if (step.kind == StepKind::kKernel) {
      all &= step.is_fixed;
      continue;
    }
    step.is_direct = !step.callees.empty();
    for (const ComputationPlan* callee : step.callees) {
      step.is_direct &= callee->direct_levels > 0;
      levels = std::max(levels, callee->direct_levels + 1);
    }
    for (const Handover& given : step.given) step.is_direct &= given.others.empty();
    for (const Handover& returned : step.returned) step.is_direct &= returned.others.empty();
    all &= step.is_direct;
  }
  plan_->direct_levels = all && levels <= kMostLevels ? levels : 0;
}

}  // namespace assay::runtime
