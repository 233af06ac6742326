// The headers that generated kernels include, as this program was built with them
// (kernel_sources.cmake).
#ifndef ASSAY_BACKENDS_CUDA_TEXT_KERNEL_SOURCES_H_
#define ASSAY_BACKENDS_CUDA_TEXT_KERNEL_SOURCES_H_

namespace assay::cuda::text {

struct KernelSource {
  const char* path = nullptr;  // as texts include it
  const char* text = nullptr;
};
// A list that ends with an entry without a path.
extern const KernelSource kKernelSources[];

}  // namespace assay::cuda::text

#endif  // ASSAY_BACKENDS_CUDA_TEXT_KERNEL_SOURCES_H_
