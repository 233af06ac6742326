// Sums over the leading dimensions of an array: see column_sums.cc. Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_COLUMN_SUMS_H_
#define ASSAY_EVALUATOR_KERNELS_COLUMN_SUMS_H_

#include <memory>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/recognised_fold.h"

namespace assay::evaluator::kernels {

// Returns null if the reduce does not sum leading dimensions of one operand that is no view.
std::unique_ptr<Kernel> PrepareColumnSums(const Instruction& reduce, const RecognisedFold& fold);

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_COLUMN_SUMS_H_
