// Kernels for the contractions: dot, ragged-dot, scaled-dot and convolution of every element type.
// All of them are products of matrices (product.h) whose rows, columns and contracted positions lie
// in the operands in whatever order the dimension numbers say.
//
// Floats up to 32 bits are multiplied and summed in f32, others in f64, and the sum is rounded once
// to the type of the result. Integers are exact modulo 2^bits. A precision or an algorithm asks for
// at most what this is; it changes nothing. Where factors and result are of different classes
// (float, complex, integer, pred), both factors are converted to the type of the result first.
// Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_H_

#include "runtime/engine.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// Kernels for instructions that CheckInstruction accepted and that outlive the kernel.
// UNIMPLEMENTED: a scaled-dot of other than floats.
// dot, ragged-dot and scaled-dot.
runtime::KernelOr PrepareDot(const Instruction& dot);
// UNIMPLEMENTED: a sparse kernel.
runtime::KernelOr PrepareConvolution(const Instruction& convolution);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_H_
