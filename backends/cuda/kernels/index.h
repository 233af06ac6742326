// Loops and index arithmetic that kernels share.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_INDEX_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_INDEX_H_

#include "backends/cuda/kernels/device.h"
#include "backends/cuda/kernels/parameters.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// The first index of a thread in a loop over all threads of the grid, and the distance of the next.
__device__ inline int64_t FirstIndex() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t GridStride() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// The coordinates of element `index` of a box in row-major order.
ASSAY_DEVICE void Coordinates(const Box& box, int64_t index, int64_t* at) {
  for (int d = box.rank - 1; d >= 0; --d) {
    at[d] = index % box.sizes[d];
    index /= box.sizes[d];
  }
}
ASSAY_DEVICE int64_t Position(const Box& box, const Strides& strides, int64_t index) {
  int64_t position = strides.offset;
  for (int d = box.rank - 1; d > 0; --d) {
    position += index % box.sizes[d] * strides.strides[d];
    index /= box.sizes[d];
  }
  return box.rank > 0 ? position + index * strides.strides[0] : position;
}
// To the next coordinates in row-major order; false after the last.
ASSAY_DEVICE bool Advance(const Box& box, int64_t* at) {
  for (int d = box.rank - 1; d >= 0; --d) {
    if (++at[d] < box.sizes[d]) return true;
    at[d] = 0;
  }
  return false;
}

ASSAY_DEVICE int64_t ElementsOf(const Box& box) {
  int64_t count = 1;
  for (int d = 0; d < box.rank; ++d) count *= box.sizes[d];
  return count;
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_INDEX_H_
