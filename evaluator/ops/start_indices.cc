#include "evaluator/ops/start_indices.h"

#include "spec/element/index_value.h"

namespace assay::evaluator {

absl::StatusOr<Dimensions> ClampedStarts(const Instruction& instruction, int64_t first,
                                         absl::Span<const int64_t> sizes,
                                         OperandElements& operands) {
  Dimensions starts;
  for (int64_t d = 0; d < OperandShape(instruction, 0).rank(); ++d) {
    const bool vector = OperandShape(instruction, first).rank() == 1;
    const int64_t operand = vector ? first : first + d;
    absl::StatusOr<Element> index = operands.At(operand, vector ? Dimensions{d} : Dimensions());
    if (!index.ok()) return index.status();
    starts.push_back(ClampStart(IndexValue(OperandType(instruction, operand), *index),
                                OperandShape(instruction, 0).dimension(d) - sizes[d]));
  }
  return starts;
}

}  // namespace assay::evaluator
