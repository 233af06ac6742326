// The memory of emulated devices by address: which allocation an address is of, and whether it is
// live. Freed memory stays here for a while, so that the checker can name who uses it. One map for
// the process, for several threads. Tests: device/emulated_runtime_test.cc,
// checker/checker_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_MEMORY_MAP_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_MEMORY_MAP_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace assay::cuda::emulator {

// What the checker keeps of each byte of an allocation.
class Shadow {
 public:
  virtual ~Shadow() = default;
};

struct DeviceBlock {
  std::byte* data = nullptr;
  int64_t bytes = 0;
  int device = 0;
  bool live = true;
  std::unique_ptr<Shadow> shadow;
};

class MemoryMap {
 public:
  static MemoryMap& Global();

  // Memory of a device with all bytes 0xff. Null where the system has none.
  std::byte* Allocate(int64_t bytes, int device);
  // Poisons a block and keeps it as freed. Returns its bytes, or -1 if no live block starts there.
  int64_t Free(void* data);
  // The bytes of the live block that starts at the address; -1 if there is none.
  int64_t BytesOf(const void* data) const;
  // The block that holds the address, live or freed; null if there is none. It stays valid until
  // Allocate or Free is called.
  DeviceBlock* Find(const void* address);
  // Returns true if a live block holds all these bytes.
  bool Holds(const void* address, int64_t bytes) const;
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
