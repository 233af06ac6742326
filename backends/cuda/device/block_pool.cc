#include "backends/cuda/device/block_pool.h"

#include <algorithm>
#include <utility>

namespace assay::cuda {

absl::Status BlockPool::AllocateCounted(Device& device) {
  if (!std::exchange(counts_, false)) return absl::OkStatus();
  for (auto& [bytes, size] : sizes_) {
    for (int64_t i = 0; i < size.most; ++i) {
      absl::StatusOr<DeviceBuffer> block = device.Allocate(bytes);
      if (!block.ok()) return block.status();
      size.unused.push_back(block->data());
      addresses_.insert(block->data());
      blocks_.push_back(*std::move(block));
    }
  }
  return absl::OkStatus();
}

std::byte* BlockPool::Give(int64_t bytes) {
  Size& size = sizes_[bytes];
  if (counts_) {
    size.most = std::max(size.most, ++size.live);
    return nullptr;
  }
  if (size.unused.empty()) return nullptr;
  std::byte* const block = size.unused.back();
  size.unused.pop_back();
  return block;
}

bool BlockPool::TakeBack(std::byte* data, int64_t bytes) {
  Size& size = sizes_[bytes];
  if (counts_) {
    --size.live;
    return false;
  }
  // Memory that was allocated while the pool counted may live longer than the count.
  if (addresses_.count(data) == 0) return false;
  size.unused.push_back(data);
  return true;
}

}  // namespace assay::cuda
