// Runs of a module as graphs (runtime/replay.h). On the same streams the first run of a module
// issues its launches one by one, the second is recorded (graph_recorder.h), and that and every
// later run launch the graphs of the record. A module that cannot be recorded runs without graphs
// from then on. Tests: cuda_graphs_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_GRAPH_REPLAYER_H_
#define ASSAY_BACKENDS_CUDA_GRAPH_REPLAYER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/device_pool.h"
#include "backends/cuda/graph_recorder.h"
#include "runtime/replay.h"

namespace assay::cuda {

// The graphs of one module on certain streams.
struct RunGraphs {
  enum class State : uint8_t { kNew, kHasRun, kReady, kRefused };
  State state = State::kNew;
  std::vector<int64_t> epochs;  // of the devices; others start anew
  // Runs that are not recorded, after the last record was dropped and after the next one if it is
  // dropped. The second doubles, so that a module that can never be recorded costs little.
  int64_t runs_before_record = 0, runs_after_drop = 0;
  GraphRecord record;
};

// The graphs of one engine, by streams. Thread-safe; graphs are used by the run that has taken the
// streams.
class GraphCache {
 public:
  // `at_once` records the first run. Lazy loading of kernels may forbid that on a GPU.
  explicit GraphCache(bool at_once) : at_once_(at_once) {}
  bool at_once() const { return at_once_; }
  RunGraphs& Of(const std::vector<std::shared_ptr<Device>>& devices);

 private:
  const bool at_once_;
  std::mutex mutex_;
  std::map<std::vector<const Device*>, RunGraphs> graphs_;
};

class GraphReplayer : public runtime::Replayer {
 public:
  // Makes the state of a machine on a device of the replayer.
  using MakeState = std::function<std::unique_ptr<runtime::EngineState>(
      std::shared_ptr<Device> device, GraphRecorder* recorder)>;
  GraphReplayer(std::shared_ptr<DevicePool> pool, std::shared_ptr<GraphCache> cache,
                int64_t devices, MakeState make_state)
      : pool_(std::move(pool)),
        cache_(std::move(cache)),
        count_(devices),
        make_state_(std::move(make_state)) {}
  ~GraphReplayer() override;

  Mode Begin() override;
  std::unique_ptr<runtime::EngineState> NewState(int64_t device) override;
  void AfterRun() override;
  absl::StatusOr<runtime::Recorder*> StartRecording(std::function<runtime::RunTotals()> totals,
                                                    int64_t staged_bytes) override;
  absl::Status EndRecording(std::vector<runtime::RecordedPlaces> places,
                            int64_t peak_bytes) override;
  void RefuseRecord() override;
  void DropRecord() override;
  int64_t peak_bytes() const override { return graphs_->record.peak_bytes; }
  absl::StatusOr<std::vector<Literal>> Replay(absl::Span<const std::vector<Literal>> arguments,
                                              const Shape& result, runtime::Budget& budget,
                                              int64_t* stored_bytes) override;
  void AddStats(runtime::RunStats& stats) const override;

 private:
  absl::Status CopyArguments(absl::Span<const std::vector<Literal>> arguments);
  absl::Status RunParts(const std::vector<GraphPart>& parts);
  absl::Status RunGraph(const GraphPart& part);
  absl::Status RunLoop(const GraphPart& loop);
  // Enqueues copies of the results that graphs do not copy.
  absl::Status CopyResults(std::vector<std::vector<Literal>>& results);
  // Waits for all devices.
  absl::Status Wait();

  const std::shared_ptr<DevicePool> pool_;
  const std::shared_ptr<GraphCache> cache_;
  const int64_t count_;
  const MakeState make_state_;
  std::vector<std::shared_ptr<Device>> devices_;  // empty if the pool has none
  std::vector<DeviceCounts> before_;              // the counts of the devices when they were taken
  RunGraphs* graphs_ = nullptr;
  std::unique_ptr<GraphRecorder> recorder_;  // while the run is recorded
  runtime::Budget* budget_ = nullptr;        // of Replay
  int64_t stored_bytes_ = 0;
  int64_t steps_ahead_ = 0;  // steps enqueued since the host last waited
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_GRAPH_REPLAYER_H_
