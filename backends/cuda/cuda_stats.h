// The statistics of a run of the CUDA backend, in addition to those of every run. Tests:
// cuda_counts_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_STATS_H_
#define ASSAY_BACKENDS_CUDA_CUDA_STATS_H_

#include <vector>

#include "backends/cuda/device/device.h"
#include "backends/cuda/emulator/access_trace.h"
#include "runtime/run.h"

namespace assay::cuda {

struct CudaStats : runtime::RunStats {
  cuda::DeviceCounts device;  // the sum over all devices of the run
  // By kernel; empty unless the emulator traces.
  std::vector<emulator::KernelTrace> traces;
};

// Moves the traces of an emulated runtime to the statistics.
void TakeTraces(Api& api, CudaStats& stats);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_STATS_H_
