// The entries of all kernels of a build: tables that end with an entry without name, the last of
// which is null.
#ifndef ASSAY_BACKENDS_CUDA_KERNEL_GROUPS_H_
#define ASSAY_BACKENDS_CUDA_KERNEL_GROUPS_H_

#include "backends/cuda/dialect/entry.h"

namespace assay::cuda {

namespace emulated {
const Entry* const* KernelGroups();
}
namespace checked {
const Entry* const* KernelGroups();
}
namespace device {
const Entry* const* KernelGroups();
}

// The entry of a name; null if there is none.
const Entry* FindEntry(const Entry* const* groups, const char* name);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNEL_GROUPS_H_
