// The cpu backend's functions in the form that backends/testing/accuracy.h measures. Used by
// accuracy_test.cc and accuracy_main.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_TESTING_BLOCK_COMPUTATION_H_
#define ASSAY_BACKENDS_CPU_VECTOR_TESTING_BLOCK_COMPUTATION_H_

#include "backends/cpu/vector/block_function.h"
#include "backends/testing/accuracy.h"

namespace assay::cpu {

inline measure::Accuracy Measured(Opcode opcode, ElementType type, int64_t inputs, int threads) {
  const std::unique_ptr<Module> module = measure::ModuleOf(opcode, type);
  const BlockFunction function = *FindBlockFunction(*module->entry()->root());
  return measure::Measure(opcode, type, function, inputs, threads);
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_TESTING_BLOCK_COMPUTATION_H_
