// Products that a fusion joins with what computes on their results. Test: passes_test.cc.
#ifndef ASSAY_BACKENDS_PASSES_FUSED_PRODUCT_H_
#define ASSAY_BACKENDS_PASSES_FUSED_PRODUCT_H_

#include "spec/ir/module.h"

namespace assay::passes {

inline bool IsFusedProduct(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kDot || instruction.opcode() == Opcode::kConvolution;
}

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_FUSED_PRODUCT_H_
