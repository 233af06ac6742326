// The memory of a graph. A graph refers to fixed addresses, and nothing can be allocated on a
// stream that is captured. So blocks come from another stream of the device, stay with the graph,
// and are used again in the order of the stream that is captured. An instance is used by one thread
// at a time. Tests: device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_BLOCK_POOL_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_BLOCK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cuda/device/device.h"

namespace assay::cuda {

class BlockPool {
 public:
  // `source` is a stream that is not captured.
  explicit BlockPool(std::shared_ptr<Device> source) : source_(std::move(source)) {}

  // Returns a block of so many bytes: one that was taken back, or a new one. Before a graph is
  // launched that uses new ones, WaitForBlocks returns when they are there.
  absl::StatusOr<std::byte*> Give(int64_t bytes);
  void TakeBack(std::byte* data, int64_t bytes);
  // Keeps an object as long as the pool.
  void Keep(std::shared_ptr<const void> object) { kept_.insert(std::move(object)); }
  absl::Status WaitForBlocks() { return source_->Synchronize(); }
  Device& source() const { return *source_; }

 private:
  const std::shared_ptr<Device> source_;
  std::map<int64_t, std::vector<std::byte*>> unused_;  // by size
  std::vector<DeviceBuffer> blocks_;
  std::set<std::shared_ptr<const void>> kept_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_BLOCK_POOL_H_
