// convolution: out[b, z, o] = sum over kernel positions k and input features c of
// in[b', g * KI + c, q] * kernel[z, c, k'], with g = floor(z / (OF / fg)),
// b' = floor(z / (OF / bg)) * (B / bg) + b, k' = k reversed where the window says so, and q the
// element that position k of the window meets at o; where it meets none there is no term. Source:
// ops_structural.md 8.
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"
#include "spec/ops/dimension_numbers.h"
#include "spec/ops/window_math.h"

namespace assay::evaluator {
namespace {

class Convolution : public Definition {
 public:
  explicit Convolution(const Instruction& convolution)
      : conv_(ConvolutionGeometryOf(convolution)),
        sum_(OperandType(convolution, 0), OperandType(convolution, 1),
             convolution.shape().element_type()) {
    for (const auto& spatial : conv_.spatial) window_sizes_.push_back(spatial.window.size);
  }

  absl::StatusOr<Element> At(int64_t, Index out, OperandElements& operands,
                             EvaluationContext& context) override {
    const int64_t b = out[conv_.output_batch_dim];
    const int64_t z = out[conv_.output_feature_dim];
    const int64_t g = z / (conv_.output_features / conv_.feature_groups);
    const int64_t group = z / (conv_.output_features / conv_.batch_groups);
    Dimensions in(out.size()), kernel(out.size());
    in[conv_.input_batch_dim] = group * (conv_.input_batch / conv_.batch_groups) + b;
    kernel[conv_.kernel_output_feature_dim] = z;

    sum_.Clear();
    absl::Status status = ForEachIndex(window_sizes_, [&](Index k) -> absl::Status {
      if (absl::Status charged = context.Charge(1); !charged.ok()) return charged;
      if (!PlaceWindow(out, k, in, kernel)) return absl::OkStatus();
      for (int64_t c = 0; c < conv_.kernel_features; ++c) {
        in[conv_.input_feature_dim] = g * conv_.kernel_features + c;
        kernel[conv_.kernel_input_feature_dim] = c;
        absl::StatusOr<Element> x = operands.At(0, in);
        if (!x.ok()) return x.status();
        absl::StatusOr<Element> w = operands.At(1, kernel);
        if (!w.ok()) return w.status();
        sum_.Add(*x, *w);
      }
      return context.Charge(conv_.kernel_features);
    });
    if (!status.ok()) return status;
    return sum_.Result();
  }

 private:
  // Sets the spatial dimensions of both indices; false where position k meets no input element.
  bool PlaceWindow(Index out, Index k, Dimensions& in, Dimensions& kernel) const {
    for (size_t d = 0; d < k.size(); ++d) {
      const ConvolutionGeometry::Spatial& spatial = conv_.spatial[d];
      const WindowDimension& window = spatial.window;
      const int64_t q = WindowedElement(spatial.input_size, window, out[spatial.output_dim], k[d]);
      if (q < 0) return false;
      in[spatial.input_dim] = q;
      kernel[spatial.kernel_dim] = window.reversal ? window.size - 1 - k[d] : k[d];
    }
    return true;
  }

  const ConvolutionGeometry conv_;
  Dimensions window_sizes_;
  ProductSum sum_;
};

absl::Status Unsupported(const Instruction& convolution, absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat("convolution: ", what, ": ", convolution.Describe()));
}

}  // namespace

DefinitionOr DefineConvolution(const Instruction& convolution) {
  if (convolution.operand_count() != 2 || convolution.HasAttribute(Attr::kSparsityConfig)) {
    return Unsupported(convolution, "sparse operands");
  }
  if (convolution.GetEnum<ConvolutionKind>(Attr::kConvolutionKind) != ConvolutionKind::kUnset &&
      convolution.GetEnum<ConvolutionKind>(Attr::kConvolutionKind) != ConvolutionKind::kFprop) {
    return Unsupported(convolution, "a gradient kind");
  }
  return std::make_unique<Convolution>(convolution);
}

}  // namespace assay::evaluator
