// The checker's state of each byte of memory: whether it is initialised, and its last accesses.
// Kept by the checker (checker/); made with the memory.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_SHADOW_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_SHADOW_H_

#include <cstdint>
#include <vector>

namespace assay::cuda::emulator {

// A launch of 0 stands for none.
struct LastAccess {
  uint32_t launch = 0;
  uint32_t block = 0;
  uint32_t place = 0;  // in the source
  uint32_t block_epoch = 0;
  uint32_t time = 0;  // of the thread in its warp
  uint16_t thread = 0;
  bool atomic = false;
};

// The last reads of a byte, of different threads. One read of each kind is kept, because a later
// write may be ordered after one kind and race with another.
struct LastReads {
  LastAccess latest;
  LastAccess beside;  // the last one before by another thread of the same warp
  LastAccess around;  // the last one by another warp of the same block
  LastAccess abroad;  // the last one by another block

  void Add(const LastAccess& now) {
    const auto none = LastAccess();
    if (latest.launch != now.launch) {
      beside = around = abroad = none;
    } else if (latest.block != now.block) {
      abroad = latest;
      beside = around = none;
    } else if (latest.thread / 32 != now.thread / 32) {
      const bool keeps = around.thread / 32 == now.thread / 32 && around.thread != now.thread;
      beside = keeps ? around : none;
      around = latest;
    } else if (latest.thread != now.thread) {
      beside = latest;
    }
    latest = now;
  }
};

struct ByteShadow {
  LastAccess write;
  LastReads reads;
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

 private:
  std::vector<ByteShadow> bytes_;
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_SHADOW_H_
