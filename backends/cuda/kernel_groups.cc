// The entries of all groups of kernels (kernels/groups.def), once for each build of the kernels.
#include "backends/cuda/kernel_groups.h"

#include "backends/cuda/dialect/dialect.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

#define GROUP(Name) extern const Entry k##Name##Entries[];
#include "backends/cuda/kernels/groups.def"
#undef GROUP

const Entry* const* KernelGroups() {
  static const Entry* const groups[] = {
#define GROUP(Name) k##Name##Entries,
#include "backends/cuda/kernels/groups.def"
#undef GROUP
      nullptr};
  return groups;
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
