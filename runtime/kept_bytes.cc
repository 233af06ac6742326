#include "runtime/kept_bytes.h"

#include <array>
#include <utility>

namespace assay::runtime {

struct KeptBytes::KeptBlocks {
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    int64_t size = 0;
  };
  std::array<Block, 4> blocks;
  static KeptBlocks& OfThread() {
    static thread_local KeptBlocks kept;
    return kept;
  }
};

KeptBytes::KeptBytes(int64_t size) {
  if (size <= 0) return;
  KeptBlocks::Block* best = nullptr;
  for (KeptBlocks::Block& block : KeptBlocks::OfThread().blocks) {
    if (block.size >= size && (best == nullptr || block.size < best->size)) best = &block;
  }
  if (best != nullptr) {
    memory_ = std::move(best->memory);
    size_ = std::exchange(best->size, 0);
    return;
  }
  size_ = size;
  memory_.reset(new (kAlignment) std::byte[size]);
}

KeptBytes& KeptBytes::operator=(KeptBytes&& other) noexcept {
  Return();
  memory_ = std::move(other.memory_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

// Takes the place of the smallest block that is kept, if that is smaller.
void KeptBytes::Return() {
  if (!kKeepsFreedMemory || memory_ == nullptr || size_ > kMostKept) return;
  auto& blocks = KeptBlocks::OfThread().blocks;
  KeptBlocks::Block* least = &blocks[0];
  for (KeptBlocks::Block& block : blocks) {
    if (block.size < least->size) least = &block;
  }
  if (least->size >= size_) return;
  std::swap(least->memory, memory_);
  std::swap(least->size, size_);
}

}  // namespace assay::runtime
