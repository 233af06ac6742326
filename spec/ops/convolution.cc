// convolution: a kernel moved over the spatial dimensions of an input.
//   convolution_c1 two operands are arrays of one rank, that of dim_labels
//   convolution_c2 spatial lists of equal length; each side's numbers are a permutation
//   convolution_c3 one window entry per spatial dimension
//   convolution_c4 window sizes are those of the kernel
//   convolution_c5 sizes, strides, dilations >= 1, padded size >= 0, all within 63 bits
//   convolution_c6 group counts >= 1, not both above 1
//   convolution_c7 input features = feature groups * input features of the kernel
//   convolution_c8 output features divide into feature groups and batch groups
//   convolution_c9 the batch divides into batch groups
//   convolution_c10 a declared result is an array: its type is what products are summed in
//   convolution_c12 a sparse kernel keeps one element of each block
// A sparse kernel comes as a tuple of elements and positions. Gradients of convolutions have no
// rule. Source: reference ops_structural.md 8. Tests: spec/verify/testdata/contraction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/window_math.h"

namespace assay {
namespace {

absl::Status CheckPermutation(const Instruction& conv, absl::string_view side, int64_t a, int64_t b,
                              absl::Span<const int64_t> spatial, int64_t rank) {
  Dimensions all = {a, b};
  all.insert(all.end(), spatial.begin(), spatial.end());
  ASSAY_REQUIRE(conv, "convolution_c2", static_cast<int64_t>(all.size()) == rank, side, " has ",
                all.size(), " labelled dimensions, but rank ", rank);
  return RequireDimensions(conv, "convolution_c2", side, all, rank);
}

// The elements of the kernel.
const Shape& KernelOf(const Instruction& conv) {
  const Shape& kernel = conv.operand(1)->shape();
  return kernel.is_tuple() && kernel.tuple_shapes().size() == 2 ? kernel.tuple_shape(0) : kernel;
}

const SparsityConfig* SparsityOf(const Instruction& conv) {
  return conv.attributes().Get<SparsityConfig>(Attr::kSparsityConfig);
}

absl::Status CheckNumbers(const Instruction& conv) {
  const ConvolutionDimensions& numbers = conv.convolution_dimensions();
  const int64_t rank = conv.operand(0)->shape().rank();
  ASSAY_REQUIRE(conv, "convolution_c1", KernelOf(conv).rank() == rank,
                "input and kernel must have equal rank, found ",
                conv.operand(0)->shape().ToString(), " and ", KernelOf(conv).ToString());
  ASSAY_RETURN_IF_ERROR(CheckPermutation(conv, "the input", numbers.input_batch,
                                         numbers.input_feature, numbers.input_spatial, rank));
  ASSAY_RETURN_IF_ERROR(CheckPermutation(conv, "the kernel", numbers.kernel_input_feature,
                                         numbers.kernel_output_feature, numbers.kernel_spatial,
                                         rank));
  return CheckPermutation(conv, "the result", numbers.output_batch, numbers.output_feature,
                          numbers.output_spatial, rank);
}

absl::Status CheckGroups(const Instruction& conv) {
  const ConvolutionDimensions& numbers = conv.convolution_dimensions();
  const Shape& input = conv.operand(0)->shape();
  const Shape& kernel = KernelOf(conv);
  const int64_t features = conv.GetInt(Attr::kFeatureGroupCount);
  const int64_t batches = conv.GetInt(Attr::kBatchGroupCount);
  ASSAY_REQUIRE(conv, "convolution_c6",
                features >= 1 && batches >= 1 && (features == 1 || batches == 1),
                "group counts must be at least 1, and one of them 1, found ", features,
                " feature and ", batches, " batch groups");
  const int64_t input_features = input.dimension(numbers.input_feature);
  int64_t seen = kernel.dimension(numbers.kernel_input_feature);
  bool fits = true;
  if (const SparsityConfig* sparsity = SparsityOf(conv); sparsity != nullptr && sparsity->rhs) {
    ASSAY_REQUIRE(conv, "convolution_c12", sparsity->rhs->non_zeros == 1,
                  "a sparse kernel must keep one element of each block, found ",
                  sparsity->rhs->non_zeros);
    fits = !__builtin_mul_overflow(seen, sparsity->rhs->block_size, &seen);
  }
  ASSAY_REQUIRE(conv, "convolution_c7",
                fits && input_features % features == 0 && input_features / features == seen,
                "the input has ", input_features, " features in ", features,
                " groups, but the kernel takes ", seen);
  const int64_t output_features = kernel.dimension(numbers.kernel_output_feature);
  ASSAY_REQUIRE(conv, "convolution_c8",
                output_features % features == 0 && output_features % batches == 0, output_features,
                " output features do not divide into ", features, " feature and ", batches,
                " batch groups");
  const int64_t batch = input.dimension(numbers.input_batch);
  ASSAY_REQUIRE(conv, "convolution_c9", batch % batches == 0, "a batch of ", batch,
                " does not divide into ", batches, " groups");
  return absl::OkStatus();
}

absl::StatusOr<Shape> ResultShape(const Instruction& conv) {
  const ConvolutionDimensions& numbers = conv.convolution_dimensions();
  const Shape& input = conv.operand(0)->shape();
  const Shape& kernel = KernelOf(conv);
  const Window& window = conv.window();
  ASSAY_REQUIRE(conv, "convolution_c3", window.dimensions.size() == numbers.input_spatial.size(),
                "the window must have ", numbers.input_spatial.size(), " dimensions, found ",
                window.dimensions.size());
  const ElementType type = ShapeIsOpen(conv)
                               ? HigherType(input.element_type(), kernel.element_type())
                               : conv.shape().element_type();
  Shape shape(type, Dimensions(input.rank()));
  auto set = [&](int64_t to, int64_t size, bool dynamic) {
    shape.set_dimension(to, size);
    if (dynamic) shape.set_dynamic_dimension(to, true);
  };
  set(numbers.output_batch,
      input.dimension(numbers.input_batch) / conv.GetInt(Attr::kBatchGroupCount),
      input.is_dynamic_dimension(numbers.input_batch));
  set(numbers.output_feature, kernel.dimension(numbers.kernel_output_feature),
      kernel.is_dynamic_dimension(numbers.kernel_output_feature));
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    const int64_t kernel_size = kernel.dimension(numbers.kernel_spatial[i]);
    ASSAY_REQUIRE(conv, "convolution_c4", window.dimensions[i].size == kernel_size,
                  "the window size ", window.dimensions[i].size, " in spatial dimension ", i,
                  " is not that of the kernel, ", kernel_size);
    const absl::StatusOr<int64_t> size =
        WindowedSize(input.dimension(numbers.input_spatial[i]), window.dimensions[i]);
    ASSAY_REQUIRE(conv, "convolution_c5", size.ok(), "spatial dimension ", i, ": ",
                  size.status().message());
    set(numbers.output_spatial[i], *size, input.is_dynamic_dimension(numbers.input_spatial[i]));
  }
  return shape;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kConvolution>(const Instruction& conv) {
  const auto kind = conv.GetEnum<ConvolutionKind>(Attr::kConvolutionKind);
  if (kind != ConvolutionKind::kUnset && kind != ConvolutionKind::kFprop) {
    return absl::UnimplementedError(
        absl::StrCat("convolution: gradients are not supported; in ", conv.Describe()));
  }
  ASSAY_REQUIRE(conv, "convolution_c1", conv.operand_count() == 2,
                "convolution takes 2 operands, found ", conv.operand_count());
  ASSAY_RETURN_IF_ERROR(RequireArray(conv, "convolution_c1", 0));
  ASSAY_REQUIRE(conv, "convolution_c1", KernelOf(conv).is_array(),
                "operand 1 must be an array, found ", conv.operand(1)->shape().ToString());
  if (!ShapeIsOpen(conv)) ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(conv, "convolution_c10"));
  ASSAY_RETURN_IF_ERROR(CheckNumbers(conv));
  ASSAY_RETURN_IF_ERROR(CheckGroups(conv));
  return ResultShape(conv);
}

}  // namespace assay
