// The checker of memory accesses. The kernels of the checked build call it at every access
// (tsan_calls.cc). It reports the first race, access out of bounds, read of uninitialised memory,
// and use of freed or host memory as the error of the launch. A report names the kernel, the
// threads and the places in the source.
//
// Two accesses of one launch to a byte race if one of them writes, not both are atomic, and they
// are of different blocks, or of different threads of a block with neither a barrier nor a chain of
// __syncwarp between them (shuffles and votes order no accesses). It cannot see accesses that no
// tested input makes. It does not accept an order by __threadfence and flags. Tests:
// checker_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CHECKER_CHECKER_H_
#define ASSAY_BACKENDS_CUDA_CHECKER_CHECKER_H_

#include <cstdint>

namespace assay::cuda::checker {

enum class Access : uint8_t {
  kRead,
  kWrite,
  kAtomic,       // reads and writes
  kAtomicStore,  // writes without reading
};

// Checks an access of the kernel thread that runs on this host thread. Does nothing if none runs.
// `pc` is the address that the call returns to.
void Check(const void* address, int64_t bytes, Access access, const void* pc);

}  // namespace assay::cuda::checker

#endif  // ASSAY_BACKENDS_CUDA_CHECKER_CHECKER_H_
