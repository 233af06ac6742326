// The number of the kernel mutant that is active; 0: none. Of the build of kernels for
// cuda_kernels_test alone.
#include "backends/cuda/kernels/device.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

int active_mutant = 0;

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
