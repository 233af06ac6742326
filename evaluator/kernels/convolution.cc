// Kernel of convolution: for each group the kernel is one matrix [positions x features][outputs];
// the input elements that a window meets are gathered into a row, and rows that meet the same
// positions are multiplied together. Positions in padding or holes have no term at all, so that
// infinities of the kernel never meet a zero there: their rows are left out of the matrix.
// Source: reference ops_structural.md 5.2, 8. Tests: contraction_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/odometer.h"
#include "evaluator/kernels/scratch.h"
#include "evaluator/kernels/strided_copy.h"
#include "evaluator/kernels/window_taps.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::kernels {
namespace {

struct SpatialPlan {
  WindowTaps window;
  int64_t window_size;
  int64_t input_stride;
  int64_t output_stride;
};

class ConvolutionKernel : public Kernel {
 public:
  ConvolutionKernel(const Instruction& convolution, const ContractionTypes& types);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  // Input elements gathered before a multiplication.
  static constexpr int64_t kGathered = 1 << 13;

  class Runner;

  ContractionTypes types_;
  int64_t lhs_bytes_, rhs_bytes_, result_bytes_;
  int64_t features_;        // input features that an output sees
  int64_t feature_stride_;  // of the input
  int64_t batches_, input_batch_stride_, output_batch_stride_;
  int64_t groups_, outputs_per_group_, output_feature_stride_;
  // What the next group adds to the places of input, kernel and result.
  int64_t group_input_step_, group_kernel_step_, group_output_step_;
  int64_t kernel_offset_ = 0;
  int64_t positions_ = 1;  // of the window
  StridedCopy kernel_pack_;
  std::vector<SpatialPlan> spatial_;
  bool empty_;
};

ConvolutionKernel::ConvolutionKernel(const Instruction& convolution, const ContractionTypes& types)
    : types_(types),
      lhs_bytes_(StorageBytes(types.lhs)),
      rhs_bytes_(StorageBytes(types.rhs)),
      result_bytes_(StorageBytes(types.result)) {
  const ConvolutionGeometry conv = ConvolutionGeometryOf(convolution);
  const Dimensions input = RowMajorStrides(convolution.operand(0)->shape().dimensions());
  const Dimensions kernel = RowMajorStrides(convolution.operand(1)->shape().dimensions());
  const Dimensions output = RowMajorStrides(convolution.shape().dimensions());
  empty_ = convolution.shape().element_count() == 0;
  features_ = conv.kernel_features;
  feature_stride_ = input[conv.input_feature_dim];
  batches_ = conv.output_batch;
  input_batch_stride_ = input[conv.input_batch_dim];
  output_batch_stride_ = output[conv.output_batch_dim];
  groups_ = std::max(conv.feature_groups, conv.batch_groups);
  outputs_per_group_ = conv.output_features / groups_;
  output_feature_stride_ = output[conv.output_feature_dim];
  group_input_step_ = conv.feature_groups > 1
                          ? features_ * feature_stride_
                          : conv.input_batch / conv.batch_groups * input_batch_stride_;
  group_kernel_step_ = outputs_per_group_ * kernel[conv.kernel_output_feature_dim];
  group_output_step_ = outputs_per_group_ * output_feature_stride_;
  Dimensions sizes, strides;
  for (const ConvolutionGeometry::Spatial& spatial : conv.spatial) {
    const int64_t stride = kernel[spatial.kernel_dim];
    const bool reversed = spatial.window.reversal;
    sizes.push_back(spatial.window.size);
    strides.push_back(reversed ? -stride : stride);
    if (reversed) kernel_offset_ += (spatial.window.size - 1) * stride;
    positions_ *= spatial.window.size;
    spatial_.push_back({WindowTaps(spatial.input_size, spatial.output_size, spatial.window),
                        spatial.window.size, input[spatial.input_dim], output[spatial.output_dim]});
  }
  sizes.push_back(features_);
  strides.push_back(kernel[conv.kernel_input_feature_dim]);
  sizes.push_back(outputs_per_group_);
  strides.push_back(kernel[conv.kernel_output_feature_dim]);
  kernel_pack_ = StridedCopy(rhs_bytes_, sizes, strides, RowMajorStrides(sizes));
}

// The state of one run: the matrices, and the rows gathered for the next multiplication.
class ConvolutionKernel::Runner {
 public:
  Runner(const ConvolutionKernel& kernel, EvaluationContext& context)
      : kernel_(kernel),
        meter_(context),
        whole_(kernel.types_),
        selected_(kernel.types_),
        room_rows_(std::max<int64_t>(
            1, kGathered / std::max<int64_t>(1, kernel.positions_ * kernel.features_))) {
    rows_.resize(room_rows_ * kernel.positions_ * kernel.features_ * kernel.lhs_bytes_);
  }

  absl::Status RunGroup(const std::byte* input, const std::byte* kernel, std::byte* output) {
    const ConvolutionKernel& k = kernel_;
    const int64_t n = k.positions_ * k.features_;
    std::vector<std::byte> packed(n * k.outputs_per_group_ * k.rhs_bytes_);
    absl::Status status =
        k.kernel_pack_.Run(kernel + k.kernel_offset_ * k.rhs_bytes_, packed.data(), meter_);
    if (!status.ok()) return status;
    whole_.Set(packed.data(), k.outputs_per_group_, n, k.outputs_per_group_);
    taps_.assign(k.spatial_.size(), Taps{-1, -1, -1});
    for (int64_t b = 0; b < k.batches_; ++b) {
      status = RunImage(input + b * k.input_batch_stride_ * k.lhs_bytes_,
                        output + b * k.output_batch_stride_ * k.result_bytes_);
      if (!status.ok()) return status;
    }
    return meter_.Flush();
  }

