// Loads generated kernels that the host's compiler has made (text/text_compiler.h) for the emulated
// runtime. Tests: cuda_text_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_LIBRARY_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_LIBRARY_H_

#include <cstddef>

#include "backends/cuda/device/api.h"

namespace assay::cuda {

// Loads a shared library from its bytes, for as long as the process runs, and sets the function of
// the entry. Returns kInvalidValue if the bytes are no library with such a kernel.
Error LoadHostKernel(const void* image, size_t bytes, const char* name, Entry* entry);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_LIBRARY_H_
