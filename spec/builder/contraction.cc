// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   dot_builder_c1 Dot takes vectors and matrices (in 2017: arrays of rank 1 and more)
//   dot_2017_c1 in 2017 both operands of a dot have one element type
//   conv_builder_c1 dimension numbers are those of the operands
#include "spec/builder/contraction.h"

#include <algorithm>

#include "spec/builder/lowering_2017.h"
#include "spec/builder/windows.h"

namespace assay {

using builder_internal::AttributeList;
using builder_internal::Counting;
using builder_internal::Maker;
using builder_internal::ToVector;

namespace {

AttributeList DotAttributes(const DotDimensionNumbers& numbers,
                            const PrecisionConfig& precision_config) {
  std::vector<int64_t> precisions;
  for (Precision precision : precision_config) {
    precisions.push_back(static_cast<int64_t>(precision));
  }
  return {{Attr::kLhsContractingDims, numbers.lhs_contracting_dimensions},
          {Attr::kRhsContractingDims, numbers.rhs_contracting_dimensions},
          {Attr::kLhsBatchDims, numbers.lhs_batch_dimensions},
          {Attr::kRhsBatchDims, numbers.rhs_batch_dimensions},
          {Attr::kOperandPrecision, precisions}};
}

// Tells the rule the type of the result and nothing else.
Shape Preferring(PreferredElementType type) { return type ? Shape::Scalar(*type) : Shape(); }

}  // namespace

Op Dot(Op lhs, Op rhs, const PrecisionConfig& precision_config,
       PreferredElementType preferred_element_type, CallSite site) {
  Maker maker("Dot", site, {lhs, rhs});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& left = maker.ShapeOf(lhs);
  const Shape& right = maker.ShapeOf(rhs);
  const int64_t most = maker.semantics() == Semantics::k2017 ? INT64_MAX : 2;
  ASSAY_MAKER_REQUIRE(maker, "dot_builder_c1",
                      left.is_array() && right.is_array() &&
                          std::min(left.rank(), right.rank()) >= 1 &&
                          std::max(left.rank(), right.rank()) <= most,
                      "Dot takes vectors and matrices, found ", left.ToString(), " and ",
                      right.ToString(), "; DotGeneral takes more");
  ASSAY_MAKER_REQUIRE(
      maker, "dot_2017_c1",
      maker.semantics() == Semantics::kToday || left.element_type() == right.element_type(),
      "in 2017 both operands of a dot have one element type, found ", left.ToString(), " and ",
      right.ToString());
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dimensions = {left.rank() - 1};
  numbers.rhs_contracting_dimensions = {builder_internal::ContractedOfRhs2017(right)};
  return maker.Make(Opcode::kDot, {lhs, rhs}, DotAttributes(numbers, precision_config),
                    Preferring(preferred_element_type));
}

Op DotGeneral(Op lhs, Op rhs, const DotDimensionNumbers& dimension_numbers,
              const PrecisionConfig& precision_config, PreferredElementType preferred_element_type,
              CallSite site) {
  Maker maker("DotGeneral", site, {lhs, rhs});
  return maker.Make(Opcode::kDot, {lhs, rhs}, DotAttributes(dimension_numbers, precision_config),
                    Preferring(preferred_element_type));
}

Op ScaledDot(Op lhs, Op lhs_scale, Op rhs, Op rhs_scale,
             const DotDimensionNumbers& dimension_number, const PrecisionConfig& precision_config,
             PreferredElementType preferred_element_type, CallSite site) {
  Maker maker("ScaledDot", site, {lhs, lhs_scale, rhs, rhs_scale});
  const ElementType type = preferred_element_type.value_or(ElementType::kF32);
  return maker.Make(Opcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale},
                    DotAttributes(dimension_number, precision_config), Preferring(type));
}

Op RaggedDot(Op lhs, Op rhs, Op group_sizes, const RaggedDotDimensionNumbers& dimension_numbers,
             const PrecisionConfig& precision_config, PreferredElementType preferred_element_type,
             CallSite site) {
  Maker maker("RaggedDot", site, {lhs, rhs, group_sizes});
  AttributeList attributes =
      DotAttributes(dimension_numbers.dot_dimension_numbers, precision_config);
  attributes.emplace_back(Attr::kLhsRaggedDims, dimension_numbers.lhs_ragged_dimensions);
  attributes.emplace_back(Attr::kRhsGroupDims, dimension_numbers.rhs_group_dimensions);
  return maker.Make(Opcode::kRaggedDot, {lhs, rhs, group_sizes}, std::move(attributes),
                    Preferring(preferred_element_type));
}

