#include "backends/cuda/emulator/memory_map.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace assay::cuda::emulator {
namespace {

constexpr int kFreedByte = 0xff;
constexpr size_t kAlignment = 256;

}  // namespace

MemoryMap& MemoryMap::Global() {
  static MemoryMap* const map = new MemoryMap;
  return *map;
}

std::byte* MemoryMap::Allocate(int64_t bytes, int device, bool shadowed) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, std::max<int64_t>(bytes, 1)) != 0) return nullptr;
  std::memset(memory, kFreedByte, bytes);
  auto* const data = static_cast<std::byte*>(memory);
  std::lock_guard<std::mutex> lock(mutex_);
  DeviceBlock& block = blocks_[data];
  block.data = data;
  block.bytes = bytes;
  block.device = device;
  block.shadow = shadowed ? std::make_unique<Shadow>(bytes) : nullptr;
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

void MemoryMap::SetInitialised(const void* address, int64_t bytes) {
  DeviceBlock* const block = Find(address);
  if (block == nullptr || block->shadow == nullptr) return;
  block->shadow->SetInitialised(static_cast<const std::byte*>(address) - block->data, bytes, true);
}

void MemoryMap::CopyInitialised(const void* to, const void* from, int64_t bytes) {
  DeviceBlock* const target = Find(to);
  DeviceBlock* const source = Find(from);
  if (target == nullptr || target->shadow == nullptr) return;
  if (source == nullptr || source->shadow == nullptr) return SetInitialised(to, bytes);
  const int64_t at = static_cast<const std::byte*>(to) - target->data;
  const int64_t source_at = static_cast<const std::byte*>(from) - source->data;
  for (int64_t i = 0; i < bytes; ++i) {
    target->shadow->at(at + i).initialised = source->shadow->at(source_at + i).initialised;
  }
}

int64_t MemoryMap::FindUninitialised(const void* address, int64_t bytes) {
  DeviceBlock* const block = Find(address);
  if (block == nullptr || block->shadow == nullptr) return -1;
  const int64_t at = static_cast<const std::byte*>(address) - block->data;
  for (int64_t i = 0; i < bytes; ++i) {
    if (!block->shadow->at(at + i).initialised) return i;
  }
  return -1;
}

std::string MemoryMap::DescribeNearest(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  std::lock_guard<std::mutex> lock(mutex_);
  constexpr int64_t kNear = 1 << 16;
  const auto next = blocks_.upper_bound(at);
  if (next != blocks_.begin()) {
    const DeviceBlock& block = std::prev(next)->second;
    const int64_t behind = at - (block.data + block.bytes);
    if (behind < kNear) {
      return absl::StrCat(behind, " bytes behind an allocation of ", block.bytes, " bytes");
    }
  }
  if (next != blocks_.end() && next->second.data - at < kNear) {
    return absl::StrCat(next->second.data - at, " bytes in front of an allocation of ",
                        next->second.bytes, " bytes");
  }
  return {};
}

}  // namespace assay::cuda::emulator
