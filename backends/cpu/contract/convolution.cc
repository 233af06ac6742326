// convolution as products of matrices: rows are the positions of the output, columns the output
// features, and what is contracted are the positions of the window and the input features. Where
// the window leaves the input, the input is copied with zeros around it. A dilated input has holes,
// which a window meets in one of a few ways that come again and again: outputs of one way (a phase)
// are one product with the positions that meet an element.
//
// An absent element contributes nothing, not even NaN: where zeros are put in and the kernel is not
// finite, or where the copy would be far larger than the input, the sums are formed tap by tap
// (convolution_taps.cc). Source: reference ops_structural.md 8. Tests: contract_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/contract/contract.h"
#include "backends/cpu/contract/converted.h"
#include "backends/cpu/contract/convolution_taps.h"
#include "backends/cpu/contract/product.h"
#include "runtime/parallel.h"
#include "runtime/strided_copy.h"
#include "spec/analysis/floor_division.h"
#include "spec/element/element.h"

namespace assay::cpu {
namespace {

using runtime::ArrayRef;
using runtime::MutableArrayRef;

// One spatial dimension of the outputs first, first + step, ... : the positions of the window
// position, position + position_step, ... meet the elements (or places around the input) element +
// i * element_per_output + j * element_step.
struct Phase {
  int64_t first, outputs, step;
  int64_t position = 0, taps = 0, position_step = 1;
  int64_t element = 0, element_per_output = 0, element_step = 0;

  int64_t lowest() const { return element; }
  int64_t highest() const {
    return element + (outputs - 1) * element_per_output + (taps - 1) * element_step;
  }
};

// Empty where they are many: sizes come from programs that may never run.
std::vector<Phase> PhasesOf(const ConvolutionGeometry::Spatial& spatial) {
  const WindowDimension& window = spatial.window;
  const analysis::WindowTaps taps(spatial.input_size, spatial.output_size, window);
  const int64_t phases = std::min(taps.period(), spatial.output_size);
  constexpr int64_t kMost = 1 << 10;
  std::vector<Phase> list;
  if (phases > kMost || taps.position_step() > kMost) return list;
  for (int64_t first = 0; first < phases; ++first) {
    Phase phase = {first, (spatial.output_size - 1 - first) / taps.period() + 1, taps.period()};
    phase.position_step = taps.position_step();
    phase.element_step = taps.element_step();
    phase.element_per_output = taps.period_elements();
    const __int128 begin = static_cast<__int128>(first) * window.stride - window.padding_low;
    // The first position of the window that stands on an element of the dilated, endless input.
    const int64_t most = std::min(window.size, taps.position_step());
    int64_t position = 0;
    auto place = [&] { return begin + static_cast<__int128>(position) * window.window_dilation; };
    while (position < most && analysis::FloorModulo(place(), window.base_dilation) != 0) ++position;
    if (position < most) {
      phase.position = position;
      phase.taps = (window.size - 1 - position) / phase.position_step + 1;
      phase.element = static_cast<int64_t>(place() / window.base_dilation);
    }
    list.push_back(phase);
  }
  return list;
}

// Whether no exponent has all bits set: in IEEE formats, infinities and NaN.
template <typename Bits>
bool NoneHas(Bits exponent, const std::byte* data, int64_t count) {
  Bits found = 0;
  for (int64_t i = 0; i < count; ++i) {
    found |= static_cast<Bits>((runtime::LoadAt<Bits>(data, i) & exponent) == exponent);
  }
  return found == 0;
}
bool AllFinite(ElementType type, const std::byte* data, int64_t count) {
  const ElementType part = Info(type).component;
  if (!IsFloat(part)) return true;
  const int64_t parts = IsComplex(type) ? 2 * count : count;
  const uint64_t infinity = Infinity(part);
  switch (Info(part).bits) {
    case 64:
      return NoneHas<uint64_t>(infinity, data, parts);
    case 32:
      return NoneHas<uint32_t>(static_cast<uint32_t>(infinity), data, parts);
    case 16:
      return NoneHas<uint16_t>(static_cast<uint16_t>(infinity), data, parts);
    default:
      break;
  }
  for (int64_t i = 0; i < parts; ++i) {
    const uint64_t bits = LoadElement(part, data, i).bits;
    if (IsNan(part, bits) || IsInfinity(part, bits)) return false;
  }
  return true;
}

class Convolution : public runtime::Kernel {
 public:
  explicit Convolution(const Instruction& convolution)
      : conv_(ConvolutionGeometryOf(convolution)),
        input_(convolution.operand(0)->shape()),
        kernel_(convolution.operand(1)->shape()),
        result_(convolution.shape()),
        input_type_(
            FactorType(input_.element_type(), kernel_.element_type(), result_.element_type())),
        kernel_type_(
            FactorType(kernel_.element_type(), input_.element_type(), result_.element_type())),
        kernel_strides_(RowMajorStrides(kernel_.dimensions())),
        result_strides_(RowMajorStrides(result_.dimensions())) {
    if (result_.element_count() == 0) return;
    for (const ConvolutionGeometry::Spatial& spatial : conv_.spatial) {
      phases_.push_back(PhasesOf(spatial));
      if (phases_.back().empty()) may_copy_ = false;
      int64_t low = 0, high = 0;
      for (const Phase& phase : phases_.back()) {
        if (phase.taps == 0) continue;
        low = std::max(low, -phase.lowest());
        high = std::max(high, phase.highest() - (spatial.input_size - 1));
      }
      padding_low_.push_back(low);
      padding_high_.push_back(high);
      is_padded_ |= low > 0 || high > 0;
    }
    PlanInput();
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results,
                       runtime::Context& context) const override {
    if (result_.element_count() == 0) return absl::OkStatus();
    ConvertedFactor input(context), kernel(context);
    absl::Status status =
        input.Set(input_.element_type(), input_type_, operands[0].data, input_.element_count());
    if (status.ok()) {
      status = kernel.Set(kernel_.element_type(), kernel_type_, operands[1].data,
                          kernel_.element_count());
    }
    if (!status.ok()) return status;
    if (!may_copy_ ||
        (is_padded_ && !AllFinite(kernel_type_, kernel.data(), kernel_.element_count()))) {
      return SumTaps({conv_, input_, kernel_, result_, input_type_, kernel_type_}, input.data(),
                     kernel.data(), results[0].data, context);
    }
    ConvertedFactor padded(context);
    const std::byte* data = input.data();
    if (is_padded_) {
      status = CopyPadded(data, padded, context);
      if (!status.ok()) return status;
      data = padded.data();
    }
    return MultiplyPhases(data, kernel.data(), results[0].data, context);
  }

