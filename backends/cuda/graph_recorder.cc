#include "backends/cuda/graph_recorder.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/cuda/cuda_context.h"

namespace assay::cuda {
namespace {

constexpr int64_t kAlignment = 64;
// The largest array that a graph copies. Larger ones are copied from and to the caller's memory.
constexpr int64_t kMostStaged = int64_t{4} << 20;
constexpr int64_t kMostStagedTogether = int64_t{64} << 20;
// Room for decisions and for arrays that are always the same.
constexpr int64_t kOtherStaged = int64_t{64} << 10;
// The largest numbers of operations of a graph, and of instructions of a record.
constexpr int64_t kMostOperations = 4096;
constexpr int64_t kMostSteps = int64_t{1} << 16;

absl::Status TooLarge(const char* what) {
  return absl::FailedPreconditionError(absl::StrCat("the record has too many ", what));
}

absl::Status NoArgument() {
  return absl::FailedPreconditionError("the record copies a large array that is no argument");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Staging>> Staging::Create(std::shared_ptr<Device> device,
                                                         int64_t bytes) {
  absl::StatusOr<std::byte*> data = device->AllocateHost(bytes);
  if (!data.ok()) return data.status();
  return std::unique_ptr<Staging>(new Staging(std::move(device), *data, bytes));
}

Staging::~Staging() {
  if (device_->epoch() == epoch_) device_->FreeHost(data_);  // a reset has freed it already
}

std::byte* Staging::Take(int64_t bytes) {
  const int64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (size > bytes_ - used_) return nullptr;
  used_ += size;
  return data_ + used_ - size;
}

GraphRecorder::~GraphRecorder() {
  if (devices_[0]->captures()) EndCaptures().status().IgnoreError();
  for (const std::shared_ptr<Device>& device : devices_) device->UsePool(nullptr);
  // Constants of kernels that were new have arrived.
  for (const std::shared_ptr<BlockPool>& pool : record_.pools) pool->WaitForBlocks().IgnoreError();
}

absl::Status GraphRecorder::Start(std::function<runtime::RunTotals()> totals,
                                  int64_t staged_bytes) {
  totals_ = std::move(totals);
  for (const std::shared_ptr<Device>& device : devices_) {
    // Constants and programs of kernels are there when a graph reads them.
    absl::Status status = device->HasWork() ? device->Synchronize() : absl::OkStatus();
    if (!status.ok()) return status;
    record_.pools.push_back(std::make_shared<BlockPool>(device->AnotherStream()));
    device->UsePool(record_.pools.back());
  }
  // Places in the staging memory are aligned; there may be as many as bytes.
  const int64_t bytes = std::min(2 * staged_bytes, kMostStagedTogether) + kOtherStaged;
  absl::StatusOr<std::unique_ptr<Staging>> staging = Staging::Create(devices_[0], bytes);
  if (!staging.ok()) return staging.status();
  record_.staging = *std::move(staging);
  top_ = std::make_unique<GraphPart>();
  top_->bodies.emplace_back();
  open_ = {top_.get()};
  return BeginGraph();
}

absl::StatusOr<GraphRecord> GraphRecorder::End(std::vector<runtime::RecordedPlaces> places,
                                               int64_t peak_bytes) {
  record_.places = std::move(places);
  record_.peak_bytes = peak_bytes;
  absl::Status status = StageResults();
  if (status.ok()) status = EndGraph();
  for (const std::shared_ptr<Device>& device : devices_) device->UsePool(nullptr);
  for (const std::shared_ptr<BlockPool>& pool : record_.pools) {
    if (status.ok()) status = pool->WaitForBlocks();
  }
  if (!status.ok()) return status;
  record_.parts = std::move(top_->bodies[0]);
  return std::move(record_);
}

absl::Status GraphRecorder::StageResults() {
  for (const runtime::RecordedPlaces& places : record_.places) {
    for (const runtime::RecordedPlaces::Place& place : places.arguments)
      unstaged_.erase(place.data);
  }
  if (!unstaged_.empty()) return NoArgument();
  for (size_t d = 0; d < devices_.size(); ++d) {
    for (const runtime::RecordedPlaces::Place& place : record_.places[d].results) {
      if (place.bytes == 0 || place.bytes > kMostStaged) continue;
      if (record_.staged_results.count(place.data) > 0) continue;
      std::byte* const to = record_.staging->Take(place.bytes);
      if (to == nullptr) continue;
      absl::Status status = devices_[d]->CopyOut(to, place.data, place.bytes);
      if (!status.ok()) return status;
      record_.staged_results[place.data] = to;
    }
  }
  return absl::OkStatus();
}

absl::Status GraphRecorder::CopyIn(Device& device, std::byte* to, const std::byte* from,
                                   int64_t bytes) {
  std::byte* const staged = bytes > kMostStaged ? nullptr : record_.staging->Take(bytes);
  // Arguments are copied before anything else, so that only the first array at a place may be one.
  const bool is_first = copied_.insert(to).second;
  if (staged == nullptr) {
    if (!is_first) return NoArgument();
    unstaged_.insert(to);
    return absl::OkStatus();
  }
  std::memcpy(staged, from, bytes);
  if (is_first) record_.staged_arguments.emplace(to, staged);
  return device.CopyIn(to, staged, bytes);
}

int64_t GraphRecorder::CountCaptured() const {
  int64_t captured = 0;
  for (const std::shared_ptr<Device>& device : devices_) captured += device->captured();
  return captured;
}

absl::Status GraphRecorder::AfterStep(int64_t* steps_ahead) {
  if (++steps_ > kMostSteps) return TooLarge("instructions");
  const bool is_large = CountCaptured() - captured_before_ >= kMostOperations;
  if (*steps_ahead < kMostStepsAhead && !is_large) return absl::OkStatus();
  *steps_ahead = 0;
  return NextGraph();
}

absl::Status GraphRecorder::BeginGraph() {
  before_ = totals_();
  captured_before_ = CountCaptured();
  absl::Status status = devices_[0]->BeginCapture();
  if (!status.ok() || devices_.size() == 1) return status;
  absl::StatusOr<DeviceEvent> begun = devices_[0]->Record();
  status = begun.status();
  for (size_t d = 1; status.ok() && d < devices_.size(); ++d) {
    status = devices_[d]->JoinCapture(*begun);
  }
  return status;
}

absl::StatusOr<DeviceGraph> GraphRecorder::EndCaptures() {
  absl::Status status;
  for (size_t d = 1; d < devices_.size(); ++d) {
    if (!devices_[d]->captures()) continue;
    absl::StatusOr<DeviceEvent> ended = devices_[d]->Record();
    status.Update(ended.status());
    if (ended.ok()) status.Update(devices_[0]->WaitFor(*ended));
  }
  absl::StatusOr<DeviceGraph> graph = devices_[0]->EndCapture();
  for (size_t d = 1; d < devices_.size(); ++d) devices_[d]->LeaveCapture();
  if (!status.ok()) return status;
  return graph;
}

absl::Status GraphRecorder::EndGraph() {
  absl::StatusOr<DeviceGraph> graph = EndCaptures();
  if (!graph.ok()) return graph.status();
  GraphPart part;
  const runtime::RunTotals after = totals_();
  part.totals = {after.steps - before_.steps, after.stored_bytes - before_.stored_bytes};
  if (CountCaptured() > captured_before_) part.graph = *std::move(graph);
  innermost().bodies.back().push_back(std::move(part));
  return absl::OkStatus();
}

absl::Status GraphRecorder::NextGraph() {
  absl::Status status = EndGraph();
  return status.ok() ? BeginGraph() : status;
}

absl::StatusOr<std::byte*> GraphRecorder::RecordDecision(const std::byte* scalar, int64_t bytes,
                                                         std::byte* to) {
  if (to == nullptr) to = record_.staging->Take(bytes);
  if (to == nullptr) return TooLarge("decisions");
  absl::Status status = devices_[0]->CopyOut(to, scalar, bytes);
  if (!status.ok()) return status;
  return to;
}

absl::Status GraphRecorder::BeginLoop(const std::byte* condition, int64_t trips) {
  if (absl::Status status = EndGraph(); !status.ok()) return status;
  GraphPart& loop = innermost().bodies.back().emplace_back();
  loop.kind = GraphPart::Kind::kLoop;
  loop.decision = condition;
  loop.trips = trips;
  loop.bodies.emplace_back();
  open_.push_back(&loop);
  return BeginGraph();
}

absl::Status GraphRecorder::EndLoop() {
  absl::Status status = EndGraph();
  open_.pop_back();
  return status.ok() ? BeginGraph() : status;
}

absl::Status GraphRecorder::BeginBranches(const std::byte* selector, ElementType type) {
  if (absl::Status status = EndGraph(); !status.ok()) return status;
  GraphPart& branches = innermost().bodies.back().emplace_back();
  branches.kind = GraphPart::Kind::kBranches;
  branches.decision = selector;
  branches.type = type;
  open_.push_back(&branches);
  return absl::OkStatus();
}

absl::Status GraphRecorder::BeginBranch() {
  if (!innermost().bodies.empty()) {
    if (absl::Status status = EndGraph(); !status.ok()) return status;
  }
  innermost().bodies.emplace_back();
  return BeginGraph();
}

absl::Status GraphRecorder::EndBranches() {
  absl::Status status = EndGraph();
  open_.pop_back();
  return status.ok() ? BeginGraph() : status;
}

}  // namespace assay::cuda
