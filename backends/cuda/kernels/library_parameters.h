// Parameters of the kernels that finish what libraries compute (finish.cu).
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_LIBRARY_PARAMETERS_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_LIBRARY_PARAMETERS_H_

#include <cstdint>

#include "backends/cuda/kernels/element_row.h"

namespace assay::cuda {

// Divides real numbers in place.
struct DivideInPlaceParameter {
  void* data = nullptr;
  ElementRow row;
  int64_t count = 0;
  double divisor = 1;
};

// Clears the triangle that a factorisation leaves as it was. A matrix whose `failed` is not 0
// becomes NaN.
struct FinishFactorParameter {
  void* data = nullptr;
  const int32_t* failed = nullptr;  // by matrix
  ElementRow row;
  int64_t n = 0, batches = 0;
  bool lower = true;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_LIBRARY_PARAMETERS_H_
