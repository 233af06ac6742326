// The memory of a graph. A graph refers to fixed addresses, and nothing can be allocated while it
// is captured. So one run counts how many blocks of each size it needs at the same time, these are
// allocated, and the run that is captured takes its memory from them. Blocks are used again in the
// order of one stream. An instance is used by one thread at a time. Tests: device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_BLOCK_POOL_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_BLOCK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "backends/cuda/device/device.h"

namespace assay::cuda {

class BlockPool {
 public:
  // Ends the count, and allocates the blocks on the device, which uses no pool meanwhile. Later
  // calls do nothing.
  absl::Status AllocateCounted(Device& device);

  bool counts() const { return counts_; }

  // Called by Device::Allocate. Returns null if the pool counts, or has no such block left.
  std::byte* Give(int64_t bytes);
  // Called when memory is released. Returns true if it is a block of the pool, which can be given
  // again; the caller frees it otherwise.
  bool TakeBack(std::byte* data, int64_t bytes);

 private:
  // The blocks of one size.
  struct Size {
    int64_t live = 0, most = 0;      // while the pool counts
    std::vector<std::byte*> unused;  // afterwards
  };
  bool counts_ = true;
  std::map<int64_t, Size> sizes_;
  std::vector<DeviceBuffer> blocks_;
  std::set<const std::byte*> addresses_;  // of the blocks
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_BLOCK_POOL_H_
