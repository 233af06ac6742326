// reshape: the elements in row-major order under other dimensions.
//   reshape_c1 operand and result are arrays of known size
//   reshape_c2 of as many elements
// Source: reference ops_structural.md 3.4. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kReshape>(const Instruction& reshape) {
  ASSAY_RETURN_IF_ERROR(RequireArray(reshape, "reshape_c1", 0));
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(reshape, "reshape_c1"));
  const Shape& operand = reshape.operand(0)->shape();
  const absl::StatusOr<int64_t> before = operand.ElementCount();
  ASSAY_REQUIRE(reshape, "reshape_c1", before.ok(), before.status().message());
  const absl::StatusOr<int64_t> after = reshape.shape().ElementCount();
  ASSAY_REQUIRE(reshape, "reshape_c1", after.ok(), after.status().message());
  ASSAY_REQUIRE(reshape, "reshape_c2", *before == *after, "the operand has ", *before,
                " elements, the result ", *after);
  return WithElementType(reshape.shape(), operand.element_type());
}

}  // namespace assay
