#include "backends/cuda/graph_replayer.h"

namespace assay::cuda {

RunGraph& GraphCache::Of(const Device& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return graphs_[&device];
}

// A run that has failed leaves its state to the next one.
GraphReplayer::~GraphReplayer() {
  if (graph_ == nullptr || context_.device == nullptr) return;
  context_.device->UsePool(nullptr);
  if (!context_.device->captures()) return;
  context_.device->EndCapture().IgnoreError();
  Refuse();
}

void GraphReplayer::Refuse() {
  graph_->state = RunGraph::State::kRefused;
  graph_->graph.reset();
  graph_->pool = nullptr;
}

runtime::Replayer::Mode GraphReplayer::Begin() {
  using State = RunGraph::State;
  absl::StatusOr<Device*> device = context_.UseDevice();
  if (!device.ok()) return Mode::kRun;  // the run meets the same error
  graph_ = &cache_->Of(**device);
  if (graph_->epoch != (*device)->epoch()) {
    *graph_ = RunGraph();
    graph_->epoch = (*device)->epoch();
  }
  switch (graph_->state) {
    case State::kNew:
      break;
    case State::kPlaced:
      graph_->pool = std::make_shared<BlockPool>();
      (*device)->UsePool(graph_->pool);
      break;
    case State::kCounted:
      return PrepareCapture();
    case State::kReady:
      return Mode::kReplay;
    case State::kRefused:
      break;
  }
  return Mode::kRun;
}

void GraphReplayer::End(int64_t steps) {
  using State = RunGraph::State;
  context_.device->UsePool(nullptr);
  // The host does not wait while a graph runs, so that a long one would exceed budgets of time.
  if (steps >= kMostStepsAhead) return Refuse();
  if (graph_->state == State::kNew) {
    graph_->state = State::kPlaced;
  } else if (graph_->state == State::kPlaced) {
    graph_->state = State::kCounted;
  }
}

runtime::Replayer::Mode GraphReplayer::PrepareCapture() {
  Device& device = *context_.device;
  if (!graph_->pool->AllocateCounted(device).ok()) {
    Refuse();
    return Mode::kRun;
  }
  device.UsePool(graph_->pool);
  return Mode::kRecord;
}

absl::Status GraphReplayer::StartRecording() {
  absl::Status status = context_.device->BeginCapture();
  if (!status.ok()) Refuse();
  return status;
}

absl::Status GraphReplayer::EndRecording(runtime::RecordedRun run) {
  Device& device = *context_.device;
  absl::StatusOr<DeviceGraph> graph = device.EndCapture();
  device.UsePool(nullptr);
  absl::Status status = graph.status();
  if (status.ok()) status = device.Launch(*graph);
  if (!status.ok()) {
    Refuse();
    return status;
  }
  graph_->graph = *std::move(graph);
  graph_->run = std::move(run);
  graph_->state = RunGraph::State::kReady;
  return status;
}

absl::Status GraphReplayer::Replay() { return context_.device->Launch(*graph_->graph); }

}  // namespace assay::cuda
