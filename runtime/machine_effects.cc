// How a machine runs effects: it starts them, waits for what is not there yet, and takes up later
// what left before. Tests: world_test.cc.
#include <optional>
#include <utility>

#include "runtime/machine.h"

namespace assay::runtime {
namespace {

// The first slot that has a buffer.
std::optional<int32_t> FirstArray(const ComputationPlan& plan, absl::Span<const int32_t> slots) {
  for (const int32_t slot : slots) {
    if (!plan.slots[slot].in_frame) return slot;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<PendingPtr> Machine::StartEffect(const Step& step) {
  const Activation& top = stack_.back();
  std::vector<Literal> operands;
  operands.reserve(step.operands.size());
  for (const int32_t slot : step.operands) {
    operands.push_back(ReadSlot(*top.plan, *top.frame, slot));
  }
  absl::StatusOr<PendingPtr> pending = step.effect->Start(operands, Path(), process_, context_);
  if (stats_ != nullptr) state_->AfterStep(*step.instruction);
  return pending;
}

absl::Status Machine::RunEffect(const Step& step) {
  if (pending_ == nullptr) {
    absl::StatusOr<PendingPtr> pending = StartEffect(step);
    if (!pending.ok()) return pending.status();
    pending_ = *std::move(pending);
  }
  return TakePending(step, pending_);
}

absl::Status Machine::TakePending(const Step& step, PendingPtr pending) {
  pending_ = pending;
  if (!pending->ready()) return absl::OkStatus();
  absl::StatusOr<std::vector<Literal>> leaves = pending->Take();
  if (!leaves.ok()) return leaves.status();
  pending_ = nullptr;
  Activation& top = stack_.back();
  for (size_t i = 0; i < leaves->size(); ++i) {
    absl::Status status = WriteSlot(*top.plan, *top.frame, step.results[i], (*leaves)[i]);
    if (!status.ok()) return status;
  }
  return FinishStep(top, step);
}

// The storage of the first array of the results stands for all of them until they are awaited; it
// is a buffer of its own, since modules with transfers keep no small arrays in frames. It holds
// nothing, but where observers may look at it.
absl::Status Machine::Depart(const Step& step) {
  if (pending_ == nullptr) {
    absl::StatusOr<PendingPtr> started = StartEffect(step);
    if (!started.ok()) return started.status();
    pending_ = *std::move(started);
  }
  if (pending_->delays_start() && !pending_->ready()) return absl::OkStatus();
  PendingPtr pending = std::exchange(pending_, nullptr);
  const Activation& top = stack_.back();  // reducers may have run above it
  const BufferPtr nothing = std::make_shared<std::byte[]>(1);
  for (const int32_t slot : step.results) {
    const Slot& result = top.plan->slots[slot];
    if (result.in_frame) continue;  // a token
    if (options_.observers.empty()) {
      top.frame->buffers[result.place] = nothing;
      continue;
    }
    absl::Status status = GiveBuffer(*top.plan, *top.frame, slot);
    if (!status.ok()) return status;
  }
  const std::optional<int32_t> first = FirstArray(*top.plan, step.results);
  if (!first.has_value()) return absl::OkStatus();  // there is nothing to come
  const BufferPtr& storage = top.frame->buffers[top.plan->slots[*first].place];
  process_.departures()[storage.get()] = {storage, std::move(pending)};
  return absl::OkStatus();
}

absl::Status Machine::Await(const Step& step) {
  Activation& top = stack_.back();
  if (const std::optional<int32_t> first = FirstArray(*top.plan, step.operands)) {
    const std::byte* key = Data(*top.plan, *top.frame, *first);
    const auto departure = process_.departures().find(key);
    if (departure != process_.departures().end()) {
      const PendingPtr pending = departure->second.pending;
      if (pending->ready()) process_.departures().erase(departure);
      return TakePending(step, pending);
    }
  }
  // It was there when it started.
  for (size_t i = 0; i < step.operands.size(); ++i) {
    Transfer(*top.plan, *top.frame, step.operands[i], step.uses[i] != OperandUse::kKeep, *top.plan,
             *top.frame, step.results[i]);
  }
  return FinishStep(top, step);
}

}  // namespace assay::runtime
