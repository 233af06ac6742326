// The entry points of kernels, by name. A group of kernels (a .cu file) ends with a table of
// entries, which a launch looks its kernel up in; the same file gives a table for each build of the
// kernels. This header is included by kernel sources and therefore uses the language alone.
#ifndef ASSAY_BACKENDS_CUDA_DIALECT_ENTRY_H_
#define ASSAY_BACKENDS_CUDA_DIALECT_ENTRY_H_

#include <cstdint>

namespace assay::cuda {

struct Entry {
  const char* name = nullptr;  // null ends a table
  // In emulated builds, runs one thread of the kernel; parameters[i] points to the i-th parameter.
  void (*run_thread)(void** parameters) = nullptr;
  // In builds by nvcc, the kernel's argument of cudaLaunchKernelExC.
  const void* stub = nullptr;
  int32_t parameter_count = 0;
  int32_t parameter_bytes = 0;  // the bytes of all parameters
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DIALECT_ENTRY_H_
