// Kernel of convolution. Outputs whose windows meet input elements at the same positions are the
// rows of one contraction with the part of the kernel at these positions: positions in padding or
// holes have no term at all, so that infinities of the kernel never meet a zero there. Feature and
// batch groups are its batch. Source: reference ops_structural.md 5.2, 8. Tests:
// contraction_kernels_test.cc.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "spec/analysis/window_taps.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator::kernels {
namespace {

// Sizes and strides of a view, dimension by dimension.
struct Strided {
  Dimensions sizes, strides;
  int64_t offset = 0;
  void Add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  View Of(int64_t source) const { return View::Strided(sizes, offset, strides, source); }
};

class ConvolutionKernel : public Kernel {
 public:
  ConvolutionKernel(const Instruction& convolution, const ContractionTypes& types);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  struct Spatial {
    analysis::WindowTaps window;
    int64_t input_stride, kernel_stride, output_stride;
    int64_t kernel_offset;  // of position 0
  };
  // The outputs of these runs, one for each spatial dimension.
  absl::Status RunAlike(const std::vector<analysis::TapRuns>& runs,
                        absl::Span<const ArrayRef> operands, std::byte* out,
                        Contraction::Rooms& rooms, EvaluationContext& context) const;

  ContractionTypes types_;
  // Input features that an output sees, and outputs of a group.
  int64_t features_, input_feature_stride_, kernel_input_feature_stride_;
  int64_t outputs_, output_feature_stride_, kernel_output_feature_stride_;
  int64_t batches_, input_batch_stride_, output_batch_stride_;
  // The steps from one group to the next in input, kernel and result.
  int64_t groups_, group_input_step_, group_kernel_step_, group_output_step_;
  std::vector<Spatial> spatial_;
  int64_t scratch_;
  bool empty_;
};

ConvolutionKernel::ConvolutionKernel(const Instruction& convolution, const ContractionTypes& types)
    : types_(types), empty_(convolution.shape().element_count() == 0) {
  const ConvolutionGeometry conv = ConvolutionGeometryOf(convolution);
  const Dimensions input = RowMajorStrides(convolution.operand(0)->shape().dimensions());
  const Dimensions kernel = RowMajorStrides(convolution.operand(1)->shape().dimensions());
  const Dimensions output = RowMajorStrides(convolution.shape().dimensions());
  features_ = conv.kernel_features;
  input_feature_stride_ = input[conv.input_feature_dim];
  kernel_input_feature_stride_ = kernel[conv.kernel_input_feature_dim];
  groups_ = std::max(conv.feature_groups, conv.batch_groups);
  outputs_ = conv.output_features / groups_;
  output_feature_stride_ = output[conv.output_feature_dim];
  kernel_output_feature_stride_ = kernel[conv.kernel_output_feature_dim];
  batches_ = conv.output_batch;
  input_batch_stride_ = input[conv.input_batch_dim];
  output_batch_stride_ = output[conv.output_batch_dim];
  group_input_step_ = conv.feature_groups > 1
                          ? features_ * input_feature_stride_
                          : conv.input_batch / conv.batch_groups * input_batch_stride_;
  group_kernel_step_ = outputs_ * kernel_output_feature_stride_;
  group_output_step_ = outputs_ * output_feature_stride_;
  int64_t rows = batches_, contracted = features_;
  for (const ConvolutionGeometry::Spatial& spatial : conv.spatial) {
    const int64_t stride = kernel[spatial.kernel_dim];
    const bool reversed = spatial.window.reversal;
    spatial_.push_back(
        {analysis::WindowTaps(spatial.input_size, spatial.output_size, spatial.window),
         input[spatial.input_dim], reversed ? -stride : stride, output[spatial.output_dim],
         reversed ? (spatial.window.size - 1) * stride : 0});
    rows *= spatial.output_size;
    contracted *= spatial_.back().window.most();
  }
  scratch_ = Contraction::MostScratch(types, rows, contracted, outputs_);
}

absl::Status ConvolutionKernel::Run(absl::Span<const ArrayRef> operands,
                                    absl::Span<const MutableArrayRef> results,
                                    EvaluationContext& context) const {
  if (empty_) return absl::OkStatus();
  Contraction::Rooms rooms(types_, scratch_);
  std::vector<analysis::TapRuns> runs;
  for (const Spatial& spatial : spatial_) runs.emplace_back(spatial.window);
  while (true) {
    absl::Status status = RunAlike(runs, operands, results[0].data, rooms, context);
    if (!status.ok()) return status;
    size_t d = runs.size();
    while (d > 0 && !runs[d - 1].Next()) --d;
    if (d == 0) return absl::OkStatus();
  }
}

absl::Status ConvolutionKernel::RunAlike(const std::vector<analysis::TapRuns>& runs,
                                         absl::Span<const ArrayRef> operands, std::byte* out,
                                         Contraction::Rooms& rooms,
                                         EvaluationContext& context) const {
  Strided input, kernel;
  ContractionStrides output = {
      {group_output_step_}, {output_batch_stride_}, output_feature_stride_};
  int64_t first_output = 0;
  input.Add(groups_, group_input_step_);
  kernel.Add(groups_, group_kernel_step_);
  input.Add(batches_, input_batch_stride_);
  for (size_t d = 0; d < runs.size(); ++d) {
    const Spatial& spatial = spatial_[d];
    const analysis::TapRuns& run = runs[d];
    input.Add(run.count(), run.element_advance() * spatial.input_stride);
    input.offset += run.taps().element * spatial.input_stride;
    kernel.offset += spatial.kernel_offset + run.taps().first * spatial.kernel_stride;
    output.rows.push_back(run.step() * spatial.output_stride);
    first_output += run.output() * spatial.output_stride;
  }
  for (size_t d = 0; d < runs.size(); ++d) {
    const Spatial& spatial = spatial_[d];
    input.Add(runs[d].taps().count, spatial.window.element_step() * spatial.input_stride);
    kernel.Add(runs[d].taps().count, spatial.window.position_step() * spatial.kernel_stride);
  }
  input.Add(features_, input_feature_stride_);
  kernel.Add(features_, kernel_input_feature_stride_);
  kernel.Add(outputs_, kernel_output_feature_stride_);
  const auto contracted = static_cast<int64_t>(runs.size()) + 1;
  return Contraction(types_, input.Of(0), kernel.Of(1), 1, contracted, std::move(output))
      .Run(operands, out + first_output * StorageBytes(types_.result), rooms, context);
}

}  // namespace

KernelOrNull PrepareConvolution(const Instruction& instruction) {
  const ConvolutionKind kind = instruction.GetEnum<ConvolutionKind>(Attr::kConvolutionKind);
  const bool plain = kind == ConvolutionKind::kUnset || kind == ConvolutionKind::kFprop;
  if (!plain || instruction.operand_count() != 2 ||
      instruction.HasAttribute(Attr::kSparsityConfig)) {
    return nullptr;
  }
  const std::optional<ContractionTypes> types = ContractionTypes::For(
      instruction.operand(0)->shape().element_type(),
      instruction.operand(1)->shape().element_type(), instruction.shape().element_type());
  if (!types.has_value()) return nullptr;
  return std::make_unique<ConvolutionKernel>(instruction, *types);
}

}  // namespace assay::evaluator::kernels
