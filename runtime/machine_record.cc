// How a machine records loops and branches (replay.h). The values of a loop's state have fixed
// places, to which every iteration copies what it has computed elsewhere. Every branch copies its
// results to the same places. Tests: backends/cuda/cuda_graphs_test.cc.
#include <algorithm>
#include <utility>

#include "runtime/machine.h"
#include "runtime/world.h"

namespace assay::runtime {

// The place of a value that is part of a loop's state or the result of a conditional. It holds the
// storage without being one of the value's owners, so that a kernel may overwrite it in place.
struct Machine::FixedPlace {
  int32_t slot = 0;
  const Shape* shape = nullptr;
  std::byte* data = nullptr;
  int64_t bytes = 0;
  BufferPtr block;
};

absl::Status Machine::RecordControl(const Step& step) {
  absl::Status status = step.kind == StepKind::kWhile ? RecordLoop(step) : RecordBranches(step);
  return status.ok() ? FinishStep(stack_.back(), step) : Locate(status, step);
}

RecordedPlaces Machine::Places() const {
  RecordedPlaces places;
  places.arguments = argument_places_;
  const Activation& top = stack_.back();
  for (const RootSlot& root : top.plan->roots) {
    places.results.push_back(PlaceOf(*top.plan, *top.frame, root.slot));
  }
  return places;
}

RecordedPlaces::Place Machine::PlaceOf(const ComputationPlan& plan, Frame& frame, int32_t slot) {
  const Slot& info = plan.slots[slot];
  if (!info.shape->is_array()) return {};
  return {Data(plan, frame, slot), info.bytes};
}

absl::StatusOr<Frame*> Machine::RecordCallee(const ComputationPlan& callee, Frame* frame) {
  const size_t floor = stack_.size();
  absl::Status status = Push(callee, frame);
  if (status.ok()) status = RunUntil(floor + 1);
  if (status.ok() && waits_for() != nullptr) {
    status = absl::FailedPreconditionError("a part of the record waits for another device");
  }
  if (!status.ok()) return status;
  return frame;
}

absl::StatusOr<Machine::FixedPlace> Machine::FixSlot(const ComputationPlan& plan, Frame& frame,
                                                     int32_t slot) {
  const Slot& info = plan.slots[slot];
  const BufferPtr& buffer = frame.buffers[info.place];
  if (StorageOf(buffer) == nullptr) {
    return absl::FailedPreconditionError("a value of the record is on its way");
  }
  return FixedPlace{slot, info.shape, buffer.get(), info.bytes, StorageOf(buffer)->block};
}

// A value that others hold, too, gets a place of its own.
absl::StatusOr<std::vector<Machine::FixedPlace>> Machine::FixState(const Step& step) {
  const Activation& top = stack_.back();
  std::vector<FixedPlace> state(step.results.size());
  for (size_t i = 0; i < step.results.size(); ++i) {
    const int32_t slot = step.results[i];
    Transfer(*top.plan, *top.frame, step.operands[i], step.uses[i] != OperandUse::kKeep, *top.plan,
             *top.frame, slot);
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    const int32_t slot = step.results[i];
    const Slot& info = top.plan->slots[slot];
    if (!info.shape->is_array()) continue;
    const BufferPtr shared = top.frame->buffers[info.place];
    const ValueStorage* const storage = StorageOf(shared);
    if (storage != nullptr && (shared.use_count() > 2 || storage->account == nullptr)) {
      absl::Status status = GiveBuffer(*top.plan, *top.frame, slot);
      if (status.ok()) {
        status = values_->CopyFrom(*values_, top.frame->buffers[info.place].get(), shared.get(),
                                   info.bytes);
      }
      if (!status.ok()) return status;
    }
    absl::StatusOr<FixedPlace> place = FixSlot(*top.plan, *top.frame, slot);
    if (!place.ok()) return place.status();
    state[i] = *std::move(place);
  }
  return state;
}

absl::Status Machine::RecordCondition(const Step& step, std::byte** decision) {
  const ComputationPlan& condition = *step.callees[0];
  const absl::StatusOr<Frame*> frame = TakeFrame(condition);
  if (!frame.ok()) return frame.status();
  PassState(step, 0, /*move=*/false, **frame);
  const absl::StatusOr<Frame*> done = RecordCallee(condition, *frame);
  if (!done.ok()) return done.status();
  absl::StatusOr<std::byte*> copied =
      recorder_->RecordDecision(Data(condition, **frame, condition.roots[0].slot), 1, *decision);
  if (!copied.ok()) return copied.status();
  *decision = *copied;
  stack_.pop_back();
  ReturnFrame(condition, *frame);
  return absl::OkStatus();
}

// Values that lie where others of the state are to be written are copied elsewhere first.
absl::Status Machine::CopyToPlaces(const ComputationPlan& plan, Frame& frame,
                                   absl::Span<const FixedPlace> places) {
  const auto is_place = [&](const std::byte* data) {
    return std::any_of(places.begin(), places.end(),
                       [&](const FixedPlace& place) { return place.data == data; });
  };
  std::vector<BufferPtr> sources(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].data == nullptr) continue;
    sources[i] = frame.buffers[plan.slots[plan.roots[i].slot].place];
    if (sources[i].get() == places[i].data || !is_place(sources[i].get())) continue;
    absl::StatusOr<BufferPtr> copy = AllocateValue(*values_, memory_, *places[i].shape);
    if (!copy.ok()) return copy.status();
    absl::Status status =
        values_->CopyFrom(*values_, copy->get(), sources[i].get(), places[i].bytes);
    if (!status.ok()) return status;
    sources[i] = *std::move(copy);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].data == nullptr || sources[i].get() == places[i].data) continue;
    absl::Status status =
        values_->CopyFrom(*values_, places[i].data, sources[i].get(), places[i].bytes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Makes the values at the places those of their slots.
absl::Status Machine::GivePlaces(absl::Span<const FixedPlace> places) {
  const Activation& top = stack_.back();
  for (const FixedPlace& place : places) {
    if (place.data == nullptr) continue;
    absl::Status status = memory_->Reserve(place.bytes, *place.shape);
    if (!status.ok()) return status;
    top.frame->buffers[top.plan->slots[place.slot].place] =
        BufferPtr(place.data, ValueStorage{place.block, values_, memory_, place.bytes});
  }
  return absl::OkStatus();
}

absl::Status Machine::RecordLoop(const Step& step) {
  const absl::StatusOr<std::vector<FixedPlace>> state = FixState(step);
  if (!state.ok()) return state.status();
  std::byte* decision = nullptr;
  absl::Status status;
  if (step.trips < 0) status = RecordCondition(step, &decision);
  if (status.ok()) status = recorder_->BeginLoop(decision, step.trips);
  if (!status.ok()) return status;
  const ComputationPlan& body = *step.callees[1];
  const absl::StatusOr<Frame*> frame = TakeFrame(body);
  if (!frame.ok()) return frame.status();
  PassState(step, 1, /*move=*/true, **frame);
  const absl::StatusOr<Frame*> done = RecordCallee(body, *frame);
  status = done.ok() ? CopyToPlaces(body, **frame, *state) : done.status();
  if (!status.ok()) return status;
  stack_.pop_back();
  ReturnFrame(body, *frame);
  status = GivePlaces(*state);
  if (status.ok()) status = context_.Charge(1);
  if (status.ok() && step.trips < 0) status = RecordCondition(step, &decision);
  return status.ok() ? recorder_->EndLoop() : status;
}

absl::Status Machine::RecordBranches(const Step& step) {
  const Activation parent = stack_.back();
  const Slot& selector = parent.plan->slots[step.operands[0]];
  const ElementType type = selector.shape->element_type();
  absl::StatusOr<std::byte*> decision = recorder_->RecordDecision(
      Data(*parent.plan, *parent.frame, step.operands[0]), StorageBytes(type), nullptr);
  absl::Status status = decision.status();
  if (status.ok()) status = recorder_->BeginBranches(*decision, type);
  std::vector<FixedPlace> results(step.results.size());
  for (size_t i = 0; status.ok() && i < step.results.size(); ++i) {
    if (!parent.plan->slots[step.results[i]].shape->is_array()) continue;
    status = GiveBuffer(*parent.plan, *parent.frame, step.results[i]);
    if (!status.ok()) break;
    absl::StatusOr<FixedPlace> place = FixSlot(*parent.plan, *parent.frame, step.results[i]);
    if (!place.ok()) return place.status();
    results[i] = *std::move(place);
  }
  size_t first = 1;
  for (size_t b = 0; status.ok() && b < step.callees.size(); ++b) {
    const ComputationPlan& branch = *step.callees[b];
    status = recorder_->BeginBranch();
    if (!status.ok()) return status;
    const absl::StatusOr<Frame*> frame = TakeFrame(branch);
    if (!frame.ok()) return frame.status();
    // The operands stay with the parent: another branch may read them, too. No array lies in a
    // frame, which is memory of the host.
    for (const int32_t i : step.given[b].others) {
      PassParameter(*parent.plan, *parent.frame, step.operands[first + i], /*move=*/false, branch,
                    **frame, i);
    }
    first += branch.parameters.size();
    const absl::StatusOr<Frame*> done = RecordCallee(branch, *frame);
    status = done.ok() ? CopyToPlaces(branch, **frame, results) : done.status();
    if (!status.ok()) return status;
    stack_.pop_back();
    ReturnFrame(branch, *frame);
  }
  return status.ok() ? recorder_->EndBranches() : status;
}

}  // namespace assay::runtime
