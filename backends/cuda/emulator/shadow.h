// The checker's state of each byte of memory: whether it is initialised, and its last accesses.
// Kept by the checker (checker/); made with the memory.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_SHADOW_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_SHADOW_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::cuda::emulator {

// A launch of 0 stands for none.
struct LastAccess {
  uint32_t launch = 0;
  uint32_t block = 0;
  uint32_t place = 0;  // in the source
  uint32_t block_epoch = 0;
  uint16_t time = 0;  // of the thread in its warp
  uint16_t thread = 0;
  bool atomic = false;
};

struct ByteShadow {
  LastAccess write;
  LastAccess reads[2];  // of different threads, the latest first
  bool initialised = false;
};

class Shadow {
 public:
  explicit Shadow(int64_t bytes) : bytes_(bytes) {}
  ByteShadow& at(int64_t offset) { return bytes_[offset]; }
  int64_t bytes() const { return static_cast<int64_t>(bytes_.size()); }
  void SetInitialised(int64_t offset, int64_t bytes, bool value) {
    for (int64_t i = offset; i < offset + bytes; ++i) bytes_[i].initialised = value;
  }
  void Clear(int64_t bytes) {
    std::fill(bytes_.begin(), bytes_.begin() + std::min(bytes, this->bytes()), ByteShadow());
  }

 private:
  std::vector<ByteShadow> bytes_;
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_SHADOW_H_
