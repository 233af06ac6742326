// The graphs of the emulated runtime: operations that streams have captured, and the executables
// that are made of them. A reset of a device destroys both. An instance is used by one thread at a
// time. Tests: device_test.cc, cuda_graphs_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_GRAPHS_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_GRAPHS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device/emulated_streams.h"

namespace assay::cuda {

using GraphNodes = std::shared_ptr<const std::vector<GraphNode>>;

struct GraphHandle {
  int device = 0;
  GraphNodes nodes;
};
struct GraphExecHandle {
  int device = 0;
  GraphNodes nodes;
};

class EmulatedGraphs {
 public:
  GraphHandle* Add(int device, std::vector<GraphNode> nodes);
  // Return kInvalidResourceHandle for a graph, or an executable, that does not exist.
  Error Instantiate(const GraphHandle* graph, GraphExecHandle** exec);
  Error Find(const GraphExecHandle* exec, GraphNodes* nodes) const;
  Error Destroy(const GraphHandle* graph);
  Error Destroy(const GraphExecHandle* exec);
  // Destroys what belongs to the device.
  void Reset(int device);
  // Returns the number of graphs and executables.
  int64_t live() const;

  // Runs all nodes; `draw` selects which of those that are ready is next. Returns the first error.
  static Error Run(const std::vector<GraphNode>& nodes, const std::function<uint64_t()>& draw);

 private:
  std::vector<std::unique_ptr<GraphHandle>> graphs_;
  std::vector<std::unique_ptr<GraphExecHandle>> execs_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_GRAPHS_H_
