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

GraphHandle* EmulatedGraphs::Add(int device, std::vector<Operation> operations) {
  auto shared = std::make_shared<const std::vector<Operation>>(std::move(operations));
  graphs_.push_back(std::make_unique<GraphHandle>(GraphHandle{device, std::move(shared)}));
  return graphs_.back().get();
}

Error EmulatedGraphs::Instantiate(const GraphHandle* graph, GraphExecHandle** exec) {
  if (!HasHandle(graphs_, graph)) return Error::kInvalidResourceHandle;
  execs_.push_back(
      std::make_unique<GraphExecHandle>(GraphExecHandle{graph->device, graph->operations}));
  *exec = execs_.back().get();
  return Error::kSuccess;
}

Error EmulatedGraphs::Find(const GraphExecHandle* exec, CapturedOperations* operations) const {
  if (!HasHandle(execs_, exec)) return Error::kInvalidResourceHandle;
  *operations = exec->operations;
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

}  // namespace assay::cuda
