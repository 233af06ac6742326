// map: a computation of scalars applied to each element.
//   map_c1 at least one operand, arrays of equal dimensions (a scalar of their type stretches)
//   map_c2 without a written shape, dimensions is {0,...,rank-1} (else it does not count)
//   map_c3 the computation takes one scalar per operand, of its type (fp-mix)
//   map_c4 and returns a scalar
//   map_c5 (strict) no scalar stands beside arrays
// Source: reference ops_structural.md 12.1. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// The operand whose dimensions the result has: the first, or where that is a scalar, the first
// array of its type.
absl::StatusOr<const Shape*> MappedShape(const Instruction& map) {
  ASSAY_REQUIRE(map, "map_c1", map.operand_count() >= 1, "there must be an operand");
  ASSAY_RETURN_IF_ERROR(RequireArrays(map, "map_c1"));
  const Shape* mapped = &map.operand(0)->shape();
  for (const Instruction* operand : map.operands()) {
    const Shape& shape = operand->shape();
    if (SameSizes(shape, *mapped)) continue;
    ASSAY_REQUIRE(map, "map_c1",
                  (shape.is_scalar() || mapped->is_scalar()) &&
                      TypesMix(shape.element_type(), mapped->element_type()),
                  "operands must have equal dimensions, found ", mapped->ToString(), " and ",
                  shape.ToString());
    if (mapped->is_scalar()) mapped = &shape;
  }
  return mapped;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kMap>(const Instruction& map) {
  const absl::StatusOr<const Shape*> mapped = MappedShape(map);
  if (!mapped.ok()) return mapped.status();
  const Shape& first = **mapped;
  if (ShapeIsOpen(map)) {
    const absl::Span<const int64_t> dimensions = map.GetInts(Attr::kDimensions);
    bool all = static_cast<int64_t>(dimensions.size()) == first.rank();
    for (size_t d = 0; all && d < dimensions.size(); ++d) {
      all = dimensions[d] == static_cast<int64_t>(d);
    }
    ASSAY_REQUIRE(map, "map_c2", all, "dimensions must list the ", first.rank(),
                  " dimensions in order, found ", ListText(dimensions));
  }
  const absl::StatusOr<Signature> signature = SignatureOf(map, map.to_apply());
  if (!signature.ok()) return signature.status();
  const absl::string_view name = map.to_apply()->name();
  const auto& parameters = signature->parameters;
  ASSAY_REQUIRE(map, "map_c3", static_cast<int64_t>(parameters.size()) == map.operand_count(), name,
                " must have ", map.operand_count(), " parameters, found ", parameters.size());
  for (int64_t k = 0; k < map.operand_count(); ++k) {
    const Shape& operand = map.operand(k)->shape();
    ASSAY_REQUIRE(map, "map_c3",
                  parameters[k]->is_scalar() &&
                      TypesMix(parameters[k]->element_type(), operand.element_type()),
                  "parameter ", k, " of ", name, " must be ", Name(operand.element_type()),
                  "[], found ", parameters[k]->ToString());
  }
  ASSAY_REQUIRE(map, "map_c4", signature->result->is_scalar(), name,
                " must return a scalar, found ", signature->result->ToString());
  Shape shape(signature->result->element_type(), first.dimensions());
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (first.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  return shape;
}

absl::Status CheckMapStrictly(const Instruction& map) {
  for (const Instruction* operand : map.operands()) {
    ASSAY_REQUIRE(map, "map_c5", SameSizes(operand->shape(), map.shape()),
                  "operands must have the dimensions of ", map.shape().ToString(), ", found ",
                  operand->shape().ToString());
  }
  return absl::OkStatus();
}

}  // namespace assay
