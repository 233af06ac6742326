// The shared memory of a block: static arrays by their key, with gaps between them whose bytes are
// verified when the block ends, and the dynamic bytes of the launch. Everything is poisoned with
// 0xff, a NaN of every float type that has one, before a block starts. Tests: emulator_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_SHARED_MEMORY_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cuda/emulator/calls.h"

namespace assay::cuda::emulator {

class SharedMemory {
 public:
  static constexpr int64_t kMost = 320 << 10;  // arrays, gaps and alignment

  struct Array {
    const void* key = nullptr;
    Site site;
    int64_t offset = 0, bytes = 0;
  };

  // Starts a launch, without static arrays.
  void Start(int64_t dynamic_bytes);
  // Starts a block: poisons all shared memory.
  void Poison();
  // Returns the array of a key, which it creates at the first call. Returns null if static arrays
  // exceed `limit` bytes.
  std::byte* Find(const void* key, int64_t bytes, Site site, int64_t limit);
  std::byte* dynamic() { return bytes_.data() + kGap; }
  int64_t dynamic_bytes() const { return dynamic_bytes_; }
  // Returns an array that was overrun on either side, or null if all gaps are intact. The key of
  // the dynamic bytes is null.
  const Array* FindOverrun() const;
  // Returns the array that contains the address, or null. The key of the dynamic bytes is null.
  const Array* Holder(const void* address) const;
  const std::byte* base() const { return bytes_.data(); }
  const std::byte* DataOf(const Array& array) const { return bytes_.data() + array.offset; }
  // Returns the bytes in use, gaps included.
  int64_t used() const { return used_; }
  bool Contains(const void* address) const {
    return address >= bytes_.data() && address < bytes_.data() + bytes_.size();
  }

 private:
  static constexpr int64_t kGap = 64;

  int64_t GapAfter(size_t number) const;

  std::vector<std::byte> bytes_ = std::vector<std::byte>(kMost);
  std::vector<Array> arrays_;  // the first one is the dynamic part
  int64_t dynamic_bytes_ = 0;
  int64_t static_bytes_ = 0;
  int64_t used_ = 0;  // with the gap at the end
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_SHARED_MEMORY_H_
