// constant: the shape of its literal. An elided one has no elements to hold against.
//   constant_c1 a shape or a literal is there
//   constant_c2 no token, opaque or buffer inside
// Source: reference ops_control_and_collectives.md 3. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kConstant>(const Instruction& constant) {
  ASSAY_REQUIRE(constant, "constant_c1", constant.literal() != nullptr || !ShapeIsOpen(constant),
                "neither a shape nor a value is given");
  Shape shape = constant.literal() == nullptr ? constant.shape() : constant.literal()->shape();
  for (const Shape* leaf : Leaves(shape)) {
    ASSAY_REQUIRE(constant, "constant_c2", leaf->is_array(), "there are no constants of ",
                  leaf->ToString());
  }
  return shape;
}

}  // namespace assay
