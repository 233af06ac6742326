// Gathers and scatters. Source: reference stablehlo_format.md 7. Test: to_module_test.cc.
#include <numeric>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {

void MakeGather(OpContext& op, std::vector<int64_t> slice_sizes) {
  const Attribute* numbers = op.Need("dimension_numbers");
  const auto ints = [&](absl::string_view field) { return op.FieldInts(numbers, field); };
  op.Return(op.Make(Opcode::kGather, op.OutShape(), {op.In(0), op.In(1)},
                    {{Attr::kOffsetDims, ints("offset_dims")},
                     {Attr::kCollapsedSliceDims, ints("collapsed_slice_dims")},
                     {Attr::kStartIndexMap, ints("start_index_map")},
                     {Attr::kOperandBatchingDims, ints("operand_batching_dims")},
                     {Attr::kStartIndicesBatchingDims, ints("start_indices_batching_dims")},
                     {Attr::kIndexVectorDim, op.FieldInt(numbers, "index_vector_dim")},
                     {Attr::kSliceSizes, std::move(slice_sizes)},
                     {Attr::kIndicesAreSorted, op.BoolOr("indices_are_sorted", false)}}));
}

namespace {

void LowerGather(OpContext& op) { MakeGather(op, op.Ints("slice_sizes")); }

void LowerScatter(OpContext& op) {
  const Attribute* numbers = op.Need("scatter_dimension_numbers");
  const int64_t inputs = (op.operand_count() - 1) / 2;
  if (op.operand_count() != 2 * inputs + 1 || op.result_count() != inputs) {
    op.Fail("takes inputs, indices and as many updates as inputs, and gives a result for each");
    return;
  }
  const auto [update, captured] = op.ReducerOfCaptures(
      0, 2 * inputs, Lowering::RegionParameters::Place::kBehindHalves, /*passed_on=*/true);
  const auto begin = op.inputs().begin();
  std::vector<Instruction*> operands(begin, begin + inputs);
  std::vector<Instruction*> updates(begin + inputs + 1, op.inputs().end());
  const int64_t count = inputs + static_cast<int64_t>(captured.size());
  for (int64_t i = 0; i < inputs; ++i) PromoteTo(op, update, i, count, &operands[i], &updates[i]);
  // A scalar from outside is an array and its updates that all have this value.
  for (Instruction* scalar : captured) {
    operands.push_back(op.Spread(scalar, op.InShape(0)));
    updates.push_back(op.Spread(scalar, op.InShape(inputs + 1)));
  }
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  operands.push_back(op.In(inputs));
  operands.insert(operands.end(), updates.begin(), updates.end());
  const auto ints = [&](absl::string_view field) { return op.FieldInts(numbers, field); };
  Instruction* const made =
      op.Make(Opcode::kScatter, count == 1 ? shapes[0] : Shape::Tuple(shapes), operands,
              {{Attr::kUpdateWindowDims, ints("update_window_dims")},
               {Attr::kInsertedWindowDims, ints("inserted_window_dims")},
               {Attr::kScatterDimsToOperandDims, ints("scatter_dims_to_operand_dims")},
               {Attr::kInputBatchingDims, ints("input_batching_dims")},
               {Attr::kScatterIndicesBatchingDims, ints("scatter_indices_batching_dims")},
               {Attr::kIndexVectorDim, op.FieldInt(numbers, "index_vector_dim")},
               {Attr::kIndicesAreSorted, op.BoolOr("indices_are_sorted", false)},
               {Attr::kUniqueIndices, op.BoolOr("unique_indices", false)},
               {Attr::kToApply, update}});
  op.ReturnAll(made, count > 1);
}

// result[b.., i.., r..] = x[b.., index[b.., i..], r..]: a gather along `dim` with batch dimensions.
void LowerTorchIndexSelect(OpContext& op) {
  const int64_t dim = op.Int("dim");
  const int64_t batch = op.Int("batch_dims");
  const Shape& x = op.InShape(0);
  const Shape& index = op.InShape(1);
  if (batch < 0 || dim < batch || dim >= x.rank() || batch > index.rank()) {
    op.Fail(absl::StrCat("dim must be a dimension of ", x.ToString(),
                         " that is none of the batch_dims"));
    return;
  }
  std::vector<int64_t> batching(batch), offsets, sizes;
  std::iota(batching.begin(), batching.end(), 0);
  const int64_t indices = index.rank() - batch;
  for (int64_t d = 0; d < x.rank(); ++d) {
    sizes.push_back(d < batch || d == dim ? 1 : x.dimension(d));
    if (d < batch || d == dim) continue;
    offsets.push_back(d < dim ? d : d - 1 + indices);
  }
  op.Return(op.Make(Opcode::kGather, op.OutShape(), {op.In(0), op.In(1)},
                    {{Attr::kOffsetDims, offsets},
                     {Attr::kCollapsedSliceDims, std::vector<int64_t>{dim}},
                     {Attr::kStartIndexMap, std::vector<int64_t>{dim}},
                     {Attr::kOperandBatchingDims, batching},
                     {Attr::kStartIndicesBatchingDims, batching},
                     {Attr::kIndexVectorDim, index.rank()},
                     {Attr::kSliceSizes, sizes}}));
}

constexpr Handler kIndexing[] = {
    {"gather", 2, 1, 0, LowerGather},
    {"scatter", 3, 1, 1, LowerScatter},
    {"torch_index_select", 2, 1, 0, LowerTorchIndexSelect},
};

}  // namespace

absl::Span<const Handler> IndexingHandlers() { return kIndexing; }

}  // namespace assay::stablehlo
