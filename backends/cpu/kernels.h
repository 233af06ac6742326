// The functions that make kernels, by family; each family has a file. Arguments are instructions
// that the runtime has verified and that outlive their kernels. Errors are UNIMPLEMENTED with the
// instruction's name. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_KERNELS_H_
#define ASSAY_BACKENDS_CPU_KERNELS_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "runtime/custom_calls/custom_call.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "spec/analysis/mixed_move.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::cpu {

using runtime::ArrayRef;
using runtime::Context;
using runtime::Kernel;
using runtime::KernelOr;
using runtime::MutableArrayRef;
using runtime::StorageBytes;

// These kernels read operands through views. Without views operand k is array k.
KernelOr PrepareElementwise(const Instruction& instruction, absl::Span<const View> views);
KernelOr PrepareReduce(const Instruction& reduce, absl::Span<const View> views);
// Returns a kernel for a fusion whose root is a reduce of elementwise operations; null for any
// other fusion.
KernelOr PrepareFusedReduce(const Instruction& fusion);

KernelOr PrepareMove(const Instruction& move);  // broadcast, concatenate, pad, transpose ...
// An operation on several float types (analysis::SplitMixedMove).
KernelOr PrepareMixedMove(std::unique_ptr<analysis::MixedMove> split);
KernelOr PrepareBitcast(const Instruction& cast);  // bitcast, bitcast-convert
KernelOr PrepareIota(const Instruction& iota);
KernelOr PrepareDynamicSlice(const Instruction& slice);
KernelOr PrepareDynamicUpdateSlice(const Instruction& update);
KernelOr PrepareGather(const Instruction& gather);
KernelOr PrepareScatter(const Instruction& scatter);
KernelOr PrepareMap(const Instruction& map);
KernelOr PrepareReduceWindow(const Instruction& reduce_window);
KernelOr PrepareSelectAndScatter(const Instruction& select_and_scatter);
KernelOr PrepareSort(const Instruction& sort);
KernelOr PrepareTopK(const Instruction& topk);
KernelOr PrepareScan(const Instruction& scan);
KernelOr PrepareBatchNorm(const Instruction& batch_norm);
KernelOr PrepareFft(const Instruction& fft);
KernelOr PrepareCholesky(const Instruction& cholesky);
KernelOr PrepareTriangularSolve(const Instruction& solve);
KernelOr PrepareRngBitGenerator(const Instruction& generator);

// Returns a kernel for a while loop whose condition and body are elementwise on few elements; null
// for any other.
KernelOr PrepareSmallLoop(const Instruction& loop);
// The same for arrays of different, very few elements, and for loops that read and write slices of
// larger arrays.
KernelOr PrepareElementLoop(const Instruction& loop);

// Returns a kernel for a fusion of a dot or convolution with elementwise operations after it, or of
// a reduce with elementwise operations before it; null for any other fusion.
KernelOr PrepareFusionOfParts(const Instruction& fusion);

// Engine::PrepareCollective.
KernelOr PrepareCollectiveKernel(const Instruction& collective, int64_t members, int64_t position);

// rng, rng-get-and-update-state
runtime::EffectOr PrepareRandom(const Instruction& instruction);

// Returns the registered targets, which may be null, and those that the backend knows.
runtime::CustomCallMeanings MeaningsOf(const runtime::CustomCallRegistry* registered);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_KERNELS_H_
