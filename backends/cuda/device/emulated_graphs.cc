#include "backends/cuda/device/emulated_graphs.h"

#include <algorithm>
#include <utility>

namespace assay::cuda {
namespace {

template <typename T>
bool HasHandle(const std::vector<std::unique_ptr<T>>& all, const T* one) {
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.get() == one; });
}
template <typename T>
Error EraseHandle(std::vector<std::unique_ptr<T>>& all, const T* one) {
  const auto removed = std::erase_if(all, [&](const auto& p) { return p.get() == one; });
  return removed == 0 ? Error::kInvalidResourceHandle : Error::kSuccess;
}

}  // namespace

GraphHandle* EmulatedGraphs::Add(int device, std::vector<GraphNode> nodes) {
  auto shared = std::make_shared<const std::vector<GraphNode>>(std::move(nodes));
  graphs_.push_back(std::make_unique<GraphHandle>(GraphHandle{device, std::move(shared)}));
  return graphs_.back().get();
}

Error EmulatedGraphs::Instantiate(const GraphHandle* graph, GraphExecHandle** exec) {
  if (!HasHandle(graphs_, graph)) return Error::kInvalidResourceHandle;
  execs_.push_back(std::make_unique<GraphExecHandle>(GraphExecHandle{graph->device, graph->nodes}));
  *exec = execs_.back().get();
  return Error::kSuccess;
}

Error EmulatedGraphs::Find(const GraphExecHandle* exec, GraphNodes* nodes) const {
  if (!HasHandle(execs_, exec)) return Error::kInvalidResourceHandle;
  *nodes = exec->nodes;
  return Error::kSuccess;
}

Error EmulatedGraphs::Destroy(const GraphHandle* graph) { return EraseHandle(graphs_, graph); }
Error EmulatedGraphs::Destroy(const GraphExecHandle* exec) { return EraseHandle(execs_, exec); }

void EmulatedGraphs::Reset(int device) {
  std::erase_if(graphs_, [&](const auto& graph) { return graph->device == device; });
  std::erase_if(execs_, [&](const auto& exec) { return exec->device == device; });
}

int64_t EmulatedGraphs::live() const {
  return static_cast<int64_t>(graphs_.size() + execs_.size());
}

Error EmulatedGraphs::Run(const std::vector<GraphNode>& nodes,
                          const std::function<uint64_t()>& draw) {
  std::vector<int> missing(nodes.size());              // the nodes that each node waits for
  std::vector<std::vector<int>> before(nodes.size());  // the nodes that wait for each node
  std::vector<int> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    missing[i] = static_cast<int>(nodes[i].after.size());
    for (const int node : nodes[i].after) before[node].push_back(static_cast<int>(i));
    if (missing[i] == 0) ready.push_back(static_cast<int>(i));
  }
  while (!ready.empty()) {
    std::swap(ready[ready.size() == 1 ? 0 : (draw() >> 33) % ready.size()], ready.back());
    const int node = ready.back();
    ready.pop_back();
    if (const Error error = nodes[node].run(); error != Error::kSuccess) return error;
    for (const int next : before[node]) {
      if (--missing[next] == 0) ready.push_back(next);
    }
  }
  return Error::kSuccess;
}

}  // namespace assay::cuda
