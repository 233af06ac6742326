#include "backends/cuda/emulator/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace assay::cuda::emulator {
namespace {

constexpr std::byte kPoison{0xff}, kGapByte{0xa5};

// Arrays and gaps are multiples of 64 bytes, which suits every alignment.
int64_t Rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

void SharedMemory::Start(int64_t dynamic_bytes) {
  arrays_.clear();
  dynamic_bytes_ = dynamic_bytes;
  static_bytes_ = 0;
  arrays_.push_back({nullptr, {}, kGap, dynamic_bytes});
  used_ = GapAfter(0);
  std::memset(bytes_.data(), static_cast<int>(kGapByte), used_);
}

int64_t SharedMemory::GapAfter(size_t number) const {
  return Rounded(arrays_[number].offset + arrays_[number].bytes) + kGap;
}

void SharedMemory::Poison() {
  for (const Array& array : arrays_) {
    if (array.bytes == 0) continue;
    std::memset(bytes_.data() + array.offset, static_cast<int>(kPoison), array.bytes);
  }
}

std::byte* SharedMemory::Find(const void* key, int64_t bytes, Site site, int64_t limit) {
  for (size_t i = 1; i < arrays_.size(); ++i) {
    if (arrays_[i].key == key) return bytes_.data() + arrays_[i].offset;
  }
  if (static_bytes_ + bytes > limit || used_ + Rounded(bytes) + kGap > kMost) return nullptr;
  static_bytes_ += bytes;
  arrays_.push_back({key, site, used_, bytes});
  std::byte* const data = bytes_.data() + used_;
  std::memset(data, static_cast<int>(kPoison), bytes);
  used_ = GapAfter(arrays_.size() - 1);
  std::memset(data + bytes, static_cast<int>(kGapByte), bytes_.data() + used_ - (data + bytes));
  return data;
}

const SharedMemory::Array* SharedMemory::FindOverrun() const {
  const auto intact = [&](int64_t first, int64_t end) {
    return std::all_of(bytes_.data() + first, bytes_.data() + end,
                       [](std::byte byte) { return byte == kGapByte; });
  };
  if (!intact(0, kGap)) return &arrays_[0];
  for (size_t i = 0; i < arrays_.size(); ++i) {
    if (!intact(arrays_[i].offset + arrays_[i].bytes, GapAfter(i))) return &arrays_[i];
  }
  return nullptr;
}

const SharedMemory::Array* SharedMemory::Holder(const void* address) const {
  const int64_t at = static_cast<const std::byte*>(address) - bytes_.data();
  for (const Array& array : arrays_) {
    if (at >= array.offset && at < array.offset + array.bytes) return &array;
  }
  return nullptr;
}

}  // namespace assay::cuda::emulator
