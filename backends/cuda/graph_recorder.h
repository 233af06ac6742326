// Records a run as graphs (runtime/replay.h). A part without decisions is one graph, into which the
// streams of all devices are captured. Small arguments, results and decisions are copied by nodes
// of the graphs from and to page-locked memory. Memory comes from pools. Tests:
// cuda_graphs_test.cc, cuda_records_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_GRAPH_RECORDER_H_
#define ASSAY_BACKENDS_CUDA_GRAPH_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backends/cuda/device/block_pool.h"
#include "backends/cuda/device/device.h"
#include "runtime/replay.h"

namespace assay::cuda {

// A part of a recorded run: a graph, a loop or branches.
struct GraphPart {
  enum class Kind : uint8_t { kGraph, kLoop, kBranches };
  Kind kind = Kind::kGraph;
  std::optional<DeviceGraph> graph;  // nullopt if the part has no work
  runtime::RunTotals totals;         // of the graph
  // The scalar on the host that decides; null for a loop of `trips` iterations.
  const std::byte* decision = nullptr;
  ElementType type = ElementType::kPred;
  int64_t trips = 0;
  std::vector<std::vector<GraphPart>> bodies;  // of the loop, or of each branch
};

// Page-locked memory of the host from which graphs copy, and to which they copy.
class Staging {
 public:
  static absl::StatusOr<std::unique_ptr<Staging>> Create(std::shared_ptr<Device> device,
                                                         int64_t bytes);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  // Returns null if there is not enough room.
  std::byte* Take(int64_t bytes);

 private:
  Staging(std::shared_ptr<Device> device, std::byte* data, int64_t bytes)
      : device_(std::move(device)), epoch_(device_->epoch()), data_(data), bytes_(bytes) {}
  const std::shared_ptr<Device> device_;
  const int64_t epoch_;
  std::byte* const data_;
  const int64_t bytes_;
  int64_t used_ = 0;
};

// What a record consists of. Members are destroyed from the last to the first.
struct GraphRecord {
  std::vector<std::shared_ptr<BlockPool>> pools;  // by device
  std::unique_ptr<Staging> staging;
  std::vector<runtime::RecordedPlaces> places;                              // by device
  std::map<const std::byte*, std::byte*> staged_arguments, staged_results;  // by place
  int64_t peak_bytes = 0;
  std::vector<GraphPart> parts;
};

class GraphRecorder : public runtime::Recorder {
 public:
  explicit GraphRecorder(std::vector<std::shared_ptr<Device>> devices)
      : devices_(std::move(devices)) {}
  // Ends a capture that has failed.
  ~GraphRecorder() override;

  absl::Status Start(std::function<runtime::RunTotals()> totals, int64_t staged_bytes);
  absl::StatusOr<GraphRecord> End(std::vector<runtime::RecordedPlaces> places, int64_t peak_bytes);

  // Records a copy of an array to a device: of an argument, which every run brings anew, or of a
  // small array that is always the same.
  absl::Status CopyIn(Device& device, std::byte* to, const std::byte* from, int64_t bytes);
  // Called after each instruction. Starts another graph, and sets `steps_ahead` to 0, where the
  // host shall wait or the graph has become large.
  absl::Status AfterStep(int64_t* steps_ahead);

  bool RecordsDecisions() const override { return devices_.size() == 1; }
  absl::StatusOr<std::byte*> RecordDecision(const std::byte* scalar, int64_t bytes,
                                            std::byte* to) override;
  absl::Status BeginLoop(const std::byte* condition, int64_t trips) override;
  absl::Status EndLoop() override;
  absl::Status BeginBranches(const std::byte* selector, ElementType type) override;
  absl::Status BeginBranch() override;
  absl::Status EndBranches() override;

 private:
  // Start and end a graph, which is appended to the innermost list.
  absl::Status BeginGraph();
  absl::Status EndGraph();
  absl::Status NextGraph();
  // Ends the captures of all devices.
  absl::StatusOr<DeviceGraph> EndCaptures();
  absl::Status StageResults();
  int64_t CountCaptured() const;
  GraphPart& innermost() { return *open_.back(); }

  const std::vector<std::shared_ptr<Device>> devices_;
  GraphRecord record_;
  std::function<runtime::RunTotals()> totals_;
  runtime::RunTotals before_;    // the totals when the graph was begun
  int64_t captured_before_ = 0;  // the operations captured until then
  int64_t steps_ = 0;            // the instructions of the record
  // The places to which arrays have been copied, and those of arrays that are too large to be
  // copied by graphs.
  std::set<const std::byte*> copied_, unstaged_;
  std::unique_ptr<GraphPart> top_;  // a part whose only body is the run
  std::vector<GraphPart*> open_;    // the parts that are not complete, outermost first
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_GRAPH_RECORDER_H_
