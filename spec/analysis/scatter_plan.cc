#include "spec/analysis/scatter_plan.h"

#include "spec/ops/dimension_numbers.h"

namespace assay::analysis {

ScatterPlan::ScatterPlan(const Instruction& scatter) {
  const ScatterDimensions dims = ScatterDimensionsOf(scatter);
  operands = dims.operands;
  const Shape& data = scatter.operand(0)->shape();
  const Shape& indices = scatter.operand(operands)->shape();
  const Shape& updates = scatter.operand(operands + 1)->shape();
  const Dimensions data_strides = RowMajorStrides(data.dimensions());
  const Dimensions index_strides = RowMajorStrides(indices.dimensions());
  const Dimensions update_strides = RowMajorStrides(updates.dimensions());
  index_type = indices.element_type();
  for (size_t k = 0; k < dims.batch.size(); ++k) {
    batch.push_back({updates.dimension(dims.batch[k]),
                     {index_strides[dims.index_batch[k]], update_strides[dims.batch[k]], 0}});
  }
  for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
    batch[dims.batch_position[j]].strides[2] = data_strides[dims.operand_batching[j]];
  }
  for (const GridLoop<3>& loop : batch) windows *= loop.size;
  if (updates.element_count() == 0 || data.element_count() == 0) windows = 0;
  if (!batch.empty()) {
    row = batch.back();
    batch.pop_back();
  }
  const int64_t step = dims.implied_index_vector ? 0 : index_strides[dims.index_vector_dim];
  for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
    const int64_t d = dims.start_index_map[k];
    components.push_back({static_cast<int64_t>(k) * step, data.dimension(d) - dims.window_sizes[d],
                          data_strides[d]});
    if (dims.window_sizes[d] != 1) disjoint = false;
  }
  for (size_t k = 0; k < dims.window.size(); ++k) {
    const int64_t size = updates.dimension(dims.update_window[k]);
    window_count *= size;
    if (size == 1) continue;
    outer_window.push_back(
        {size, {data_strides[dims.window[k]], update_strides[dims.update_window[k]]}});
  }
  // Joins the innermost dimensions that are one run in both arrays.
  while (!outer_window.empty()) {
    const GridLoop<2>& last = outer_window.back();
    if (last.strides[0] != run || last.strides[1] != run) break;
    run *= last.size;
    outer_window.pop_back();
  }
}

}  // namespace assay::analysis
