// The parameters and the entries of the kernels that the emulator's tests run.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_TESTING_KERNELS_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_TESTING_KERNELS_H_

#include <cstdint>

#include "backends/cuda/dialect/entry.h"

namespace assay::cuda::testing {

struct RowSumParameter {
  const float* x = nullptr;
  float* sums = nullptr;
  int64_t rows = 0, columns = 0;
};

struct WarpResults {
  uint32_t index, up, down, exclusive, ballot, match, sum, bits, count, half;
  int32_t any, every, least;
};

struct Words {
  const uint32_t* x = nullptr;
  uint32_t* y = nullptr;
};

}  // namespace assay::cuda::testing

namespace assay::cuda::emulated {
extern const Entry kTestingEntries[];
}
namespace assay::cuda::checked {
extern const Entry kTestingEntries[];
}

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_TESTING_KERNELS_H_
