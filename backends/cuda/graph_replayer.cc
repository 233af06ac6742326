#include "backends/cuda/graph_replayer.h"

#include <algorithm>
#include <cstring>

#include "backends/cuda/cuda_context.h"
#include "backends/cuda/device/emulated_runtime.h"

namespace assay::cuda {

RunGraphs& GraphCache::Of(const std::vector<std::shared_ptr<Device>>& devices) {
  std::vector<const Device*> key;
  for (const std::shared_ptr<Device>& device : devices) key.push_back(device.get());
  const std::lock_guard<std::mutex> lock(mutex_);
  return graphs_[key];
}

GraphReplayer::~GraphReplayer() {
  recorder_ = nullptr;
  for (const std::shared_ptr<Device>& device : devices_) {
    if (device->HasWork()) device->Synchronize().IgnoreError();  // of a run that has failed already
  }
  // The next run gets those of one place in the same order.
  for (; !devices_.empty(); devices_.pop_back()) pool_->Return(std::move(devices_.back()));
}

runtime::Replayer::Mode GraphReplayer::Begin() {
  for (int64_t d = 0; d < count_; ++d) {
    absl::StatusOr<std::shared_ptr<Device>> device = pool_->Take();
    if (!device.ok()) {  // the run meets the same error
      for (std::shared_ptr<Device>& taken : devices_) pool_->Return(std::move(taken));
      devices_.clear();
      return Mode::kRun;
    }
    devices_.push_back(*std::move(device));
    before_.push_back(devices_.back()->counts());
  }
  std::vector<int64_t> epochs;
  for (const std::shared_ptr<Device>& device : devices_) epochs.push_back(device->epoch());
  graphs_ = &cache_->Of(devices_);
  if (graphs_->epochs != epochs) {
    *graphs_ = RunGraphs();
    graphs_->epochs = std::move(epochs);
    if (cache_->at_once()) graphs_->state = RunGraphs::State::kHasRun;
  }
  switch (graphs_->state) {
    case RunGraphs::State::kHasRun:
      if (graphs_->runs_before_record > 0) {
        --graphs_->runs_before_record;
        return Mode::kRun;
      }
      recorder_ = std::make_unique<GraphRecorder>(devices_);
      return Mode::kRecord;
    case RunGraphs::State::kReady:
      return Mode::kReplay;
    default:
      return Mode::kRun;
  }
}

std::unique_ptr<runtime::EngineState> GraphReplayer::NewState(int64_t device) {
  return make_state_(devices_.empty() ? nullptr : devices_[device], recorder_.get());
}

void GraphReplayer::AfterRun() {
  if (graphs_ != nullptr && graphs_->state == RunGraphs::State::kNew) {
    graphs_->state = RunGraphs::State::kHasRun;
  }
}

absl::StatusOr<runtime::Recorder*> GraphReplayer::StartRecording(
    std::function<runtime::RunTotals()> totals, int64_t staged_bytes) {
  absl::Status status = recorder_->Start(std::move(totals), staged_bytes);
  if (!status.ok()) return status;
  return recorder_.get();
}

absl::Status GraphReplayer::EndRecording(std::vector<runtime::RecordedPlaces> places,
                                         int64_t peak_bytes) {
  absl::StatusOr<GraphRecord> record = recorder_->End(std::move(places), peak_bytes);
  if (!record.ok()) return record.status();
  graphs_->record = *std::move(record);
  graphs_->state = RunGraphs::State::kReady;
  return absl::OkStatus();
}

void GraphReplayer::RefuseRecord() {
  recorder_ = nullptr;
  graphs_->state = RunGraphs::State::kRefused;
}

void GraphReplayer::DropRecord() {
  recorder_ = nullptr;
  graphs_->runs_before_record = graphs_->runs_after_drop;
  graphs_->runs_after_drop = std::max<int64_t>(1, 2 * graphs_->runs_after_drop);
}

absl::StatusOr<std::vector<Literal>> GraphReplayer::Replay(
    absl::Span<const std::vector<Literal>> arguments, const Shape& result, runtime::Budget& budget,
    int64_t* stored_bytes) {
  budget_ = &budget;
  absl::Status status = CopyArguments(arguments);
  if (status.ok()) status = RunParts(graphs_->record.parts);
  std::vector<std::vector<Literal>> results(devices_.size());  // by device and leaf
  for (std::vector<Literal>& leaves : results) {
    for (const Shape* leaf : Leaves(result)) {
      leaves.push_back(leaf->is_array() ? Literal::Zeros(*leaf) : Literal::Token());
    }
  }
  if (status.ok()) status = CopyResults(results);
  absl::Status waited = Wait();
  if (status.ok()) status = waited;
  *stored_bytes += stored_bytes_;
  if (!status.ok()) return status;
  std::vector<Literal> values;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const std::vector<runtime::RecordedPlaces::Place>& places = graphs_->record.places[d].results;
    for (size_t i = 0; i < places.size(); ++i) {
      const auto staged = graphs_->record.staged_results.find(places[i].data);
      if (places[i].bytes == 0 || staged == graphs_->record.staged_results.end()) continue;
      std::memcpy(results[d][i].mutable_data(), staged->second, places[i].bytes);
    }
    values.push_back(Unflatten(result, results[d]));
  }
  return values;
}

