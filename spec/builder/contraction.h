// Dots, convolutions, batch normalisation, linear algebra.
// Source: seeds 000, 003, 004; reference ops_structural.md 7 to 11. Tests: builder_clauses_test.cc,
// conformance/seeds.
#ifndef ASSAY_SPEC_BUILDER_CONTRACTION_H_
#define ASSAY_SPEC_BUILDER_CONTRACTION_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "spec/builder/builder.h"
#include "spec/builder/reduction.h"

namespace assay {

// A precision per operand; none is the default.
using PrecisionConfig = std::vector<Precision>;
// The element type that products are summed in and that the result has.
using PreferredElementType = std::optional<ElementType>;

// The last dimension of lhs with the one before last (the only one) of rhs.
Op Dot(Op lhs, Op rhs, const PrecisionConfig& precision_config = {},
       PreferredElementType preferred_element_type = std::nullopt,
       CallSite site = CallSite::Current());

struct DotDimensionNumbers {
  std::vector<int64_t> lhs_contracting_dimensions;
  std::vector<int64_t> rhs_contracting_dimensions;
  std::vector<int64_t> lhs_batch_dimensions;
  std::vector<int64_t> rhs_batch_dimensions;
};
// Result dimensions: batch, free of lhs, free of rhs.
Op DotGeneral(Op lhs, Op rhs, const DotDimensionNumbers& dimension_numbers,
              const PrecisionConfig& precision_config = {},
              PreferredElementType preferred_element_type = std::nullopt,
              CallSite site = CallSite::Current());
// The operand order of the document; HLO has the scales last.
Op ScaledDot(Op lhs, Op lhs_scale, Op rhs, Op rhs_scale,
             const DotDimensionNumbers& dimension_number,
             const PrecisionConfig& precision_config = {},
             PreferredElementType preferred_element_type = std::nullopt,
             CallSite site = CallSite::Current());

struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers;
  std::vector<int64_t> lhs_ragged_dimensions;
  std::vector<int64_t> rhs_group_dimensions;
};
Op RaggedDot(Op lhs, Op rhs, Op group_sizes, const RaggedDotDimensionNumbers& dimension_numbers,
             const PrecisionConfig& precision_config = {},
             PreferredElementType preferred_element_type = std::nullopt,
             CallSite site = CallSite::Current());

// Groups of a convolution.
struct ConvGroups {
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
};

// Dimensions are batch, feature, spatial; of the kernel output feature, input feature, spatial.
Op Conv(Op lhs, Op rhs, absl::Span<const int64_t> window_strides, Padding padding,
        int64_t feature_group_count = 1, int64_t batch_group_count = 1,
        const PrecisionConfig& precision_config = {},
        PreferredElementType preferred_element_type = std::nullopt,
        CallSite site = CallSite::Current());
Op ConvWithGeneralPadding(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                          absl::Span<const PaddingPair> padding,
                          CallSite site = CallSite::Current());
// As in 2017: the dilations of input and kernel.
Op ConvWithGeneralPadding(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                          absl::Span<const PaddingPair> padding,
                          absl::Span<const int64_t> lhs_dilation,
                          absl::Span<const int64_t> rhs_dilation,
                          CallSite site = CallSite::Current());
// The same with dimension numbers of one's own (the rank fields may stay 0).
Op ConvWithGeneralDimensions(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                             Padding padding, const ConvolutionDimensions& dimension_numbers,
                             int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                             const PrecisionConfig& precision_config = {},
                             PreferredElementType preferred_element_type = std::nullopt,
                             CallSite site = CallSite::Current());
Op ConvGeneral(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
               absl::Span<const PaddingPair> padding,
               const ConvolutionDimensions& dimension_numbers, int64_t feature_group_count = 1,
               int64_t batch_group_count = 1, const PrecisionConfig& precision_config = {},
               PreferredElementType preferred_element_type = std::nullopt,
               CallSite site = CallSite::Current());
Op ConvGeneralDilated(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                      absl::Span<const PaddingPair> padding, absl::Span<const int64_t> lhs_dilation,
                      absl::Span<const int64_t> rhs_dilation,
                      const ConvolutionDimensions& dimension_numbers,
                      int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                      const PrecisionConfig& precision_config = {},
                      PreferredElementType preferred_element_type = std::nullopt,
                      const std::vector<bool>& window_reversal = {},
                      CallSite site = CallSite::Current());
namespace builder_internal {
Op ConvInGroups(const Op& lhs, const Op& rhs, absl::Span<const int64_t> window_strides,
                absl::Span<const PaddingPair> padding, ConvGroups groups,
                const PrecisionConfig& precision_config,
                PreferredElementType preferred_element_type, CallSite site);
}  // namespace builder_internal
// Group counts are numbers and never lists: `{2}` is a dilation.
Op ConvWithGeneralPadding(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                          absl::Span<const PaddingPair> padding,
                          std::integral auto feature_group_count,
                          std::integral auto batch_group_count,
                          const PrecisionConfig& precision_config = {},
                          PreferredElementType preferred_element_type = std::nullopt,
                          CallSite site = CallSite::Current()) {
  return builder_internal::ConvInGroups(
      lhs, rhs, window_strides, padding,
      {static_cast<int64_t>(feature_group_count), static_cast<int64_t>(batch_group_count)},
      precision_config, preferred_element_type, site);
}

// (output, batch_mean, batch_var)
Op BatchNormTraining(Op operand, Op scale, Op offset, float epsilon, int64_t feature_index,
                     CallSite site = CallSite::Current());
Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance, float epsilon,
                      int64_t feature_index, CallSite site = CallSite::Current());
// (grad_operand, grad_scale, grad_offset)
Op BatchNormGrad(Op operand, Op scale, Op batch_mean, Op batch_var, Op grad_output, float epsilon,
                 int64_t feature_index, CallSite site = CallSite::Current());

Op Cholesky(Op a, bool lower, CallSite site = CallSite::Current());
Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal,
                   TransposeA transpose_a, CallSite site = CallSite::Current());
Op Fft(Op operand, FftType fft_type, absl::Span<const int64_t> fft_length,
       CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_CONTRACTION_H_
