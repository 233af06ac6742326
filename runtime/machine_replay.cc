// How a machine repeats a run (replay.h). Tests: backends/cuda/cuda_graphs_test.cc.
#include <utility>

#include "runtime/machine.h"

namespace assay::runtime {

void Machine::ChooseReplay(const Computation& computation) {
  auto* const device = dynamic_cast<DeviceState*>(state_.get());
  // A capture is seen by all streams that the host thread uses: several devices are not recorded.
  if (device == nullptr || !module_.repeats() || process_.grid().count() != 1) return;
  if (!options_.observers.empty() || &computation != module_.module().entry()) return;
  replayer_ = device->replayer();
  if (replayer_ != nullptr) replay_ = replayer_->Begin();
}

absl::Status Machine::StartReplay(const Computation& computation,
                                  absl::Span<const Literal> arguments) {
  const RecordedRun& run = replayer_->recorded();
  replayed_ = &computation;
  // The budgets that the recorded run has used.
  if (absl::Status status = context_.Charge(run.steps); !status.ok()) return status;
  if (absl::Status status = memory_->Reserve(run.peak_bytes); !status.ok()) return status;
  memory_->Release(run.peak_bytes);
  stored_bytes_ += run.stored_bytes;
  size_t next = 0;
  for (const Literal& argument : arguments) {
    for (const Literal& leaf : Flatten(argument)) {
      std::byte* const place = run.arguments[next++];
      if (place == nullptr || leaf.byte_size() == 0) continue;
      absl::Status status = values_->CopyIn(place, leaf.buffer(), leaf.byte_size());
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status Machine::StartRecording() {
  const Activation& top = stack_.back();
  for (const int32_t slot : top.plan->parameters) {
    const bool is_array = top.plan->slots[slot].shape->is_array();
    argument_places_.push_back(is_array ? Data(*top.plan, *top.frame, slot) : nullptr);
  }
  return replayer_->StartRecording();
}

absl::Status Machine::EndRecording() {
  const Activation& top = stack_.back();
  const ComputationPlan& plan = *top.plan;
  RecordedRun run;
  run.arguments = std::move(argument_places_);
  for (const RootSlot& root : plan.roots) {
    const bool is_array = plan.slots[root.slot].shape->is_array();
    run.results.push_back(is_array ? Data(plan, *top.frame, root.slot) : nullptr);
  }
  run.steps = context_.budget->spent();
  run.stored_bytes = stored_bytes_;
  run.peak_bytes = memory_->peak();
  return replayer_->EndRecording(std::move(run));
}

Literal Machine::ReplayedResult() const {
  std::vector<Literal> leaves;
  const Shape& shape = replayed_->root()->shape();
  for (const Shape* leaf : Leaves(shape)) {
    std::byte* const place = replayer_->recorded().results[leaves.size()];
    // The record owns the storage.
    leaves.push_back(leaf->is_array()
                         ? Literal::FromBuffer(
                               *leaf, BufferPtr(place, ValueStorage{nullptr, values_, nullptr, 0}))
                         : Literal::Token());
  }
  return Unflatten(shape, leaves);
}

}  // namespace assay::runtime
