// What libraries leave to do: cuFFT does not scale inverse transforms, and cuSOLVER leaves one
// triangle of a Cholesky factor as it was. Tests: libraries_test.cc.
#include "backends/cuda/kernels/complex_elements.h"
#include "backends/cuda/kernels/index.h"
#include "backends/cuda/kernels/library_parameters.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

__global__ void DivideInPlace(ASSAY_PARAMETER(DivideInPlaceParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const Complex z = LoadComplex(p.row, p.data, i);
    StoreComplex(p.row, p.data, i, {z.re / p.divisor, 0});
  }
}

__global__ void FinishFactor(ASSAY_PARAMETER(FinishFactorParameter, p)) {
  const int64_t cells = p.n * p.n;
  for (int64_t i = FirstIndex(); i < p.batches * cells; i += GridStride()) {
    const int64_t row = i % cells / p.n, column = i % p.n;
    if (p.failed[i / cells] != 0) {
      const double imaginary = p.row.kind == kKindComplex ? NanValue() : 0;
      StoreComplex(p.row, p.data, i, {NanValue(), imaginary});
    } else if (p.lower ? column > row : column < row) {
      StoreComplex(p.row, p.data, i, {0, 0});
    }
  }
}

ASSAY_ENTRIES(Finish) = {ASSAY_ENTRY(DivideInPlace), ASSAY_ENTRY(FinishFactor), ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