 private:
  // The input as the products read it: as it is, or copied with the features inside.
  void PlanInput() {
    if (!may_copy_) return;
    const int64_t rank = input_.rank();
    Dimensions order;
    if (!is_padded_) {
      for (int64_t d = 0; d < rank; ++d) order.push_back(d);
    } else {
      order.push_back(conv_.input_batch_dim);
      for (const auto& spatial : conv_.spatial) order.push_back(spatial.input_dim);
      order.push_back(conv_.input_feature_dim);
    }
    Dimensions sizes(input_.dimensions().begin(), input_.dimensions().end());
    for (size_t i = 0; i < conv_.spatial.size(); ++i) {
      const int64_t d = conv_.spatial[i].input_dim;
      if (__builtin_add_overflow(sizes[d], padding_low_[i], &sizes[d]) ||
          __builtin_add_overflow(sizes[d], padding_high_[i], &sizes[d])) {
        may_copy_ = false;
      }
    }
    plan_strides_.resize(rank);
    int64_t count = 1;
    for (size_t i = order.size(); i-- > 0 && may_copy_;) {
      plan_strides_[order[i]] = count;
      if (__builtin_mul_overflow(count, sizes[order[i]], &count)) may_copy_ = false;
    }
    plan_count_ = count;
    if (!is_padded_) return;
    constexpr int64_t kSmall = int64_t{1} << 16, kMostTimes = 8;
    const bool too_large =
        may_copy_ && count > kSmall && count / kMostTimes > input_.element_count();
    // f8e8m0fnu has no zero.
    if (too_large || input_type_ == ElementType::kF8E8M0FNU) may_copy_ = false;
  }

  absl::Status CopyPadded(const std::byte* data, ConvertedFactor& padded,
                          runtime::Context& context) const {
    const absl::StatusOr<std::byte*> memory = padded.Allocate(input_type_, plan_count_);
    if (!memory.ok()) return memory.status();
    const int64_t bytes = Info(input_type_).storage_bytes;
    std::memset(*memory, 0, plan_count_ * bytes);
    int64_t first = 0;
    for (size_t i = 0; i < conv_.spatial.size(); ++i) {
      first += padding_low_[i] * plan_strides_[conv_.spatial[i].input_dim];
    }
    // In the order of the copy, so that it is written from front to back.
    Dimensions sizes, from, to;
    auto add = [&](int64_t d) {
      sizes.push_back(input_.dimension(d));
      from.push_back(RowMajorStrides(input_.dimensions())[d]);
      to.push_back(plan_strides_[d]);
    };
    add(conv_.input_batch_dim);
    for (const auto& spatial : conv_.spatial) add(spatial.input_dim);
    add(conv_.input_feature_dim);
    const runtime::StridedCopy copy(bytes, sizes, from, to);
    return copy.Run(data, *memory + first * bytes, context);
  }

