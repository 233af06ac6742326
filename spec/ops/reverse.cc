// reverse: turns the order along the listed dimensions.
//   reverse_c1 the operand is an array
//   reverse_c2 dimensions in range, none twice
// Source: reference ops_structural.md 3.8. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kReverse>(const Instruction& reverse) {
  ASSAY_RETURN_IF_ERROR(RequireArray(reverse, "reverse_c1", 0));
  const Shape& operand = reverse.operand(0)->shape();
  ASSAY_RETURN_IF_ERROR(RequireDimensions(reverse, "reverse_c2", "dimensions",
                                          reverse.GetInts(Attr::kDimensions), operand.rank()));
  return operand;
}

}  // namespace assay
