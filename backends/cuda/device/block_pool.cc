#include "backends/cuda/device/block_pool.h"

namespace assay::cuda {

absl::StatusOr<std::byte*> BlockPool::Give(int64_t bytes) {
  std::vector<std::byte*>& unused = unused_[bytes];
  if (!unused.empty()) {
    std::byte* const block = unused.back();
    unused.pop_back();
    return block;
  }
  absl::StatusOr<DeviceBuffer> block = source_->Allocate(bytes);
  if (!block.ok()) return block.status();
  blocks_.push_back(*std::move(block));
  return blocks_.back().data();
}

void BlockPool::TakeBack(std::byte* data, int64_t bytes) { unused_[bytes].push_back(data); }

}  // namespace assay::cuda
