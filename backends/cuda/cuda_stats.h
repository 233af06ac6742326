// The statistics of a run of the CUDA backend, in addition to those of every run. Tests:
// cuda_counts_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_STATS_H_
#define ASSAY_BACKENDS_CUDA_CUDA_STATS_H_

#include "backends/cuda/device/device.h"
#include "runtime/run.h"

namespace assay::cuda {

struct CudaStats : runtime::RunStats {
  cuda::DeviceCounts device;  // the sum over all devices of the run
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_STATS_H_