namespace {

// What a convolution consists of, whatever the function.
struct ConvArguments {
  ConvolutionDimensions numbers;
  absl::Span<const int64_t> strides;
  absl::Span<const PaddingPair> padding = {};
  absl::Span<const int64_t> lhs_dilation = {};
  absl::Span<const int64_t> rhs_dilation = {};
  ConvGroups groups = {};
  const std::vector<bool>* reversal = nullptr;
};

// Batch, feature, spatial; output feature, input feature, spatial.
ConvolutionDimensions DefaultNumbers(const Shape& lhs) {
  ConvolutionDimensions numbers;
  numbers.input_feature = numbers.output_feature = numbers.kernel_input_feature = 1;
  for (int64_t d = 2; d < lhs.rank(); ++d) {
    numbers.input_spatial.push_back(d);
    numbers.kernel_spatial.push_back(d);
    numbers.output_spatial.push_back(d);
  }
  return numbers;
}

// conv_builder_c1; empty after an error.
std::vector<int64_t> SizesAt(Maker& maker, const Shape& shape,
                             absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> sizes;
  for (int64_t d : dimensions) {
    if (d < 0 || d >= shape.rank()) {
      maker.Fail("conv_builder_c1",
                 absl::StrCat("dimension ", d, " is none of ", shape.ToString()));
      return {};
    }
    sizes.push_back(shape.dimension(d));
  }
  return sizes;
}

Op MakeConv(Maker& maker, const Op& lhs, const Op& rhs, ConvArguments arguments,
            const PrecisionConfig& precision_config, PreferredElementType preferred_element_type) {
  if (!maker.ok()) return maker.Wrap(nullptr);
  ConvolutionDimensions& numbers = arguments.numbers;
  numbers.input_rank = numbers.output_rank = maker.ShapeOf(lhs).rank();
  numbers.kernel_rank = maker.ShapeOf(rhs).rank();
  const std::vector<int64_t> sizes =
      SizesAt(maker, maker.ShapeOf(rhs), arguments.numbers.kernel_spatial);
  Window window = MakeWindow(maker, {.sizes = sizes,
                                     .strides = arguments.strides,
                                     .padding = arguments.padding,
                                     .base_dilations = arguments.lhs_dilation,
                                     .window_dilations = arguments.rhs_dilation,
                                     .reversal = arguments.reversal});
  std::vector<int64_t> precisions;
  for (Precision precision : precision_config) {
    precisions.push_back(static_cast<int64_t>(precision));
  }
  return maker.Make(Opcode::kConvolution, {lhs, rhs},
                    {{Attr::kWindow, std::move(window)},
                     {Attr::kDimLabels, numbers},
                     {Attr::kFeatureGroupCount, arguments.groups.feature_group_count},
                     {Attr::kBatchGroupCount, arguments.groups.batch_group_count},
                     {Attr::kOperandPrecision, precisions}},
                    Preferring(preferred_element_type));
}

std::vector<PaddingPair> ConvPadding(Maker& maker, const Op& lhs, const Op& rhs,
                                     const ConvolutionDimensions& numbers,
                                     absl::Span<const int64_t> strides, Padding padding) {
  const std::vector<int64_t> base = SizesAt(maker, maker.ShapeOf(lhs), numbers.input_spatial);
  const std::vector<int64_t> kernel = SizesAt(maker, maker.ShapeOf(rhs), numbers.kernel_spatial);
  return builder_internal::MakePadding(base, kernel, strides, padding);
}

// With a padding by its name.
Op MakeConv(Maker& maker, const Op& lhs, const Op& rhs, absl::Span<const int64_t> strides,
            Padding padding, const ConvolutionDimensions& numbers, ConvGroups groups,
            const PrecisionConfig& precision_config, PreferredElementType preferred_element_type) {
  const auto pairs = ConvPadding(maker, lhs, rhs, numbers, strides, padding);
  return MakeConv(maker, lhs, rhs,
                  {.numbers = numbers, .strides = strides, .padding = pairs, .groups = groups},
                  precision_config, preferred_element_type);
}

}  // namespace

Op Conv(Op lhs, Op rhs, absl::Span<const int64_t> window_strides, Padding padding,
        int64_t feature_group_count, int64_t batch_group_count,
        const PrecisionConfig& precision_config, PreferredElementType preferred_element_type,
        CallSite site) {
  Maker maker("Conv", site, {lhs, rhs});
  return MakeConv(maker, lhs, rhs, window_strides, padding, DefaultNumbers(maker.ShapeOf(lhs)),
                  {feature_group_count, batch_group_count}, precision_config,
                  preferred_element_type);
}

Op ConvWithGeneralPadding(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                          absl::Span<const PaddingPair> padding, CallSite site) {
  return builder_internal::ConvInGroups(lhs, rhs, window_strides, padding, {}, {}, std::nullopt,
                                        site);
}

Op ConvWithGeneralPadding(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                          absl::Span<const PaddingPair> padding,
                          absl::Span<const int64_t> lhs_dilation,
                          absl::Span<const int64_t> rhs_dilation, CallSite site) {
  Maker maker("ConvWithGeneralPadding", site, {lhs, rhs});
  return MakeConv(maker, lhs, rhs,
                  {.numbers = DefaultNumbers(maker.ShapeOf(lhs)),
                   .strides = window_strides,
                   .padding = padding,
                   .lhs_dilation = lhs_dilation,
                   .rhs_dilation = rhs_dilation},
                  {}, std::nullopt);
}

