// The macros of the dialect for nvcc; everything else is CUDA's own. Only dialect.h includes it.
#ifndef ASSAY_BACKENDS_CUDA_DIALECT_DEVICE_DIALECT_H_
#define ASSAY_BACKENDS_CUDA_DIALECT_DEVICE_DIALECT_H_

#define ASSAY_CUDA_BUILD device

// NVRTC lacks these words of nvcc's host compilers.
#if defined(__CUDACC_RTC__)
#define __extension__
#define __builtin_memcpy memcpy
#define __builtin_sqrt __dsqrt_rn
#if defined(ASSAY_CUDA_MARKED_FMA)
#define __builtin_fma ::assay::cuda::device::MarkedFma
#else
#define __builtin_fma __fma_rn
#endif
#endif

// An fma that bears a mark in the PTX, so that tools/cuda_texts finds those that the compiler made.
#if defined(ASSAY_CUDA_MARKED_FMA)
namespace assay::cuda::device {

__device__ inline double MarkedFma(double a, double b, double c) {
  double result;
  asm("fma.rn.f64 %0, %1, %2, %3; // written" : "=d"(result) : "d"(a), "d"(b), "d"(c));
  return result;
}

}  // namespace assay::cuda::device
#endif

#define ASSAY_SHARED(T, name, dims) __shared__ T name dims
#define ASSAY_DYNAMIC_SHARED(T, name)                                   \
  extern __shared__ __align__(16) unsigned char assay_dynamic_shared[]; \
  T* const name = reinterpret_cast<T*>(assay_dynamic_shared)
#define ASSAY_PARAMETER(T, name) const __grid_constant__ T name
#define ASSAY_ENTRY(kernel) ::assay::cuda::device::MakeEntry(#kernel, kernel)

// A generated kernel has no table of entries.
#if !defined(__CUDACC_RTC__)
namespace assay::cuda::device {

template <typename... Parameters>
Entry MakeEntry(const char* name, void (*kernel)(Parameters...)) {
  return {name, nullptr, reinterpret_cast<const void*>(kernel),
          static_cast<int32_t>(sizeof...(Parameters)),
          static_cast<int32_t>((sizeof(Parameters) + ... + 0))};
}

}  // namespace assay::cuda::device
#endif

#endif  // ASSAY_BACKENDS_CUDA_DIALECT_DEVICE_DIALECT_H_
