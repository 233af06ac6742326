// iota: each element is its index along a dimension.
//   iota_c1 the result is an array of rank 1 or more
//   iota_c2 the dimension is in range
//   iota_c3 of numbers (no pred)
//   iota_c4 (strict) of static size
// Source: reference ops_structural.md 3.14. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kIota>(const Instruction& iota) {
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(iota, "iota_c1"));
  const Shape& shape = iota.shape();
  ASSAY_REQUIRE(iota, "iota_c1", shape.rank() >= 1, "the result must not be a scalar");
  ASSAY_RETURN_IF_ERROR(RequireDimension(iota, "iota_c2", "iota_dimension",
                                         iota.GetInt(Attr::kIotaDimension), shape.rank()));
  ASSAY_REQUIRE(iota, "iota_c3", !IsPred(shape.element_type()),
                "the result must have numbers, found ", shape.ToString());
  return shape;
}

absl::Status CheckIotaStrictly(const Instruction& iota) {
  ASSAY_REQUIRE(iota, "iota_c4", !iota.shape().is_dynamic(), "the result must be static, found ",
                iota.shape().ToString());
  return absl::OkStatus();
}

}  // namespace assay