absl::Status GraphReplayer::CopyArguments(absl::Span<const std::vector<Literal>> arguments) {
  const GraphRecord& record = graphs_->record;
  for (size_t d = 0; d < devices_.size(); ++d) {
    size_t next = 0;
    for (const Literal& argument : arguments[d]) {
      for (const Literal& leaf : Flatten(argument)) {
        const runtime::RecordedPlaces::Place& place = record.places[d].arguments[next++];
        if (place.bytes == 0) continue;
        const auto staged = record.staged_arguments.find(place.data);
        if (staged != record.staged_arguments.end()) {
          std::memcpy(staged->second, leaf.data(), place.bytes);
          continue;
        }
        devices_[d]->Keep(leaf.buffer());
        absl::Status status = devices_[d]->CopyIn(place.data, leaf.data(), place.bytes);
        if (!status.ok()) return status;
      }
    }
    if (d == 0 || !devices_[d]->HasWork()) continue;
    absl::StatusOr<DeviceEvent> copied = devices_[d]->Record();
    if (!copied.ok()) return copied.status();
    if (absl::Status status = devices_[0]->WaitFor(*copied); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphReplayer::RunParts(const std::vector<GraphPart>& parts) {
  for (const GraphPart& part : parts) {
    absl::Status status;
    switch (part.kind) {
      case GraphPart::Kind::kGraph:
        status = RunGraph(part);
        break;
      case GraphPart::Kind::kLoop:
        status = RunLoop(part);
        break;
      case GraphPart::Kind::kBranches: {
        steps_ahead_ = 0;
        status = devices_[0]->Synchronize();
        if (!status.ok()) break;
        const Element selector = LoadElement(part.type, part.decision, 0);
        const auto branches = static_cast<int64_t>(part.bodies.size());
        status = RunParts(part.bodies[runtime::SelectedBranch(part.type, selector, branches)]);
        break;
      }
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphReplayer::RunGraph(const GraphPart& part) {
  absl::Status status = budget_->ChargeCostly(part.totals.steps);
  if (!status.ok()) return status;
  stored_bytes_ += part.totals.stored_bytes;
  if (part.graph.has_value()) status = devices_[0]->Launch(*part.graph);
  steps_ahead_ += part.totals.steps;
  if (!status.ok() || steps_ahead_ < kMostStepsAhead) return status;
  steps_ahead_ = 0;
  return devices_[0]->Synchronize();
}

absl::Status GraphReplayer::RunLoop(const GraphPart& loop) {
  for (int64_t i = 0; loop.decision != nullptr || i < loop.trips; ++i) {
    if (loop.decision != nullptr) {
      steps_ahead_ = 0;
      if (absl::Status status = devices_[0]->Synchronize(); !status.ok()) return status;
      if ((*loop.decision & std::byte{1}) == std::byte{0}) break;
    }
    if (absl::Status status = RunParts(loop.bodies[0]); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphReplayer::CopyResults(std::vector<std::vector<Literal>>& results) {
  const GraphRecord& record = graphs_->record;
  for (size_t d = 0; d < devices_.size(); ++d) {
    bool waits = d > 0;  // the graphs run in the order of the first stream
    for (size_t i = 0; i < results[d].size(); ++i) {
      const runtime::RecordedPlaces::Place& place = record.places[d].results[i];
      if (place.bytes == 0 || record.staged_results.count(place.data) > 0) continue;
      if (std::exchange(waits, false)) {
        absl::StatusOr<DeviceEvent> computed = devices_[0]->Record();
        if (!computed.ok()) return computed.status();
        absl::Status status = devices_[d]->WaitFor(*computed);
        if (!status.ok()) return status;
      }
      absl::Status status =
          devices_[d]->CopyOut(results[d][i].mutable_data(), place.data, place.bytes);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status GraphReplayer::Wait() {
  absl::Status status;
  for (const std::shared_ptr<Device>& device : devices_) {
    if (device->HasWork()) status.Update(device->Synchronize());
  }
  return status;
}

void GraphReplayer::AddStats(runtime::RunStats& stats) const {
  auto* const counted = dynamic_cast<CudaStats*>(&stats);
  if (counted == nullptr) return;
  for (size_t d = 0; d < devices_.size(); ++d) {
    counted->device += devices_[d]->counts() - before_[d];
  }
  TakeTraces(pool_->api(), *counted);
}

}  // namespace assay::cuda
