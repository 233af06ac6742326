// convolution by its definition, output by output and tap by tap: absent elements contribute
// nothing, whatever the kernel holds. Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_CONVOLUTION_TAPS_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_CONVOLUTION_TAPS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "spec/analysis/window_taps.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::cpu {

struct TapSums {
  const ConvolutionGeometry& conv;
  const Shape& input;
  const Shape& kernel;
  const Shape& result;
  // The elements that operands are given with, of the sizes of the shapes.
  ElementType input_type, kernel_type;
};
absl::Status SumTaps(const TapSums& sums, const std::byte* input, const std::byte* kernel,
                     std::byte* result, runtime::Context& context);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONVOLUTION_TAPS_H_
