// The names and texts that the emulated runtime gives errors: those of the CUDA runtime.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_ERRORS_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_ERRORS_H_

#include "backends/cuda/device/api.h"

namespace assay::cuda {

const char* NameOf(Error error);
const char* TextOf(Error error);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_ERRORS_H_
