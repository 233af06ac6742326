// What a run of the CUDA backend counts beside what every run counts. Tests: cuda_counts_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_STATS_H_
#define ASSAY_BACKENDS_CUDA_CUDA_STATS_H_

#include "backends/cuda/device/device.h"
#include "runtime/run.h"

namespace assay {

struct CudaStats : runtime::RunStats {
  cuda::DeviceCounts device;  // of all processes of the run
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_CUDA_CUDA_STATS_H_
