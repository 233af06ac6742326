// Launches of dot, ragged-dot, scaled-dot and convolution. Tests: cuda_kernels_test.cc.
#include <algorithm>
#include <utility>

#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/ragged_groups.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::cuda {
namespace {

using analysis::RaggedGroups;

void Append(Axis& axis, int64_t size, int64_t left, int64_t right) {
  axis.sizes[axis.rank] = size;
  axis.left[axis.rank] = left;
  axis.right[axis.rank++] = right;
  axis.count *= size;
}

// Where the elements of both operands stand.
absl::Status SetAxes(const Instruction& dot, const DotDimensions& dims,
                     std::optional<int64_t> group_dim, DotParameter& p) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  for (const Dimensions* list :
       {&dims.lhs_batch, &dims.lhs_free, &dims.rhs_free, &dims.lhs_contracting}) {
    if (list->size() > kMostAxis) return Unsupported(dot, "so many dimensions");
  }
  const Dimensions left = RowMajorStrides(lhs.dimensions());
  const Dimensions right = RowMajorStrides(rhs.dimensions());
  for (size_t k = 0; k < dims.lhs_batch.size(); ++k) {
    Append(p.batch, lhs.dimension(dims.lhs_batch[k]), left[dims.lhs_batch[k]],
           right[dims.rhs_batch[k]]);
  }
  for (const int64_t d : dims.lhs_free) Append(p.rows, lhs.dimension(d), left[d], 0);
  for (const int64_t d : dims.rhs_free) {
    if (d != group_dim) Append(p.columns, rhs.dimension(d), 0, right[d]);
  }
  for (size_t k = 0; k < dims.lhs_contracting.size(); ++k) {
    Append(p.terms, lhs.dimension(dims.lhs_contracting[k]), left[dims.lhs_contracting[k]],
           right[dims.rhs_contracting[k]]);
  }
  p.left_row = RowOf(lhs);
  p.right_row = RowOf(rhs);
  p.out_row = RowOf(dot.shape());
  p.count = dot.shape().element_count();
  return absl::OkStatus();
}

int32_t PositionIn(const Dimensions& list, int64_t dimension) {
  return static_cast<int32_t>(std::find(list.begin(), list.end(), dimension) - list.begin());
}

// Groups, the lists of their sizes and where these stand.
void SetRagged(const Instruction& dot, const DotDimensions& dims, const RaggedGroups& ragged,
               KernelPlan& plan, DotParameter& p, std::vector<MemberPointer>& pointers) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const Shape& sizes = dot.operand(2)->shape();
  RaggedRangesParameter ranges;
  ranges.row = RowOf(sizes);
  ranges.groups = p.groups = ragged.groups;
  ranges.extent = ragged.extent;
  ranges.lists = ragged.groups == 0 ? 0 : sizes.element_count() / ragged.groups;
  const BufferUse memory =
      AddScratch(plan, std::max<int64_t>(1, ranges.lists * ranges.groups) * 16);
  if (ranges.lists > 0) {
    plan.launches.push_back(MakeLaunch("RaggedRanges", BlocksFor(ranges.lists, 32), {32, 1, 1}, 0,
                                       ranges,
                                       {{&ranges.sizes, Operand(2)}, {&ranges.ranges, memory}}));
  }
  pointers.push_back({&p.ranges, memory});
  const Dimensions* axis = &dims.lhs_free;
  p.ragged = 1;
  if (ragged.mode == RaggedGroups::Mode::kContracted) {
    axis = &dims.lhs_contracting;
    p.ragged = 2;
  } else if (ragged.mode == RaggedGroups::Mode::kBatch) {
    axis = &dims.lhs_batch;
    p.ragged = 3;
  }
  p.ragged_at = PositionIn(*axis, ragged.ragged_dim);
  if (ragged.group_dim.has_value()) {
    p.group_stride = RowMajorStrides(rhs.dimensions())[*ragged.group_dim];
  }
  // The number of a list counts the prefix in row-major order.
  int64_t stride = 1;
  for (auto d = ragged.prefix.rbegin(); d != ragged.prefix.rend(); ++d) {
    const int32_t in_batch = PositionIn(dims.lhs_batch, *d);
    if (in_batch < static_cast<int32_t>(dims.lhs_batch.size())) {
      p.list_batch[in_batch] = stride;
    } else {
      p.list_axis[PositionIn(*axis, *d)] = stride;
    }
    stride *= lhs.dimension(*d);
  }
}

// A scalar stands for a scale that is not there, whatever its value.
bool IsDummyScale(const Shape& scale) { return scale.rank() == 0; }
void SetScaleAxis(const Dimensions& list, const Shape& operand, const Shape& scale, bool is_left,
                  ScaleAxis& axis) {
  const Dimensions strides = RowMajorStrides(scale.dimensions());
  for (size_t k = 0; k < list.size(); ++k) {
    const int64_t d = list[k];
    const int64_t blocks = std::max<int64_t>(1, scale.dimension(d));
    (is_left ? axis.left : axis.right)[k] = strides[d];
    (is_left ? axis.left_block : axis.right_block)[k] =
        std::max<int64_t>(1, operand.dimension(d) / blocks);
  }
}
void SetScales(const Instruction& dot, const DotDimensions& dims, DotParameter& p,
               std::vector<MemberPointer>& pointers) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const Shape& left = dot.operand(2)->shape();
  const Shape& right = dot.operand(3)->shape();
  for (ScaleAxis* axis : {&p.scale_batch, &p.scale_rows, &p.scale_columns, &p.scale_terms}) {
    std::fill(std::begin(axis->left_block), std::end(axis->left_block), 1);
    std::fill(std::begin(axis->right_block), std::end(axis->right_block), 1);
  }
  if (!IsDummyScale(left)) {
    p.left_scale_row = RowOf(left);
    pointers.push_back({&p.left_scale, Operand(2)});
    SetScaleAxis(dims.lhs_batch, lhs, left, true, p.scale_batch);
    SetScaleAxis(dims.lhs_free, lhs, left, true, p.scale_rows);
    SetScaleAxis(dims.lhs_contracting, lhs, left, true, p.scale_terms);
  }
  if (!IsDummyScale(right)) {
    p.right_scale_row = RowOf(right);
    pointers.push_back({&p.right_scale, Operand(3)});
    SetScaleAxis(dims.rhs_batch, rhs, right, false, p.scale_batch);
    SetScaleAxis(dims.rhs_free, rhs, right, false, p.scale_columns);
    SetScaleAxis(dims.rhs_contracting, rhs, right, false, p.scale_terms);
  }
}

}  // namespace

