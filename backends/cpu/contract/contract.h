// Kernels for the contractions: dot, ragged-dot, scaled-dot and convolution of every element type.
// All of them are matrix products (product.h), whose rows, columns and contracted positions are in
// the operands in the order of the dimension numbers.
//
// Floats up to 32 bits are multiplied and summed in f32, others in f64, and the sum is rounded once
// to the type of the result. Integers are exact modulo 2^bits. No precision or algorithm attribute
// requires more than this, so both are ignored. Where factors and result are of different classes
// (float, complex, integer, pred), both factors are converted to the type of the result first.
// Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_H_

#include "runtime/engine.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// Returns a kernel for a dot, ragged-dot or scaled-dot that CheckInstruction accepted and that
// outlives the kernel. Returns UNIMPLEMENTED for a scaled-dot of other types than floats.
runtime::KernelOr PrepareDot(const Instruction& dot);
// Returns a kernel for a convolution, likewise. Returns UNIMPLEMENTED for a sparse kernel.
runtime::KernelOr PrepareConvolution(const Instruction& convolution);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_H_