namespace builder_internal {

Op ConvInGroups(const Op& lhs, const Op& rhs, absl::Span<const int64_t> window_strides,
                absl::Span<const PaddingPair> padding, ConvGroups groups,
                const PrecisionConfig& precision_config,
                PreferredElementType preferred_element_type, CallSite site) {
  Maker maker("ConvWithGeneralPadding", site, {lhs, rhs});
  return MakeConv(maker, lhs, rhs,
                  {.numbers = DefaultNumbers(maker.ShapeOf(lhs)),
                   .strides = window_strides,
                   .padding = padding,
                   .groups = groups},
                  precision_config, preferred_element_type);
}

}  // namespace builder_internal

Op ConvWithGeneralDimensions(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                             Padding padding, const ConvolutionDimensions& dimension_numbers,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const PrecisionConfig& precision_config,
                             PreferredElementType preferred_element_type, CallSite site) {
  Maker maker("ConvWithGeneralDimensions", site, {lhs, rhs});
  return MakeConv(maker, lhs, rhs, window_strides, padding, dimension_numbers,
                  {feature_group_count, batch_group_count}, precision_config,
                  preferred_element_type);
}

Op ConvGeneral(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
               absl::Span<const PaddingPair> padding,
               const ConvolutionDimensions& dimension_numbers, int64_t feature_group_count,
               int64_t batch_group_count, const PrecisionConfig& precision_config,
               PreferredElementType preferred_element_type, CallSite site) {
  Maker maker("ConvGeneral", site, {lhs, rhs});
  return MakeConv(maker, lhs, rhs,
                  {.numbers = dimension_numbers,
                   .strides = window_strides,
                   .padding = padding,
                   .groups = {feature_group_count, batch_group_count}},
                  precision_config, preferred_element_type);
}

Op ConvGeneralDilated(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                      absl::Span<const PaddingPair> padding, absl::Span<const int64_t> lhs_dilation,
                      absl::Span<const int64_t> rhs_dilation,
                      const ConvolutionDimensions& dimension_numbers, int64_t feature_group_count,
                      int64_t batch_group_count, const PrecisionConfig& precision_config,
                      PreferredElementType preferred_element_type,
                      const std::vector<bool>& window_reversal, CallSite site) {
  Maker maker("ConvGeneralDilated", site, {lhs, rhs});
  return MakeConv(maker, lhs, rhs,
                  {.numbers = dimension_numbers,
                   .strides = window_strides,
                   .padding = padding,
                   .lhs_dilation = lhs_dilation,
                   .rhs_dilation = rhs_dilation,
                   .groups = {feature_group_count, batch_group_count},
                   .reversal = &window_reversal},
                  precision_config, preferred_element_type);
}

namespace {

AttributeList BatchNorm(float epsilon, int64_t feature_index) {
  return {{Attr::kEpsilon, static_cast<double>(epsilon)}, {Attr::kFeatureIndex, feature_index}};
}

}  // namespace

Op BatchNormTraining(Op operand, Op scale, Op offset, float epsilon, int64_t feature_index,
                     CallSite site) {
  Maker maker("BatchNormTraining", site, {operand, scale, offset});
  return maker.Make(Opcode::kBatchNormTraining, {operand, scale, offset},
                    BatchNorm(epsilon, feature_index));
}

Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance, float epsilon,
                      int64_t feature_index, CallSite site) {
  Maker maker("BatchNormInference", site, {operand, scale, offset, mean, variance});
  return maker.Make(Opcode::kBatchNormInference, {operand, scale, offset, mean, variance},
                    BatchNorm(epsilon, feature_index));
}

Op BatchNormGrad(Op operand, Op scale, Op batch_mean, Op batch_var, Op grad_output, float epsilon,
                 int64_t feature_index, CallSite site) {
  Maker maker("BatchNormGrad", site, {operand, scale, batch_mean, batch_var, grad_output});
  return maker.Make(Opcode::kBatchNormGrad, {operand, scale, batch_mean, batch_var, grad_output},
                    BatchNorm(epsilon, feature_index));
}

Op Cholesky(Op a, bool lower, CallSite site) {
  return Maker("Cholesky", site, {a}).Make(Opcode::kCholesky, {a}, {{Attr::kLower, lower}});
}

Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal,
                   TransposeA transpose_a, CallSite site) {
  Maker maker("TriangularSolve", site, {a, b});
  return maker.Make(Opcode::kTriangularSolve, {a, b},
                    {{Attr::kLeftSide, left_side},
                     {Attr::kLower, lower},
                     {Attr::kUnitDiagonal, unit_diagonal},
                     {Attr::kTransposeA, static_cast<int64_t>(transpose_a)}});
}

Op Fft(Op operand, FftType fft_type, absl::Span<const int64_t> fft_length, CallSite site) {
  Maker maker("Fft", site, {operand});
  return maker.Make(
      Opcode::kFft, {operand},
      {{Attr::kFftType, static_cast<int64_t>(fft_type)}, {Attr::kFftLength, ToVector(fft_length)}});
}

}  // namespace assay
