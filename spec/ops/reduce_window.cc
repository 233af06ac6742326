// reduce-window: folds what a moving window covers.
//   reduce_window_c1 the N operands are arrays of equal dimensions
//   reduce_window_c2 the N init values are scalars, and window_c1..c3, reducer_c1..c6
// Source: reference ops_structural.md 5.3. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/windowed_shape.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kReduceWindow>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "reduce_window_c1"));
  const int64_t n = op.operand_count() / 2;
  const Shape& first = op.operand(0)->shape();
  std::vector<ElementType> elements, inits;
  for (int64_t k = 0; k < n; ++k) {
    const Shape& operand = op.operand(k)->shape();
    const Shape& init = op.operand(n + k)->shape();
    ASSAY_REQUIRE(op, "reduce_window_c1", SameSizes(operand, first),
                  "operands must have equal dimensions, found ", first.ToString(), " and ",
                  operand.ToString());
    ASSAY_REQUIRE(op, "reduce_window_c2", init.is_scalar(), "init values must be scalars, found ",
                  init.ToString());
    elements.push_back(operand.element_type());
    inits.push_back(init.element_type());
  }
  const absl::StatusOr<ReducerTypes> types = CheckReducer(op, op.to_apply(), elements, inits);
  if (!types.ok()) return types.status();
  absl::StatusOr<Shape> windowed = WindowedShape(op, first);
  if (!windowed.ok()) return windowed;
  // The types of the init values.
  std::vector<Shape> results;
  for (ElementType type : inits) results.push_back(WithElementType(*windowed, type));
  return OneOrTuple(std::move(results), types->is_tuple);
}

}  // namespace assay
