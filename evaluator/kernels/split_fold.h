// Folds of several arrays at a time, some of whose results are recognised reducers by themselves
// (RecogniseParts): each of these is folded as an instruction of its own, the others as written.
// Tests: folding_kernels_test.cc, wrapped_regions_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SPLIT_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_SPLIT_FOLD_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"

namespace assay::evaluator::kernels {

// Prepares the fold of one array. Operand i of `part` is operand operands[i] of the whole.
using PreparePart =
    absl::FunctionRef<KernelOrNull(const Instruction& part, absl::Span<const int64_t> operands)>;

// Says if the arrays of a run are the operands of the instruction, or the arrays that views of them
// refer to, which all parts get in that case.
enum class PartOperands { kOwn, kAll };

// Takes reduce, reduce-window and scatter. Null if there is nothing to split, or a part has no
// kernel. `prepare_whole` prepares the instruction as written.
KernelOrNull PrepareSplitFold(const Instruction& fold, PartOperands operands, PreparePart part,
                              absl::FunctionRef<KernelOrNull()> prepare_whole);

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SPLIT_FOLD_H_
