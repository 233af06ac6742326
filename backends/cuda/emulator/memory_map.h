// The allocations of emulated devices by address, live and freed. Freed memory is kept for a while,
// so that the checker can report its use. There is one map for the process; it is thread-safe.
// Tests: device_test.cc, checker_test.cc.
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

  // Allocates memory of a device, with all bytes 0xff. Returns null if there is none.
  std::byte* Allocate(int64_t bytes, int device, bool shadowed = false);
  // Poisons a block and marks it as freed. Returns its bytes, or -1 if no live block starts there.
  int64_t Free(void* data);
  // Returns the bytes of the live block that starts at the address, or -1 if there is none.
  int64_t BytesOf(const void* data) const;
  // Returns the block, live or freed, that contains the address, or null. It is valid until
  // Allocate or Free is called.
  DeviceBlock* Find(const void* address);
  // Returns true if a live block contains all these bytes.
  bool Holds(const void* address, int64_t bytes) const;
  // Marks the bytes that a copy has written. A copy from the host initialises them; a copy between
  // devices copies the state of its source. For blocks with shadows.
  void SetInitialised(const void* address, int64_t bytes);
  void CopyInitialised(const void* to, const void* from, int64_t bytes);
  // Returns the offset of the first uninitialised byte, or -1 if there is none or it is not known.
  int64_t FindUninitialised(const void* address, int64_t bytes);
  // Returns "5 bytes behind an allocation of 64 bytes", or an empty text.
  std::string DescribeNearest(const void* address) const;
  // Increases whenever a block is allocated or freed.
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
