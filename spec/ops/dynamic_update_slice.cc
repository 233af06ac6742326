// dynamic-update-slice: the operand with a box replaced, at a start known at run time.
//   dynamic_update_slice_c1 operand and update are arrays
//   dynamic_update_slice_c2 of equal rank
//   dynamic_update_slice_c3 element types agree (fp-mix)
//   dynamic_update_slice_c4 the update is not larger, and start_indices_c1..c4 (dynamic_slice.h)
// Source: reference ops_structural.md 3.11. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/dynamic_slice.h"
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kDynamicUpdateSlice>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArray(op, "dynamic_update_slice_c1", 0));
  ASSAY_RETURN_IF_ERROR(RequireArray(op, "dynamic_update_slice_c1", 1));
  const Shape& operand = op.operand(0)->shape();
  const Shape& update = op.operand(1)->shape();
  ASSAY_REQUIRE(op, "dynamic_update_slice_c2", operand.rank() == update.rank(),
                "the update must have rank ", operand.rank(), ", found ", update.ToString());
  ASSAY_REQUIRE(op, "dynamic_update_slice_c3",
                TypesMix(operand.element_type(), update.element_type()),
                "operand and update must have one element type, found ", operand.ToString(),
                " and ", update.ToString());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    ASSAY_REQUIRE(op, "dynamic_update_slice_c4", update.dimension(d) <= operand.dimension(d),
                  "the update is larger in dimension ", d, ": ", update.ToString(), " in ",
                  operand.ToString());
  }
  ASSAY_RETURN_IF_ERROR(CheckStartIndices(op, 2, operand.rank()));
  return operand;
}

}  // namespace assay
