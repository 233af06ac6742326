// scatter: the operands with windows updated at starts that an array of index vectors gives.
//   scatter_c1 operands are arrays
//   scatter_c2 (strict) data arrays have equal dimensions
//   scatter_c3 (strict) update arrays have equal dimensions
//   scatter_c4 updates fit their data (fp-mix)
//   scatter_c5 the indices are integers
//   scatter_c6 index_vector_dim in [0, rank of the indices]
//   scatter_c7 rank of the updates = |update_window_dims| + index dimensions
//   scatter_c8 update_window_dims strictly increasing, in range
//   scatter_c9 inserted_window_dims strictly increasing, in range
//   scatter_c10 input_batching_dims strictly increasing, in range
//   scatter_c11 (strict) inserted and batching dimensions differ
//   scatter_c12 rank = |update_window_dims| + |inserted| + |batching|
//   scatter_c13 scatter_dims_to_operand_dims as long as an index vector
//   scatter_c14 ... in range, none twice
//   scatter_c15 (strict) ... none of them batching
//   scatter_c16 scatter_indices_batching_dims in range, none twice
//   scatter_c17 (strict) ... none of them index_vector_dim
//   scatter_c18 paired with input_batching_dims
//   scatter_c19 (strict) paired sizes are equal
//   scatter_c20 windows fit into the operand
//   scatter_c21 other sizes of the updates are those of the indices, and reducer_c1..c6
// Source: reference ops_structural.md 4.2. Tests: spec/verify/testdata/indexing.cases.
#include <algorithm>

#include "spec/ops/dimension_numbers.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// One of the N data arrays with its updates, and the indices that all share.
struct Parts {
  const Shape& data;
  const Shape& indices;
  const Shape& updates;
};

Parts PartsOf(const Instruction& scatter, int64_t k) {
  const int64_t n = scatter.operand_count() / 2;
  return {scatter.operand(k)->shape(), scatter.operand(n)->shape(),
          scatter.operand(n + 1 + k)->shape()};
}

absl::Status CheckLists(const Instruction& scatter, const Parts& parts) {
  const absl::Span<const int64_t> window = scatter.GetInts(Attr::kUpdateWindowDims);
  const absl::Span<const int64_t> inserted = scatter.GetInts(Attr::kInsertedWindowDims);
  const absl::Span<const int64_t> batching = scatter.GetInts(Attr::kInputBatchingDims);
  const absl::Span<const int64_t> map = scatter.GetInts(Attr::kScatterDimsToOperandDims);
  const int64_t vector_dim = scatter.GetInt(Attr::kIndexVectorDim);
  const int64_t index_rank = parts.indices.rank();
  const int64_t rank = parts.data.rank();
  ASSAY_REQUIRE(scatter, "scatter_c6", vector_dim >= 0 && vector_dim <= index_rank,
                "index_vector_dim must lie in [0, ", index_rank, "], found ", vector_dim);
  const int64_t update_rank =
      static_cast<int64_t>(window.size()) + index_rank - (vector_dim < index_rank ? 1 : 0);
  ASSAY_REQUIRE(scatter, "scatter_c7", parts.updates.rank() == update_rank,
                "the updates must have rank ", update_rank, ", found ", parts.updates.ToString());
  ASSAY_RETURN_IF_ERROR(RequireDimensions(scatter, "scatter_c8", "update_window_dims", window,
                                          update_rank, ListOrder::kIncreasing));
  ASSAY_RETURN_IF_ERROR(RequireDimensions(scatter, "scatter_c9", "inserted_window_dims", inserted,
                                          rank, ListOrder::kIncreasing));
  ASSAY_RETURN_IF_ERROR(RequireDimensions(scatter, "scatter_c10", "input_batching_dims", batching,
                                          rank, ListOrder::kIncreasing));
  ASSAY_REQUIRE(scatter, "scatter_c12",
                static_cast<int64_t>(window.size() + inserted.size() + batching.size()) == rank,
                "the operand has rank ", rank, ", but there are ", window.size(), " window, ",
                inserted.size(), " inserted and ", batching.size(), " batching dimensions");
  const int64_t vector_size = vector_dim < index_rank ? parts.indices.dimension(vector_dim) : 1;
  ASSAY_REQUIRE(scatter, "scatter_c13", static_cast<int64_t>(map.size()) == vector_size,
                "scatter_dims_to_operand_dims must have ", vector_size, " entries, found ",
                ListText(map));
  return RequireDimensions(scatter, "scatter_c14", "scatter_dims_to_operand_dims", map, rank);
}

absl::Status CheckIndexBatching(const Instruction& scatter, const Parts& parts) {
  const absl::Span<const int64_t> batching = scatter.GetInts(Attr::kInputBatchingDims);
  const absl::Span<const int64_t> index_batching =
      scatter.GetInts(Attr::kScatterIndicesBatchingDims);
  // An index vector that is not written is a dimension of its own, the last.
  const int64_t index_rank =
      std::max(parts.indices.rank(), scatter.GetInt(Attr::kIndexVectorDim) + 1);
  ASSAY_RETURN_IF_ERROR(RequireDimensions(scatter, "scatter_c16", "scatter_indices_batching_dims",
                                          index_batching, index_rank));
  ASSAY_REQUIRE(scatter, "scatter_c18", batching.size() == index_batching.size(),
                "input_batching_dims ", ListText(batching), " and scatter_indices_batching_dims ",
                ListText(index_batching), " must pair up");
  return absl::OkStatus();
}

