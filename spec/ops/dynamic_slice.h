// Start indices of dynamic-slice and dynamic-update-slice.
#ifndef ASSAY_SPEC_OPS_DYNAMIC_SLICE_H_
#define ASSAY_SPEC_OPS_DYNAMIC_SLICE_H_

#include <cstdint>

#include "spec/ir/module.h"

namespace assay {

// Whether the starts, from operand `first` on, come as one array of rank 1 (the form of 2017).
bool HasVectorStarts(const Instruction& op, int64_t first);

// Operands from `first` on are the start indices of an array of `rank`. Clauses:
//   start_indices_c1 one per dimension
//   start_indices_c2 of integers
//   start_indices_c3 of one type
//   start_indices_c4 scalars (or one array of `rank` entries)
absl::Status CheckStartIndices(const Instruction& op, int64_t first, int64_t rank);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_DYNAMIC_SLICE_H_
