// What backends/testing/accuracy.h measures of the kernels: the step of an operation, on the host.
// Used by accuracy_test.cc and accuracy_main.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_TESTING_STEP_COMPUTATION_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_TESTING_STEP_COMPUTATION_H_

#include "backends/cuda/kernels/apply.h"
#include "backends/cuda/kernels/lowering.h"
#include "backends/testing/accuracy.h"

namespace assay::cuda {

inline measure::Accuracy Measured(Opcode opcode, ElementType type, int64_t inputs, int threads) {
  const std::unique_ptr<Module> module = measure::ModuleOf(opcode, type);
  const Step step = *StepOf(*module->entry()->root());
  const auto compute = [&](absl::Span<const std::byte* const> operands, std::byte* results,
                           int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      Value values[3] = {};
      for (size_t k = 0; k < operands.size(); ++k) {
        values[k] = emulated::Load(step.in, operands[k], i);
      }
      emulated::Store(step.out, results, i, emulated::Apply(step, values[0], values[1], values[2]));
    }
  };
  return measure::Measure(opcode, type, compute, inputs, threads);
}

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_TESTING_STEP_COMPUTATION_H_