 private:
  // One image, one group: lines of outputs along the last spatial dimension.
  absl::Status RunImage(const std::byte* input, std::byte* output) {
    const ConvolutionKernel& k = kernel_;
    Odometer<1>::Loops loops;
    for (const SpatialPlan& plan : k.spatial_) {
      loops.push_back({plan.window.output_size(), {plan.output_stride}});
    }
    const int64_t last = static_cast<int64_t>(k.spatial_.size()) - 1;
    const int64_t line_stride = last < 0 ? 0 : k.spatial_[last].output_stride;
    Odometer<1> at(loops);
    absl::InlinedVector<Taps, 4> taps(k.spatial_.size());
    do {
      bool same = true;
      for (size_t d = 0; d < taps.size(); ++d) {
        taps[d] = k.spatial_[d].window.At(at.position(d));
        same = same && taps[d].SamePositions(taps_[d]);
      }
      const bool new_line = last < 0 || at.position(last) == 0;
      if (!same || new_line || gathered_ == room_rows_) {
        if (absl::Status status = Flush(line_stride); !status.ok()) return status;
      }
      if (!same || taps.empty()) ChooseMatrix(taps);
      if (gathered_ == 0) target_ = output + at.offset(0) * k.result_bytes_;
      Gather(input, taps);
    } while (at.Next());
    return Flush(line_stride);
  }

  // The matrix that has the rows of these positions alone.
  void ChooseMatrix(const absl::InlinedVector<Taps, 4>& taps) {
    const ConvolutionKernel& k = kernel_;
    taps_ = taps;
    int64_t count = 1;
    for (const Taps& t : taps) count *= t.count;
    row_size_ = count * k.features_;
    matrix_ = &whole_;
    if (count == k.positions_) return;
    matrix_ = &selected_;
    std::vector<int64_t> positions;
    if (count > 0) {
      Odometer<1>::Loops loops;
      int64_t stride = 1, base = 0;
      for (int64_t d = static_cast<int64_t>(taps.size()) - 1; d >= 0; --d) {
        const SpatialPlan& plan = k.spatial_[d];
        loops.insert(loops.begin(), {taps[d].count, {plan.window.position_step() * stride}});
        base += taps[d].first * stride;
        stride *= plan.window_size;
      }
      Odometer<1> at(loops);
      do {
        positions.push_back(base + at.offset(0));
      } while (at.Next());
    }
    selected_.SelectRows(whole_, positions, k.features_);
  }

  // Appends the row of input elements that the window meets.
  void Gather(const std::byte* input, const absl::InlinedVector<Taps, 4>& taps) {
    const ConvolutionKernel& k = kernel_;
    std::byte* row = rows_.data() + gathered_++ * row_size_ * k.lhs_bytes_;
    if (row_size_ == 0) return;
    int64_t base = 0;
    Odometer<1>::Loops loops;
    for (size_t d = 0; d < taps.size(); ++d) {
      const SpatialPlan& plan = k.spatial_[d];
      base += taps[d].element * plan.input_stride;
      loops.push_back({taps[d].count, {plan.window.element_step() * plan.input_stride}});
    }
    Odometer<1> at(loops);
    do {
      const std::byte* from = input + (base + at.offset(0)) * k.lhs_bytes_;
      if (k.feature_stride_ == 1) {
        std::memcpy(row, from, k.features_ * k.lhs_bytes_);
        row += k.features_ * k.lhs_bytes_;
        continue;
      }
      for (int64_t c = 0; c < k.features_; ++c) {
        std::memcpy(row, from + c * k.feature_stride_ * k.lhs_bytes_, k.lhs_bytes_);
        row += k.lhs_bytes_;
      }
    } while (at.Next());
  }

  absl::Status Flush(int64_t line_stride) {
    const int64_t rows = gathered_;
    gathered_ = 0;
    if (rows == 0) return absl::OkStatus();
    return matrix_->Multiply(rows_.data(), rows, target_, line_stride,
                             kernel_.output_feature_stride_, meter_);
  }

  const ConvolutionKernel& kernel_;
  Meter meter_;
  DecodedMatrix whole_, selected_;
  DecodedMatrix* matrix_ = nullptr;
  absl::InlinedVector<Taps, 4> taps_;  // of the rows gathered, and of the matrix
  int64_t room_rows_;
  std::vector<std::byte> rows_;
  int64_t row_size_ = 0;
  int64_t gathered_ = 0;
  std::byte* target_ = nullptr;
};

absl::Status ConvolutionKernel::Run(absl::Span<const ArrayRef> operands,
                                    absl::Span<const MutableArrayRef> results,
                                    EvaluationContext& context) const {
  if (empty_) return absl::OkStatus();
  const int64_t n = positions_ * features_;
  const int64_t rows = std::max(n, kGathered) * lhs_bytes_;
  ScratchLease lease(context);
  // The matrix whole, with the positions of the last place, and as it was packed.
  absl::Status counted = lease.Add(rows + n * outputs_per_group_ * rhs_bytes_ +
                                   2 * DecodedMatrix::BytesFor(types_, n, outputs_per_group_));
  if (!counted.ok()) return counted;
  Runner runner(*this, context);
  for (int64_t g = 0; g < groups_; ++g) {
    absl::Status status = runner.RunGroup(operands[0].data + g * group_input_step_ * lhs_bytes_,
                                          operands[1].data + g * group_kernel_step_ * rhs_bytes_,
                                          results[0].data + g * group_output_step_ * result_bytes_);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
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

}  // namespace assay::kernels
