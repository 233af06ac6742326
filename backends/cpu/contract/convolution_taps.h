// Convolution by its definition, output by output and tap by tap. Padding contributes nothing, even
// if the kernel has an infinity or a NaN there. Tests: contract_test.cc.
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
  // The element types of the operands' data. Sizes are those of the shapes.
  ElementType input_type, kernel_type;
};
absl::Status SumTaps(const TapSums& sums, const std::byte* input, const std::byte* kernel,
                     std::byte* result, runtime::Context& context);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONVOLUTION_TAPS_H_
