// gather: slices of the operand at starts that an array of index vectors gives.
//   gather_c1 operands are arrays
//   gather_c2 the indices are integers
//   gather_c3 index_vector_dim in [0, rank of the indices]
//   gather_c4 offset_dims strictly increasing, within the result
//   gather_c5 start_index_map as long as an index vector
//   gather_c6 start_index_map in range, none twice
//   gather_c7 collapsed_slice_dims strictly increasing, in range
//   gather_c8 operand_batching_dims strictly increasing, in range
//   gather_c9 (strict) collapsed and batching dimensions differ
//   gather_c10 (strict) batching dimensions are not in start_index_map
//   gather_c11 start_indices_batching_dims in range, none twice
//   gather_c12 (strict) ... none of them index_vector_dim
//   gather_c13 paired with operand_batching_dims
//   gather_c14 (strict) paired sizes are equal
//   gather_c15 one slice size per dimension
//   gather_c16 rank = |offset_dims| + |collapsed| + |batching|
//   gather_c17 slice sizes lie within the operand
//   gather_c18 a slice size of 1 (0) at most in collapsed and batching dimensions
//   gather_c19 (strict) ... and 0 only where the result is empty
// Source: reference ops_structural.md 4.1. Tests: spec/verify/testdata/indexing.cases.
#include <algorithm>

#include "spec/ops/dimension_numbers.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

absl::Status CheckIndexVectors(const Instruction& gather) {
  const Shape& operand = gather.operand(0)->shape();
  const Shape& indices = gather.operand(1)->shape();
  ASSAY_REQUIRE(gather, "gather_c2", IsInteger(indices.element_type()),
                "the indices must be integers, found ", indices.ToString());
  const int64_t vector_dim = gather.GetInt(Attr::kIndexVectorDim);
  ASSAY_REQUIRE(gather, "gather_c3", vector_dim >= 0 && vector_dim <= indices.rank(),
                "index_vector_dim must lie in [0, ", indices.rank(), "], found ", vector_dim);
  const absl::Span<const int64_t> offset_dims = gather.GetInts(Attr::kOffsetDims);
  const int64_t result_rank = static_cast<int64_t>(offset_dims.size()) + indices.rank() -
                              (vector_dim < indices.rank() ? 1 : 0);
  ASSAY_RETURN_IF_ERROR(RequireDimensions(gather, "gather_c4", "offset_dims", offset_dims,
                                          result_rank, ListOrder::kIncreasing));
  const absl::Span<const int64_t> map = gather.GetInts(Attr::kStartIndexMap);
  const int64_t vector_size = vector_dim < indices.rank() ? indices.dimension(vector_dim) : 1;
  ASSAY_REQUIRE(gather, "gather_c5", static_cast<int64_t>(map.size()) == vector_size,
                "start_index_map must have ", vector_size, " entries, found ", ListText(map));
  return RequireDimensions(gather, "gather_c6", "start_index_map", map, operand.rank());
}

absl::Status CheckBatching(const Instruction& gather) {
  const Shape& operand = gather.operand(0)->shape();
  const Shape& indices = gather.operand(1)->shape();
  const absl::Span<const int64_t> collapsed = gather.GetInts(Attr::kCollapsedSliceDims);
  const absl::Span<const int64_t> batching = gather.GetInts(Attr::kOperandBatchingDims);
  const absl::Span<const int64_t> index_batching = gather.GetInts(Attr::kStartIndicesBatchingDims);
  ASSAY_RETURN_IF_ERROR(RequireDimensions(gather, "gather_c7", "collapsed_slice_dims", collapsed,
                                          operand.rank(), ListOrder::kIncreasing));
  ASSAY_RETURN_IF_ERROR(RequireDimensions(gather, "gather_c8", "operand_batching_dims", batching,
                                          operand.rank(), ListOrder::kIncreasing));
  const int64_t vector_dim = gather.GetInt(Attr::kIndexVectorDim);
  // An index vector that is not written is a dimension of its own, the last.
  const int64_t index_rank = std::max(indices.rank(), vector_dim + 1);
  ASSAY_RETURN_IF_ERROR(RequireDimensions(gather, "gather_c11", "start_indices_batching_dims",
                                          index_batching, index_rank));
  ASSAY_REQUIRE(gather, "gather_c13", batching.size() == index_batching.size(),
                "operand_batching_dims ", ListText(batching), " and start_indices_batching_dims ",
                ListText(index_batching), " must pair up");
  return absl::OkStatus();
}

