// The head of a kernel whose source is generated (backends/cuda/text/fusion_text.h): one entry
// point with the parameter of Elementwise.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_TEXT_KERNEL_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_TEXT_KERNEL_H_

#include "backends/cuda/kernels/program.h"

#if defined(__CUDACC__)
#define ASSAY_TEXT_KERNEL(name) \
  extern "C" __global__ void name(ASSAY_PARAMETER(ElementwiseParameter, p))
#else
// In a library for the emulator, the function that runs one thread (Entry::run_thread).
#define ASSAY_TEXT_KERNEL(name)                                       \
  static void name##OfThread(const ElementwiseParameter& p);          \
  extern "C" void name(void** parameters) {                           \
    name##OfThread(*static_cast<ElementwiseParameter*>(*parameters)); \
  }                                                                   \
  static void name##OfThread(const ElementwiseParameter& p)
#endif

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_TEXT_KERNEL_H_
