// The names and texts of the emulated runtime's errors, which are those of the CUDA runtime.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_ERRORS_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_ERRORS_H_

#include "backends/cuda/device/api.h"

namespace assay::cuda {

const char* NameOf(Error error);
const char* TextOf(Error error);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_ERRORS_H_
