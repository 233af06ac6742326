// Graphs of whole runs (runtime/replay.h). On each stream the first run of a module copies its
// constants, the second counts the memory that it allocates, and the third is captured into a graph
// and launched. Every later run is one launch of that graph. A module whose capture fails, or whose
// graph finds no memory, runs without one from then on. Tests: cuda_graphs_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_GRAPH_REPLAYER_H_
#define ASSAY_BACKENDS_CUDA_GRAPH_REPLAYER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "backends/cuda/cuda_context.h"
#include "backends/cuda/device/block_pool.h"
#include "runtime/replay.h"

namespace assay::cuda {

// The graph of one module on one stream.
struct RunGraph {
  enum class State : uint8_t { kNew, kPlaced, kCounted, kReady, kRefused };
  State state = State::kNew;
  int64_t epoch = -1;               // of the device; another epoch starts anew
  std::shared_ptr<BlockPool> pool;  // from kCounted on
  std::optional<DeviceGraph> graph;
  runtime::RecordedRun run;
};

// The graphs of one engine, by stream. Thread-safe; a graph is used by the run that has taken the
// stream.
class GraphCache {
 public:
  RunGraph& Of(const Device& device);

 private:
  std::mutex mutex_;
  std::map<const Device*, RunGraph> graphs_;
};

// Replays the runs of one context.
class GraphReplayer : public runtime::Replayer {
 public:
  GraphReplayer(CudaContext& context, std::shared_ptr<GraphCache> cache)
      : context_(context), cache_(std::move(cache)) {}
  ~GraphReplayer() override;
  Mode Begin() override;
  void End(int64_t steps) override;
  absl::Status StartRecording() override;
  absl::Status EndRecording(runtime::RecordedRun run) override;
  const runtime::RecordedRun& recorded() const override { return graph_->run; }
  absl::Status Replay() override;

 private:
  // Prepares the memory of a run that is captured.
  Mode PrepareCapture();
  void Refuse();

  CudaContext& context_;
  const std::shared_ptr<GraphCache> cache_;
  RunGraph* graph_ = nullptr;  // of the context's stream
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_GRAPH_REPLAYER_H_
