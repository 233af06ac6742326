// The memory of emulated devices by address: which allocation an address is of, and whether it is
// live. Freed memory stays here for a while, so that the checker can name who uses it. One map for
// the process, for several threads. Tests: device_test.cc, checker_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_MEMORY_MAP_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_MEMORY_MAP_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backends/cuda/emulator/shadow.h"

namespace assay::cuda::emulator {

struct DeviceBlock {
  std::byte* data = nullptr;
  int64_t bytes = 0;
  int device = 0;
  bool live = true;
  std::unique_ptr<Shadow> shadow;  // null unless the memory was made for checked kernels
};

class MemoryMap {
 public:
  static MemoryMap& Global();

  // Memory of a device with all bytes 0xff. Null where the system has none.
  std::byte* Allocate(int64_t bytes, int device, bool shadowed = false);
  // Poisons a block and keeps it as freed. Returns its bytes, or -1 if no live block starts there.
  int64_t Free(void* data);
  // The bytes of the live block that starts at the address; -1 if there is none.
  int64_t BytesOf(const void* data) const;
  // The block that holds the address, live or freed; null if there is none. It stays valid until
  // Allocate or Free is called.
  DeviceBlock* Find(const void* address);
  // Returns true if a live block holds all these bytes.
  bool Holds(const void* address, int64_t bytes) const;
  // Bytes that a copy from the host has written; those of a copy between devices are initialised
  // where its source is. For blocks with shadows.
  void SetInitialised(const void* address, int64_t bytes);
  void CopyInitialised(const void* to, const void* from, int64_t bytes);
  // The first byte among these that nobody has written, as an offset; -1 if there is none, or if it
  // is not known.
  int64_t FindUninitialised(const void* address, int64_t bytes);
  // "5 bytes behind an allocation of 64 bytes", or empty.
  std::string DescribeNearest(const void* address) const;
  // Rises whenever a block is made or freed.
  uint64_t version() const { return version_; }

 private:
  static constexpr int64_t kMostFreedBytes = 32 << 20;

  const DeviceBlock* FindLocked(const void* address) const;

  mutable std::mutex mutex_;
  std::map<const std::byte*, DeviceBlock> blocks_;
  std::deque<std::byte*> freed_;
  int64_t freed_bytes_ = 0;
  uint64_t version_ = 0;
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_MEMORY_MAP_H_
