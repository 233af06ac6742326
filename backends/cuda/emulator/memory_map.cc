#include "backends/cuda/emulator/memory_map.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace assay::cuda::emulator {
namespace {

constexpr int kFreedByte = 0xff;
constexpr size_t kAlignment = 256;

}  // namespace

MemoryMap& MemoryMap::Global() {
  static MemoryMap* const map = new MemoryMap;
  return *map;
}

std::byte* MemoryMap::Allocate(int64_t bytes, int device) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, std::max<int64_t>(bytes, 1)) != 0) return nullptr;
  std::memset(memory, kFreedByte, bytes);
  auto* const data = static_cast<std::byte*>(memory);
  std::lock_guard<std::mutex> lock(mutex_);
  DeviceBlock& block = blocks_[data];
  block.data = data;
  block.bytes = bytes;
  block.device = device;
  ++version_;
  return data;
}

int64_t MemoryMap::Free(void* pointer) {
  auto* const data = static_cast<std::byte*>(pointer);
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end() || !found->second.live) return -1;
  DeviceBlock& block = found->second;
  block.live = false;
  block.shadow = nullptr;
  std::memset(data, kFreedByte, block.bytes);
  const int64_t bytes = block.bytes;
  freed_.push_back(data);
  freed_bytes_ += bytes + 1;
  while (freed_bytes_ > kMostFreedBytes) {
    std::byte* const oldest = freed_.front();
    freed_.pop_front();
    freed_bytes_ -= blocks_[oldest].bytes + 1;
    blocks_.erase(oldest);
    std::free(oldest);
  }
  ++version_;
  return bytes;
}

const DeviceBlock* MemoryMap::FindLocked(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) return nullptr;
  const DeviceBlock& block = std::prev(next)->second;
  return at < block.data + std::max<int64_t>(block.bytes, 1) ? &block : nullptr;
}

DeviceBlock* MemoryMap::Find(const void* address) {
  std::lock_guard<std::mutex> lock(mutex_);
  return const_cast<DeviceBlock*>(FindLocked(address));
}

int64_t MemoryMap::BytesOf(const void* data) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(static_cast<const std::byte*>(data));
  return found == blocks_.end() || !found->second.live ? -1 : found->second.bytes;
}

bool MemoryMap::Holds(const void* address, int64_t bytes) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const DeviceBlock* const block = FindLocked(address);
  return block != nullptr && block->live &&
         static_cast<const std::byte*>(address) + bytes <= block->data + block->bytes;
}

}  // namespace assay::cuda::emulator