KernelPlanOr PrepareDot(const Instruction& dot, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  DotParameter p;
  const DotDimensions dims = DotDimensionsOf(dot);
  if (dot.shape().element_count() == 0) return plan;
  std::vector<MemberPointer> pointers = {
      {&p.left, Operand(0)}, {&p.right, Operand(1)}, {&p.out, Result(0)}};
  absl::Status status;
  bool plain = false;
  if (dot.opcode() == Opcode::kRaggedDot) {
    const RaggedGroups ragged = RaggedGroups::Of(dot);
    status = SetAxes(dot, dims, ragged.group_dim, p);
    if (!status.ok()) return status;
    SetRagged(dot, dims, ragged, plan, p, pointers);
  } else {
    status = SetAxes(dot, dims, std::nullopt, p);
    if (!status.ok()) return status;
    plain = dot.opcode() == Opcode::kDot;
    if (!plain) SetScales(dot, dims, p, pointers);
  }
  constexpr int64_t kSide = 8, kTile = 16;
  if (plain && p.left_row.kind == kKindFloat && p.right_row.kind == kKindFloat &&
      p.rows.count >= kSide && p.columns.count >= kSide && p.terms.count >= kSide) {
    const int64_t tiles = (p.rows.count + kTile - 1) / kTile *
                          ((p.columns.count + kTile - 1) / kTile) * p.batch.count;
    plan.launches.push_back(MakeLaunch("DotTiles", BlocksFor(tiles, 1, 1), {kTile * kTile, 1, 1}, 0,
                                       p, absl::MakeConstSpan(pointers)));
    return plan;
  }
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(MakeLaunch("Dot", BlocksFor(p.count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     absl::MakeConstSpan(pointers)));
  return plan;
}

KernelPlanOr PrepareConvolution(const Instruction& convolution, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const ConvolutionGeometry geometry = ConvolutionGeometryOf(convolution);
  ConvolutionParameter p;
  p.count = convolution.shape().element_count();
  if (p.count == 0) return plan;
  if (geometry.spatial.size() > kMostDimensions)
    return Unsupported(convolution, "so many dimensions");
  const Shape& in = convolution.operand(0)->shape();
  const Shape& kernel = convolution.operand(1)->shape();
  const Dimensions in_strides = RowMajorStrides(in.dimensions());
  const Dimensions kernel_strides = RowMajorStrides(kernel.dimensions());
  const Dimensions out_strides = RowMajorStrides(convolution.shape().dimensions());
  p.in_row = RowOf(in);
  p.kernel_row = RowOf(kernel);
  p.out_row = RowOf(convolution.shape());
  p.batches = geometry.output_batch;
  p.features = geometry.output_features;
  p.group_features = geometry.kernel_features;
  p.batch_groups = geometry.batch_groups;
  p.feature_groups = geometry.feature_groups;
  p.in_batch = in_strides[geometry.input_batch_dim];
  p.in_feature = in_strides[geometry.input_feature_dim];
  p.kernel_in = kernel_strides[geometry.kernel_input_feature_dim];
  p.kernel_out = kernel_strides[geometry.kernel_output_feature_dim];
  p.out_batch = out_strides[geometry.output_batch_dim];
  p.out_feature = out_strides[geometry.output_feature_dim];
  p.outputs.rank = p.window.rank = p.base.rank = static_cast<int32_t>(geometry.spatial.size());
  for (size_t d = 0; d < geometry.spatial.size(); ++d) {
    const ConvolutionGeometry::Spatial& spatial = geometry.spatial[d];
    p.outputs.sizes[d] = spatial.output_size;
    p.window.sizes[d] = spatial.window.size;
    p.base.sizes[d] = spatial.input_size;
    p.in_strides[d] = in_strides[spatial.input_dim];
    p.kernel_strides[d] = kernel_strides[spatial.kernel_dim];
    p.out_strides[d] = out_strides[spatial.output_dim];
    p.stride[d] = spatial.window.stride;
    p.low[d] = spatial.window.padding_low;
    p.base_dilation[d] = spatial.window.base_dilation;
    p.window_dilation[d] = spatial.window.window_dilation;
    p.reversed[d] = spatial.window.reversal ? 1 : 0;
  }
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(
      MakeLaunch("Convolve", BlocksFor(p.count, threads), {static_cast<uint32_t>(threads), 1, 1}, 0,
                 p, {{&p.in, Operand(0)}, {&p.kernel, Operand(1)}, {&p.out, Result(0)}}));
  return plan;
}

}  // namespace assay::cuda
