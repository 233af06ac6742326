// broadcast: the operand's elements along new dimensions.
//   broadcast_c1 operand and result are arrays
//   broadcast_c2 one entry per dimension of the operand
//   broadcast_c3 entries lie in the result (any order)
//   broadcast_c4 mapped sizes are equal (a size of 1 does not stretch)
//   broadcast_c5 sizes put in front are not negative
//   broadcast_c6 (strict) no entry comes twice
// Source: reference ops_structural.md 3.1, 3.2; hlo_text_format.md 6.4. Tests:
// spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// Without a written shape XLA's reader takes `dimensions` as sizes put in front of the operand's.
absl::StatusOr<Shape> WithLeadingSizes(const Instruction& broadcast) {
  const Shape& operand = broadcast.operand(0)->shape();
  const absl::Span<const int64_t> sizes = broadcast.GetInts(Attr::kDimensions);
  Dimensions dimensions(sizes.begin(), sizes.end());
  for (int64_t size : sizes) {
    ASSAY_REQUIRE(broadcast, "broadcast_c5", size >= 0, "sizes must not be negative, found ",
                  ListText(sizes));
  }
  const int64_t leading = static_cast<int64_t>(sizes.size());
  dimensions.insert(dimensions.end(), operand.dimensions().begin(), operand.dimensions().end());
  Shape shape(operand.element_type(), dimensions);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.is_dynamic_dimension(d)) shape.set_dynamic_dimension(leading + d, true);
  }
  return shape;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kBroadcast>(const Instruction& broadcast) {
  ASSAY_RETURN_IF_ERROR(RequireArray(broadcast, "broadcast_c1", 0));
  if (ShapeIsOpen(broadcast)) return WithLeadingSizes(broadcast);
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(broadcast, "broadcast_c1"));
  const Shape& operand = broadcast.operand(0)->shape();
  const Shape& result = broadcast.shape();
  const absl::Span<const int64_t> map = broadcast.GetInts(Attr::kDimensions);
  ASSAY_REQUIRE(broadcast, "broadcast_c2", static_cast<int64_t>(map.size()) == operand.rank(),
                "dimensions must have ", operand.rank(), " entries, found ", ListText(map));
  for (int64_t d = 0; d < operand.rank(); ++d) {
    ASSAY_RETURN_IF_ERROR(
        RequireDimension(broadcast, "broadcast_c3", "dimensions", map[d], result.rank()));
    ASSAY_REQUIRE(broadcast, "broadcast_c4", operand.dimension(d) == result.dimension(map[d]),
                  "dimension ", d, " of the operand has size ", operand.dimension(d),
                  ", but dimension ", map[d], " of the result ", result.dimension(map[d]));
  }
  return WithElementType(result, operand.element_type());
}

absl::Status CheckBroadcastStrictly(const Instruction& broadcast) {
  return RequireDimensions(broadcast, "broadcast_c6", "dimensions",
                           broadcast.GetInts(Attr::kDimensions), broadcast.shape().rank());
}

}  // namespace assay
