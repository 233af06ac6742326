// The entries of all kernels of a build: a null-terminated list of tables, each of which ends with
// an entry without a name. Tests: cuda_backend_test.cc.
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

// Returns the entry with this name, or null.
const Entry* FindEntry(const Entry* const* groups, const char* name);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNEL_GROUPS_H_
