// The language that kernels are written in: CUDA C++ without what the emulator cannot run. A kernel
// source (.cu) includes this header and nothing of the standard library beyond <cstdint>. nvcc
// compiles it as CUDA; GCC and Clang compile it as C++ over the emulated runtime (emulator/), once
// for speed and once more for the checker. docs/cuda_backend.md describes the dialect.
//
// What is written as in CUDA: __global__, __device__, __host__, __forceinline__, __launch_bounds__,
// threadIdx, blockIdx, blockDim, gridDim, __syncthreads and its _count, _and and _or, __syncwarp,
// __shfl_sync and its _up, _down and _xor, __ballot_sync, __any_sync, __all_sync,
// __match_any_sync, __reduce_add_sync and its siblings, atomics on 32 and 64 bits, __threadfence,
// bit casts (__float_as_uint ...), rounded operations (__fmaf_rn, __dadd_rn ...), bit counts.
//
// What is written by macros, because C++ cannot express it otherwise:
//   namespace assay::cuda::ASSAY_CUDA_BUILD { ... }   around all code of kernels: the builds differ
//   ASSAY_SHARED(float, tile, [32][33]);              a shared array of static size
//   ASSAY_DYNAMIC_SHARED(float, keys);                float* into the shared bytes of the launch
//   __global__ void F(ASSAY_PARAMETER(Big, p))        a parameter that is not copied per thread
//   ASSAY_ENTRIES(Group) = {ASSAY_ENTRY(F), ASSAY_ENTRY(G), ASSAY_LAST_ENTRY};
//                                                     the table kGroupEntries at the end of the
//                                                     file
// A struct in memory is copied into a variable before a function takes it by value: GCC hides such
// a read from the checker.
//
// Forbidden: grid-wide synchronisation, __activemask, dynamic parallelism, textures, inline PTX,
// device printf, CUB and Thrust, destructors that matter, and waiting in a loop for other threads.
// Tests: emulator/emulator_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DIALECT_DIALECT_H_
#define ASSAY_BACKENDS_CUDA_DIALECT_DIALECT_H_

#include <cstdint>

#include "backends/cuda/dialect/entry.h"

#if defined(__CUDACC__)
#include "backends/cuda/dialect/device_dialect.h"
#else
#include "backends/cuda/dialect/emulated_dialect.h"
#endif

#define ASSAY_ENTRIES(Group)                             \
  extern const ::assay::cuda::Entry k##Group##Entries[]; \
  const ::assay::cuda::Entry k##Group##Entries[]
#define ASSAY_LAST_ENTRY \
  {}

#endif  // ASSAY_BACKENDS_CUDA_DIALECT_DIALECT_H_
