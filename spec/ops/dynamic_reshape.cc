// dynamic-reshape: reshape to sizes known at run time, within declared bounds.
//   dynamic_reshape_c1 operand and result are arrays of known bounds
//   dynamic_reshape_c2 one size operand per dimension of the result
//   dynamic_reshape_c3 sizes are arrays of s32
//   dynamic_reshape_c4 the bounds hold as many elements
//   dynamic_reshape_c6 (strict) sizes are scalars
// Source: reference ops_structural.md 3.6. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kDynamicReshape>(const Instruction& reshape) {
  ASSAY_RETURN_IF_ERROR(RequireArray(reshape, "dynamic_reshape_c1", 0));
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(reshape, "dynamic_reshape_c1"));
  const Shape& operand = reshape.operand(0)->shape();
  const Shape& result = reshape.shape();
  ASSAY_REQUIRE(reshape, "dynamic_reshape_c2", reshape.operand_count() == result.rank() + 1,
                "there must be ", result.rank(), " sizes, found ", reshape.operand_count() - 1);
  for (int64_t i = 1; i < reshape.operand_count(); ++i) {
    const Shape& size = reshape.operand(i)->shape();
    ASSAY_REQUIRE(reshape, "dynamic_reshape_c3", size.element_type() == ElementType::kS32,
                  "operand ", i, " must be of s32, found ", size.ToString());
  }
  const absl::StatusOr<int64_t> before = operand.ElementCount();
  ASSAY_REQUIRE(reshape, "dynamic_reshape_c1", before.ok(), before.status().message());
  const absl::StatusOr<int64_t> after = result.ElementCount();
  ASSAY_REQUIRE(reshape, "dynamic_reshape_c1", after.ok(), after.status().message());
  ASSAY_REQUIRE(reshape, "dynamic_reshape_c4", *before == *after, "the operand holds ", *before,
                " elements, the result ", *after);
  return WithElementType(result, operand.element_type());
}

absl::Status CheckDynamicReshapeStrictly(const Instruction& reshape) {
  for (int64_t i = 1; i < reshape.operand_count(); ++i) {
    const Shape& size = reshape.operand(i)->shape();
    ASSAY_REQUIRE(reshape, "dynamic_reshape_c6", size.is_scalar(), "operand ", i,
                  " must be a scalar, found ", size.ToString());
  }
  return absl::OkStatus();
}

}  // namespace assay
