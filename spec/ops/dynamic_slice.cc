// dynamic-slice: a box of fixed size at a start known at run time.
//   dynamic_slice_c1 the operand is an array
//   dynamic_slice_c2 one slice size per dimension
//   dynamic_slice_c3 sizes lie within the operand, and start_indices_c1..c4
// Source: reference ops_structural.md 3.10. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/dynamic_slice.h"

#include "spec/ops/rules.h"

namespace assay {

bool HasVectorStarts(const Instruction& op, int64_t first) {
  return op.operand_count() == first + 1 && op.operand(first)->shape().rank() == 1;
}

absl::Status CheckStartIndices(const Instruction& op, int64_t first, int64_t rank) {
  const int64_t count = op.operand_count() - first;
  for (int64_t i = first; i < op.operand_count(); ++i) {
    const Shape& start = op.operand(i)->shape();
    ASSAY_REQUIRE(op, "start_indices_c2", start.is_array() && IsInteger(start.element_type()),
                  "start indices must be integers, found ", start.ToString());
  }
  if (HasVectorStarts(op, first)) {
    const Shape& starts = op.operand(first)->shape();
    ASSAY_REQUIRE(op, "start_indices_c4", starts.dimension(0) == rank, "there must be ", rank,
                  " start indices, found ", starts.ToString());
    return absl::OkStatus();
  }
  ASSAY_REQUIRE(op, "start_indices_c1", count == rank, "there must be ", rank,
                " start indices, found ", count);
  for (int64_t i = first; i < op.operand_count(); ++i) {
    const Shape& start = op.operand(i)->shape();
    ASSAY_REQUIRE(op, "start_indices_c3",
                  start.element_type() == op.operand(first)->shape().element_type(),
                  "start indices must have one type, found ", op.operand(first)->shape().ToString(),
                  " and ", start.ToString());
    ASSAY_REQUIRE(op, "start_indices_c4", start.is_scalar(),
                  "start indices must be scalars, found ", start.ToString());
  }
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kDynamicSlice>(const Instruction& slice) {
  ASSAY_RETURN_IF_ERROR(RequireArray(slice, "dynamic_slice_c1", 0));
  const Shape& operand = slice.operand(0)->shape();
  ASSAY_RETURN_IF_ERROR(CheckStartIndices(slice, 1, operand.rank()));
  const absl::Span<const int64_t> sizes = slice.GetInts(Attr::kDynamicSliceSizes);
  ASSAY_REQUIRE(slice, "dynamic_slice_c2", static_cast<int64_t>(sizes.size()) == operand.rank(),
                "dynamic_slice_sizes must have ", operand.rank(), " entries, found ",
                ListText(sizes));
  Shape shape(operand.element_type(), sizes);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    ASSAY_REQUIRE(slice, "dynamic_slice_c3", sizes[d] >= 0 && sizes[d] <= operand.dimension(d),
                  "the slice size in dimension ", d, " must lie in [0, ", operand.dimension(d),
                  "], found ", sizes[d]);
    // A dynamic dimension taken whole stays dynamic.
    if (operand.is_dynamic_dimension(d) && sizes[d] == operand.dimension(d) && sizes[d] != 1) {
      shape.set_dynamic_dimension(d, true);
    }
  }
  return shape;
}

}  // namespace assay
