// Elements of arrays of real or complex numbers as complex numbers. Tests: cuda_kernels_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_ELEMENTS_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_ELEMENTS_H_

#include "backends/cuda/kernels/complex.h"
#include "backends/cuda/kernels/element.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

ASSAY_DEVICE Complex LoadComplex(const ElementRow& row, const void* data, int64_t at) {
  const Value value = Load(row, data, at);
  return {DecodeFloat(row, value.bits),
          row.kind == kKindComplex ? DecodeFloat(row, value.imag) : 0};
}
ASSAY_DEVICE void StoreComplex(const ElementRow& row, void* data, int64_t at, Complex z) {
  Value value = {EncodeFloat(row, z.re), 0};
  if (row.kind == kKindComplex) value.imag = EncodeFloat(row, z.im);
  Store(row, data, at, value);
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_COMPLEX_ELEMENTS_H_
