// Contractions of factors and results of different classes. Tests: contraction_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CONVERTED_OPERANDS_H_
#define ASSAY_EVALUATOR_KERNELS_CONVERTED_OPERANDS_H_

#include "evaluator/kernels/kernel.h"

namespace assay::evaluator::kernels {

// Takes a dot, convolution or ragged-dot; returns null for others, where factors and result are of
// one class (float, integer, complex, pred), and where there is no kernel for factors of the
// result's type.
KernelOrNull PrepareOnConverted(const Instruction& instruction);

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CONVERTED_OPERANDS_H_
