// A program that is one fusion, and its kernels, for tests of generated text.
#ifndef ASSAY_BACKENDS_CUDA_TESTING_FUSED_PROGRAM_H_
#define ASSAY_BACKENDS_CUDA_TESTING_FUSED_PROGRAM_H_

#include "backends/cuda/kernels/lowering.h"
#include "spec/ir/module.h"

namespace assay::cuda::testing {

inline constexpr char kFused[] =
    "HloModule m\n"
    "fused { x = f32[10,7] parameter(0) y = f32[7] parameter(1) c = f32[] constant(2.5)\n"
    "  b = f32[10,7] broadcast(y), dimensions={1} d = f32[10,7] broadcast(c), dimensions={}\n"
    "  m = f32[10,7] multiply(x, d) ROOT a = f32[10,7] add(m, b) }\n"
    "ENTRY e { x = f32[10,7] parameter(0) y = f32[7] parameter(1)\n"
    "  ROOT f = f32[10,7] fusion(x, y), kind=kLoop, calls=fused }\n";

// Its function is a polynomial.
inline constexpr char kExponential[] =
    "HloModule m\n"
    "fused { x = f32[10] parameter(0) e = f32[10] exponential(x) ROOT n = f32[10] negate(e) }\n"
    "ENTRY e { x = f32[10] parameter(0) ROOT f = f32[10] fusion(x), kind=kLoop, calls=fused }\n";

inline KernelPlan FusedPlan(const Module& module) {
  return *PrepareFusion(*module.entry()->root());
}

}  // namespace assay::cuda::testing

#endif  // ASSAY_BACKENDS_CUDA_TESTING_FUSED_PROGRAM_H_
