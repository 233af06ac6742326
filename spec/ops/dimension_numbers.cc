#include "spec/ops/dimension_numbers.h"

#include <algorithm>

namespace assay {
namespace {

Dimensions Copy(absl::Span<const int64_t> list) { return Dimensions(list.begin(), list.end()); }

// Where the index batching dimensions stand among the batch dimensions: those of the indices, less
// the index vector.
Dimensions BatchPositions(absl::Span<const int64_t> indices_batching, int64_t index_vector_dim) {
  Dimensions positions;
  for (int64_t d : indices_batching) positions.push_back(d < index_vector_dim ? d : d - 1);
  return positions;
}

}  // namespace

Dimensions RemainingDimensions(int64_t rank, absl::Span<const int64_t> taken,
                               absl::Span<const int64_t> also_taken) {
  Dimensions rest;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(taken.begin(), taken.end(), d) != taken.end()) continue;
    if (std::find(also_taken.begin(), also_taken.end(), d) != also_taken.end()) continue;
    rest.push_back(d);
  }
  return rest;
}

DotDimensions DotDimensionsOf(const Instruction& dot) {
  DotDimensions dims;
  dims.lhs_batch = Copy(dot.GetInts(Attr::kLhsBatchDims));
  dims.rhs_batch = Copy(dot.GetInts(Attr::kRhsBatchDims));
  dims.lhs_contracting = Copy(dot.GetInts(Attr::kLhsContractingDims));
  dims.rhs_contracting = Copy(dot.GetInts(Attr::kRhsContractingDims));
  dims.lhs_free =
      RemainingDimensions(dot.operand(0)->shape().rank(), dims.lhs_batch, dims.lhs_contracting);
  dims.rhs_free =
      RemainingDimensions(dot.operand(1)->shape().rank(), dims.rhs_batch, dims.rhs_contracting);
  return dims;
}

GatherDimensions GatherDimensionsOf(const Instruction& gather) {
  const Shape& operand = gather.operand(0)->shape();
  const Shape& indices = gather.operand(1)->shape();
  GatherDimensions dims;
  dims.index_vector_dim = gather.GetInt(Attr::kIndexVectorDim);
  dims.implied_index_vector = dims.index_vector_dim == indices.rank();
  dims.index_batch = RemainingDimensions(indices.rank(), {dims.index_vector_dim});
  dims.offset = Copy(gather.GetInts(Attr::kOffsetDims));
  dims.batch = RemainingDimensions(dims.index_batch.size() + dims.offset.size(), dims.offset);
  dims.operand_batching = Copy(gather.GetInts(Attr::kOperandBatchingDims));
  dims.window = RemainingDimensions(operand.rank(), gather.GetInts(Attr::kCollapsedSliceDims),
                                    dims.operand_batching);
  dims.start_index_map = Copy(gather.GetInts(Attr::kStartIndexMap));
  dims.batch_position =
      BatchPositions(gather.GetInts(Attr::kStartIndicesBatchingDims), dims.index_vector_dim);
  dims.slice_sizes = Copy(gather.GetInts(Attr::kSliceSizes));
  return dims;
}

ScatterDimensions ScatterDimensionsOf(const Instruction& scatter) {
  ScatterDimensions dims;
  dims.operands = scatter.operand_count() / 2;
  const Shape& data = scatter.operand(0)->shape();
  const Shape& indices = scatter.operand(dims.operands)->shape();
  const Shape& updates = scatter.operand(dims.operands + 1)->shape();
  dims.index_vector_dim = scatter.GetInt(Attr::kIndexVectorDim);
  dims.implied_index_vector = dims.index_vector_dim == indices.rank();
  dims.index_batch = RemainingDimensions(indices.rank(), {dims.index_vector_dim});
  dims.update_window = Copy(scatter.GetInts(Attr::kUpdateWindowDims));
  dims.batch = RemainingDimensions(updates.rank(), dims.update_window);
  dims.operand_batching = Copy(scatter.GetInts(Attr::kInputBatchingDims));
  dims.window = RemainingDimensions(data.rank(), scatter.GetInts(Attr::kInsertedWindowDims),
                                    dims.operand_batching);
  dims.start_index_map = Copy(scatter.GetInts(Attr::kScatterDimsToOperandDims));
  dims.batch_position =
      BatchPositions(scatter.GetInts(Attr::kScatterIndicesBatchingDims), dims.index_vector_dim);
  dims.window_sizes.assign(data.rank(), 1);
  for (size_t k = 0; k < dims.update_window.size(); ++k) {
    dims.window_sizes[dims.window[k]] = updates.dimension(dims.update_window[k]);
  }
  return dims;
}

ConvolutionGeometry ConvolutionGeometryOf(const Instruction& convolution) {
  const Shape& input = convolution.operand(0)->shape();
  const Shape& kernel = convolution.operand(1)->shape();
  const Shape& output = convolution.shape();
  const ConvolutionDimensions& numbers = convolution.convolution_dimensions();
  ConvolutionGeometry conv;
  conv.input_batch_dim = numbers.input_batch;
  conv.input_feature_dim = numbers.input_feature;
  conv.kernel_input_feature_dim = numbers.kernel_input_feature;
  conv.kernel_output_feature_dim = numbers.kernel_output_feature;
  conv.output_batch_dim = numbers.output_batch;
  conv.output_feature_dim = numbers.output_feature;
  conv.input_batch = input.dimension(numbers.input_batch);
  conv.input_features = input.dimension(numbers.input_feature);
  conv.kernel_features = kernel.dimension(numbers.kernel_input_feature);
  conv.output_features = kernel.dimension(numbers.kernel_output_feature);
  conv.output_batch = output.dimension(numbers.output_batch);
  conv.feature_groups = convolution.GetInt(Attr::kFeatureGroupCount);
  conv.batch_groups = convolution.GetInt(Attr::kBatchGroupCount);
  for (size_t i = 0; i < numbers.input_spatial.size(); ++i) {
    ConvolutionGeometry::Spatial spatial;
    spatial.input_dim = numbers.input_spatial[i];
    spatial.kernel_dim = numbers.kernel_spatial[i];
    spatial.output_dim = numbers.output_spatial[i];
    spatial.input_size = input.dimension(spatial.input_dim);
    spatial.output_size = output.dimension(spatial.output_dim);
    spatial.window = convolution.window().dimensions[i];
    conv.spatial.push_back(spatial);
  }
  return conv;
}

}  // namespace assay
