// Start indices that are operands. They are decoded exactly, so that nothing wraps. Source:
// reference ops_structural.md 3.10, 4.
#ifndef ASSAY_EVALUATOR_OPS_START_INDICES_H_
#define ASSAY_EVALUATOR_OPS_START_INDICES_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "evaluator/ops/definition.h"

namespace assay::evaluator {

// Clamps an index to [0, top].
inline int64_t ClampStart(int64_t index, int64_t top) {
  return std::min(std::max<int64_t>(index, 0), top);
}

// Returns the clamped start indices of dynamic-slice and dynamic-update-slice for a slice of
// `sizes` of operand 0. The operands from `first` on are scalars, or one vector.
absl::StatusOr<Dimensions> ClampedStarts(const Instruction& instruction, int64_t first,
                                         absl::Span<const int64_t> sizes,
                                         OperandElements& operands);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_START_INDICES_H_
