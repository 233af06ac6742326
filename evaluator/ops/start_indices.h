// Start indices that come as values: exact in the integer type of the index, signed or not, so that
// nothing wraps. Source: reference ops_structural.md 3.10, 4.
#ifndef ASSAY_EVALUATOR_OPS_START_INDICES_H_
#define ASSAY_EVALUATOR_OPS_START_INDICES_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "evaluator/ops/definition.h"

namespace assay {

// The value of an index; an unsigned one beyond 63 bits as the largest int64_t, which every size
// treats alike.
inline int64_t IndexValue(ElementType type, Element index) {
  if (IsSigned(type)) return DecodeSigned(type, index.bits);
  const uint64_t value = DecodeUnsigned(type, index.bits);
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

// cl(index, 0, top).
inline int64_t ClampStart(int64_t index, int64_t top) {
  return std::min(std::max<int64_t>(index, 0), top);
}

// The clamped starts of dynamic-slice and dynamic-update-slice: operands from `first` on, scalars
// or one vector, for a slice of `sizes` from operand 0.
absl::StatusOr<Dimensions> ClampedStarts(const Instruction& instruction, int64_t first,
                                         absl::Span<const int64_t> sizes,
                                         OperandElements& operands);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_START_INDICES_H_
