// Fusions as one kernel: elementwise operations on blocks of elements, whose operands are read
// through the data movement that the fusion does to its parameters (broadcast, slice, pad,
// transpose, reshape ...). Intermediate values of the fused instructions are not written to memory,
// and the bits are those of the instructions run one after the other. Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_FUSION_H_
#define ASSAY_BACKENDS_CPU_FUSION_FUSION_H_

#include "runtime/engine.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// A kernel for an instruction `fusion`, or null where its computation does anything else: moves
// what it has computed, computes arrays of several sizes, or contains an operation that is not
// elementwise. All outputs have the same number of elements. The instruction must outlive neither
// this call nor the kernel.
runtime::KernelOr PrepareFusion(const Instruction& fusion);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_FUSION_H_