absl::Status CheckUpdateSizes(const Instruction& scatter, const Parts& parts) {
  const ScatterDimensions dims = ScatterDimensionsOf(scatter);
  for (size_t k = 0; k < dims.update_window.size(); ++k) {
    const int64_t size = parts.updates.dimension(dims.update_window[k]);
    ASSAY_REQUIRE(scatter, "scatter_c20", size <= parts.data.dimension(dims.window[k]),
                  "the window has size ", size, " in dimension ", dims.window[k],
                  " of the operand, which has ", parts.data.dimension(dims.window[k]));
  }
  for (size_t k = 0; k < dims.batch.size(); ++k) {
    const int64_t a = parts.updates.dimension(dims.batch[k]);
    const int64_t b = parts.indices.dimension(dims.index_batch[k]);
    ASSAY_REQUIRE(scatter, "scatter_c21", a == b, "dimension ", dims.batch[k],
                  " of the updates must have the size ", b, " of dimension ", dims.index_batch[k],
                  " of the indices, found ", a);
  }
  return absl::OkStatus();
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kScatter>(const Instruction& scatter) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(scatter, "scatter_c1"));
  const int64_t n = scatter.operand_count() / 2;
  std::vector<ElementType> data, updates;
  std::vector<Shape> results;
  for (int64_t k = 0; k < n; ++k) {
    const Parts parts = PartsOf(scatter, k);
    ASSAY_REQUIRE(scatter, "scatter_c4",
                  TypesMix(parts.data.element_type(), parts.updates.element_type()),
                  "operand and updates must have one element type, found ", parts.data.ToString(),
                  " and ", parts.updates.ToString());
    ASSAY_REQUIRE(scatter, "scatter_c5", IsInteger(parts.indices.element_type()),
                  "the indices must be integers, found ", parts.indices.ToString());
    ASSAY_RETURN_IF_ERROR(CheckLists(scatter, parts));
    ASSAY_RETURN_IF_ERROR(CheckIndexBatching(scatter, parts));
    ASSAY_RETURN_IF_ERROR(CheckUpdateSizes(scatter, parts));
    results.push_back(parts.data);
    data.push_back(parts.data.element_type());
    updates.push_back(parts.updates.element_type());
  }
  // The data is what the reducer accumulates on.
  const absl::StatusOr<ReducerTypes> types =
      CheckReducer(scatter, scatter.to_apply(), updates, data);
  if (!types.ok()) return types.status();
  return OneOrTuple(std::move(results), n > 1);
}

absl::Status CheckScatterStrictly(const Instruction& scatter) {
  const Parts first = PartsOf(scatter, 0);
  for (int64_t k = 1; k < scatter.operand_count() / 2; ++k) {
    const Parts other = PartsOf(scatter, k);
    ASSAY_REQUIRE(scatter, "scatter_c2", SameSizes(other.data, first.data),
                  "operands must have equal dimensions, found ", first.data.ToString(), " and ",
                  other.data.ToString());
    ASSAY_REQUIRE(scatter, "scatter_c3", SameSizes(other.updates, first.updates),
                  "updates must have equal dimensions, found ", first.updates.ToString(), " and ",
                  other.updates.ToString());
  }
  const absl::Span<const int64_t> batching = scatter.GetInts(Attr::kInputBatchingDims);
  const absl::Span<const int64_t> index_batching =
      scatter.GetInts(Attr::kScatterIndicesBatchingDims);
  for (int64_t d : batching) {
    ASSAY_REQUIRE(scatter, "scatter_c11", !Contains(scatter.GetInts(Attr::kInsertedWindowDims), d),
                  "inserted_window_dims and input_batching_dims share ", d);
    ASSAY_REQUIRE(scatter, "scatter_c15",
                  !Contains(scatter.GetInts(Attr::kScatterDimsToOperandDims), d),
                  "scatter_dims_to_operand_dims and input_batching_dims share ", d);
  }
  const int64_t vector_dim = scatter.GetInt(Attr::kIndexVectorDim);
  ASSAY_REQUIRE(scatter, "scatter_c17", !Contains(index_batching, vector_dim),
                "scatter_indices_batching_dims contains index_vector_dim ", vector_dim);
  for (size_t j = 0; j < batching.size(); ++j) {
    const int64_t a = first.data.dimension(batching[j]);
    const int64_t b = first.indices.dimension(index_batching[j]);
    ASSAY_REQUIRE(scatter, "scatter_c19", a == b, "batching dimension ", batching[j],
                  " of the operand has size ", a, ", that of the indices, ", index_batching[j],
                  ", ", b);
  }
  return absl::OkStatus();
}

}  // namespace assay
