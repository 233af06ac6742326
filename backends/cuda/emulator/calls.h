// The interface of emulated kernels: the built-in variables of the running thread, and the
// functions at which a thread may be suspended. Tests: emulator_test.cc. Kernel sources see it
// through dialect/emulated_dialect.h.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_CALLS_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_CALLS_H_

#include <cstdint>

namespace assay::cuda::emulator {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

struct BuiltIns {
  Extent thread, block;  // threadIdx, blockIdx
  Extent block_size, grid_size;
  void* dynamic_shared = nullptr;
  int32_t lane = 0;
};
#ifndef __CUDACC__
// The built-in variables of the running thread. Fibers never leave their host thread.
extern thread_local constinit BuiltIns built_ins;
#endif

// A place in a kernel source.
struct Site {
  const char* file = nullptr;
  int line = 0;
};

// The operation that combines the values of the threads at a barrier.
enum class BarrierOp : uint8_t { kNone, kCount, kAnd, kOr };
// Implements __syncthreads. All threads of the block must call it at the same site.
int Barrier(BarrierOp op, int predicate, Site site);

enum class WarpOp : uint8_t {
  kSync,
  kShuffle,  // from the lane `argument` of the segment
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kAdd,
  kMinSigned,
  kMinUnsigned,
  kMaxSigned,
  kMaxUnsigned,
  kAnd,
  kOr,
  kXor,
};
// Exchanges values among the lanes of the mask. `width` is the size of a segment of a shuffle.
uint64_t WarpExchange(WarpOp op, uint32_t mask, uint64_t value, int argument, int width, Site site);

// Returns the shared array of this block that `key` identifies.
void* SharedArray(const void* key, int64_t bytes, Site site);

// Implements __trap, which ends the launch with an error.
[[noreturn]] void Trap(Site site);

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_CALLS_H_
