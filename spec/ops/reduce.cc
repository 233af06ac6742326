// reduce: folds the listed dimensions with a computation.
//   reduce_c1 the N operands are arrays of equal dimensions
//   reduce_c2 dimensions in range, no twice
//   reduce_c3 the N init values are scalars, and reducer_c1..c6
// Source: reference ops_structural.md 5.1. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/dimension_numbers.h"
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kReduce>(const Instruction& reduce) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(reduce, "reduce_c1"));
  const int64_t n = reduce.operand_count() / 2;
  const Shape& first = reduce.operand(0)->shape();
  std::vector<ElementType> elements, inits;
  for (int64_t k = 0; k < n; ++k) {
    const Shape& operand = reduce.operand(k)->shape();
    const Shape& init = reduce.operand(n + k)->shape();
    ASSAY_REQUIRE(reduce, "reduce_c1", SameSizes(operand, first),
                  "operands must have equal dimensions, found ", first.ToString(), " and ",
                  operand.ToString());
    ASSAY_REQUIRE(reduce, "reduce_c3", init.is_scalar(), "init values must be scalars, found ",
                  init.ToString());
    elements.push_back(operand.element_type());
    inits.push_back(init.element_type());
  }
  const absl::Span<const int64_t> reduced = reduce.GetInts(Attr::kDimensions);
  ASSAY_RETURN_IF_ERROR(
      RequireDimensions(reduce, "reduce_c2", "dimensions", reduced, first.rank()));
  const absl::StatusOr<ReducerTypes> types =
      CheckReducer(reduce, reduce.to_apply(), elements, inits);
  if (!types.ok()) return types.status();

  const Dimensions kept = RemainingDimensions(first.rank(), reduced);
  Shape shape(first.element_type(), Dimensions(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) {
    shape.set_dimension(k, first.dimension(kept[k]));
    if (first.is_dynamic_dimension(kept[k])) shape.set_dynamic_dimension(k, true);
  }
  std::vector<Shape> results;
  for (ElementType type : types->results) results.push_back(WithElementType(shape, type));
  return OneOrTuple(std::move(results), types->is_tuple);
}

}  // namespace assay
