// Converts the attributes of reduce-precision to the masks and limits of its kernel. Tests:
// block_function_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_PRECISION_RULE_H_
#define ASSAY_BACKENDS_CPU_VECTOR_PRECISION_RULE_H_

#include <cstdint>

#include "backends/cpu/vector/kernel_table.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

// `type` is a float type, exponent_bits at least 1, mantissa_bits at least 0.
PrecisionRule MakePrecisionRule(ElementType type, int64_t exponent_bits, int64_t mantissa_bits);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_PRECISION_RULE_H_