  // One product for each combination of phases.
  absl::Status MultiplyPhases(const std::byte* input, const std::byte* kernel, std::byte* result,
                              runtime::Context& context) const {
    absl::InlinedVector<size_t, 4> chosen(conv_.spatial.size(), 0);
    while (true) {
      absl::Status status = MultiplyPhase(chosen, input, kernel, result, context);
      if (!status.ok()) return status;
      int64_t i = static_cast<int64_t>(chosen.size()) - 1;
      for (; i >= 0 && ++chosen[i] == phases_[i].size(); --i) chosen[i] = 0;
      if (i < 0) return absl::OkStatus();
    }
  }

  absl::Status MultiplyPhase(absl::Span<const size_t> chosen, const std::byte* input,
                             const std::byte* kernel, std::byte* result,
                             runtime::Context& context) const {
    Product product;
    product.lhs.type = input_type_;
    product.rhs.type = kernel_type_;
    product.result_type = result_.element_type();
    const int64_t groups = conv_.feature_groups * conv_.batch_groups;
    const int64_t features = conv_.output_features / groups;
    const int64_t input_batch = plan_strides_[conv_.input_batch_dim];
    const int64_t input_feature = plan_strides_[conv_.input_feature_dim];
    product.lhs.batch.Append(groups, conv_.batch_groups > 1
                                         ? conv_.output_batch * input_batch
                                         : conv_.kernel_features * input_feature);
    const int64_t kernel_output = kernel_strides_[conv_.kernel_output_feature_dim];
    const int64_t result_feature = result_strides_[conv_.output_feature_dim];
    product.rhs.batch.Append(groups, features * kernel_output);
    product.result_batch.Append(groups, features * result_feature);
    product.lhs.outer.Append(conv_.output_batch, input_batch);
    product.result_rows.Append(conv_.output_batch, result_strides_[conv_.output_batch_dim]);
    product.rhs.outer.Append(features, kernel_output);
    product.result_columns.Append(features, result_feature);
    int64_t in = 0, ker = 0, out = 0;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const ConvolutionGeometry::Spatial& spatial = conv_.spatial[i];
      const Phase& phase = phases_[i][chosen[i]];
      const int64_t input_stride = plan_strides_[spatial.input_dim];
      const int64_t kernel_stride = kernel_strides_[spatial.kernel_dim];
      const int64_t output_stride = result_strides_[spatial.output_dim];
      product.lhs.outer.Append(phase.outputs, phase.element_per_output * input_stride);
      product.result_rows.Append(phase.outputs, phase.step * output_stride);
      product.lhs.depth.Append(phase.taps, phase.element_step * input_stride);
      const int64_t sign = spatial.window.reversal ? -1 : 1;
      product.rhs.depth.Append(phase.taps, sign * phase.position_step * kernel_stride);
      if (phase.taps > 0) in += (phase.element + padding_low_[i]) * input_stride;
      ker += kernel_stride *
             (spatial.window.reversal ? spatial.window.size - 1 - phase.position : phase.position);
      out += phase.first * output_stride;
    }
    product.lhs.depth.Append(conv_.kernel_features, input_feature);
    product.rhs.depth.Append(conv_.kernel_features,
                             kernel_strides_[conv_.kernel_input_feature_dim]);
    return Multiply(product, input + in * Info(input_type_).storage_bytes,
                    kernel + ker * Info(kernel_type_).storage_bytes,
                    result + out * Info(result_.element_type()).storage_bytes, context);
  }

  const ConvolutionGeometry conv_;
  const Shape input_, kernel_, result_;
  const ElementType input_type_, kernel_type_;
  const Dimensions kernel_strides_, result_strides_;
  std::vector<std::vector<Phase>> phases_;  // by spatial dimension
  Dimensions padding_low_, padding_high_;   // places around the input that windows meet
  bool is_padded_ = false;
  bool may_copy_ = true;
  Dimensions plan_strides_;  // of the input or its copy
  int64_t plan_count_ = 0;
};

}  // namespace

runtime::KernelOr PrepareConvolution(const Instruction& convolution) {
  const auto kind = convolution.GetEnum<ConvolutionKind>(Attr::kConvolutionKind);
  const bool is_gradient = kind != ConvolutionKind::kUnset && kind != ConvolutionKind::kFprop;
  if (is_gradient || convolution.HasAttribute(Attr::kSparsityConfig) ||
      !convolution.operand(1)->shape().is_array()) {
    return absl::UnimplementedError(absl::StrCat("convolution of a gradient kind or with a sparse ",
                                                 "kernel: ", convolution.Describe()));
  }
  return std::make_unique<Convolution>(convolution);
}

}  // namespace assay::cpu