absl::Status CheckSliceSizes(const Instruction& gather) {
  const Shape& operand = gather.operand(0)->shape();
  const absl::Span<const int64_t> sizes = gather.GetInts(Attr::kSliceSizes);
  ASSAY_REQUIRE(gather, "gather_c15", static_cast<int64_t>(sizes.size()) == operand.rank(),
                "slice_sizes must have ", operand.rank(), " entries, found ", ListText(sizes));
  const absl::Span<const int64_t> collapsed = gather.GetInts(Attr::kCollapsedSliceDims);
  const absl::Span<const int64_t> batching = gather.GetInts(Attr::kOperandBatchingDims);
  const size_t offsets = gather.GetInts(Attr::kOffsetDims).size();
  ASSAY_REQUIRE(
      gather, "gather_c16",
      static_cast<int64_t>(offsets + collapsed.size() + batching.size()) == operand.rank(),
      "the operand has rank ", operand.rank(), ", but there are ", offsets, " offset, ",
      collapsed.size(), " collapsed and ", batching.size(), " batching dimensions");
  for (int64_t d = 0; d < operand.rank(); ++d) {
    ASSAY_REQUIRE(gather, "gather_c17", sizes[d] >= 0 && sizes[d] <= operand.dimension(d),
                  "the slice size in dimension ", d, " must lie in [0, ", operand.dimension(d),
                  "], found ", sizes[d]);
    ASSAY_REQUIRE(
        gather, "gather_c18", sizes[d] <= 1 || !(Contains(collapsed, d) || Contains(batching, d)),
        "the slice size in collapsed or batching dimension ", d, " must be 1, found ", sizes[d]);
  }
  return absl::OkStatus();
}

Shape ResultShape(const Instruction& gather) {
  const Shape& operand = gather.operand(0)->shape();
  const Shape& indices = gather.operand(1)->shape();
  const GatherDimensions dims = GatherDimensionsOf(gather);
  Shape shape(operand.element_type(), Dimensions(dims.batch.size() + dims.offset.size()));
  for (size_t k = 0; k < dims.batch.size(); ++k) {
    const int64_t d = dims.index_batch[k];
    shape.set_dimension(dims.batch[k], indices.dimension(d));
    if (indices.is_dynamic_dimension(d)) shape.set_dynamic_dimension(dims.batch[k], true);
  }
  for (size_t k = 0; k < dims.offset.size(); ++k) {
    const int64_t d = dims.window[k];
    shape.set_dimension(dims.offset[k], dims.slice_sizes[d]);
    // A dynamic dimension taken whole stays dynamic.
    if (operand.is_dynamic_dimension(d) && dims.slice_sizes[d] == operand.dimension(d)) {
      shape.set_dynamic_dimension(dims.offset[k], true);
    }
  }
  return shape;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kGather>(const Instruction& gather) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(gather, "gather_c1"));
  ASSAY_RETURN_IF_ERROR(CheckIndexVectors(gather));
  ASSAY_RETURN_IF_ERROR(CheckBatching(gather));
  ASSAY_RETURN_IF_ERROR(CheckSliceSizes(gather));
  return ResultShape(gather);
}

absl::Status CheckGatherStrictly(const Instruction& gather) {
  const Shape& operand = gather.operand(0)->shape();
  const Shape& indices = gather.operand(1)->shape();
  const absl::Span<const int64_t> batching = gather.GetInts(Attr::kOperandBatchingDims);
  const absl::Span<const int64_t> index_batching = gather.GetInts(Attr::kStartIndicesBatchingDims);
  for (int64_t d : batching) {
    ASSAY_REQUIRE(gather, "gather_c9", !Contains(gather.GetInts(Attr::kCollapsedSliceDims), d),
                  "collapsed_slice_dims and operand_batching_dims share ", d);
    ASSAY_REQUIRE(gather, "gather_c10", !Contains(gather.GetInts(Attr::kStartIndexMap), d),
                  "start_index_map and operand_batching_dims share ", d);
  }
  const int64_t vector_dim = gather.GetInt(Attr::kIndexVectorDim);
  ASSAY_REQUIRE(gather, "gather_c12", !Contains(index_batching, vector_dim),
                "start_indices_batching_dims contains index_vector_dim ", vector_dim);
  for (size_t j = 0; j < batching.size(); ++j) {
    const int64_t a = operand.dimension(batching[j]);
    const int64_t b = indices.dimension(index_batching[j]);
    ASSAY_REQUIRE(gather, "gather_c14", a == b, "batching dimension ", batching[j],
                  " of the operand has size ", a, ", that of the indices, ", index_batching[j],
                  ", ", b);
  }
  // A slice without elements in a dimension that the result does not have gives it no size 0.
  const GatherDimensions dims = GatherDimensionsOf(gather);
  const bool result_empty = Contains(gather.shape().dimensions(), 0);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    ASSAY_REQUIRE(gather, "gather_c19",
                  result_empty || dims.slice_sizes[d] > 0 || Contains(dims.window, d),
                  "the slice size in collapsed or batching dimension ", d,
                  " is 0, but the result has elements: ", gather.shape().ToString());
  }
  return absl::OkStatus();
}

}  // namespace assay
