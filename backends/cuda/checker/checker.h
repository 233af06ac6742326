// The checker: the kernels of the checked build call it at every access to memory (tsan_calls.cc),
// and it reports, as the error of the launch, the first race, access out of bounds, read of memory
// that nobody has written, and use of freed memory or of the host's. A report names the kernel, the
// threads and the places in the source.
//
// Two accesses of one launch to a byte race if one of them writes, not both are atomic, and they
// are of different blocks, or of different threads of a block with neither a barrier nor a chain of
// __syncwarp between them (shuffles and votes order no accesses). What it cannot know: accesses
// that no input makes, and order by __threadfence and flags, which it does not accept. Tests:
// checker_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CHECKER_CHECKER_H_
#define ASSAY_BACKENDS_CUDA_CHECKER_CHECKER_H_

#include <cstdint>

namespace assay::cuda::checker {

enum class Access : uint8_t {
  kRead,
  kWrite,
  kAtomic,       // reads and writes
  kAtomicStore,  // does not ask what was there before
};

// Called for an access of the thread of a kernel that runs on this host thread; does nothing where
// none runs. `pc` is the address that the call returns to.
void Check(const void* address, int64_t bytes, Access access, const void* pc);

}  // namespace assay::cuda::checker

#endif  // ASSAY_BACKENDS_CUDA_CHECKER_CHECKER_H_
