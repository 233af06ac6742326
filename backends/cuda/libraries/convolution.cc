// convolution by cuDNN, in one to three spatial dimensions. Input and result lie as they are, by
// strides; the kernel is copied to the order that the library reads, unless it lies so. Padding
// that differs between the two ends, interior padding of the input and groups of batches are left
// to the own kernels. Tests: libraries_test.cc.
#include <limits>

#include "backends/cuda/kernels/lowering.h"
#include "backends/cuda/libraries/provider.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::cuda::libraries {
namespace {

std::optional<int> CudnnTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return kCudnnF16;
    case ElementType::kBF16:
      return kCudnnBf16;
    case ElementType::kF32:
      return kCudnnF32;
    case ElementType::kF64:
      return kCudnnF64;
    default:
      return std::nullopt;
  }
}

// The lists of the descriptors: batch, features and the spatial dimensions.
struct ConvolutionForm {
  int type = 0, compute = 0, math = 0, mode = 0, algorithm = 0, groups = 1;
  std::vector<int> x_sizes, x_strides, w_sizes, y_sizes, y_strides;
  std::vector<int> padding, strides, dilations;
};

class Convolution : public LibraryCall {
 public:
  Convolution(LibrariesPtr libraries, ConvolutionForm form)
      : libraries_(std::move(libraries)), form_(std::move(form)) {}

  // Arrays: input, kernel, result.
  absl::Status Enqueue(Device& device, absl::Span<std::byte* const> arrays) const override {
    absl::StatusOr<void*> handle = libraries_->Handle(Library::kCudnn, device);
    if (!handle.ok()) return handle.status();
    absl::StatusOr<Descriptors*> made =
        descriptors_.Get(device, [&](Descriptors& state) { return Describe(device, state); });
    if (!made.ok()) return made.status();
    const Descriptors& d = **made;
    size_t bytes = 0;
    absl::Status status = ASSAY_LIBRARY_CALL(
        *libraries_, Library::kCudnn, device, cudnnGetConvolutionForwardWorkspaceSize, *handle,
        d.x.get(), d.w.get(), d.convolution.get(), d.y.get(), form_.algorithm, &bytes);
    if (!status.ok()) return status;
    absl::StatusOr<DeviceBuffer> workspace = device.Allocate(static_cast<int64_t>(bytes));
    if (!workspace.ok()) return workspace.status();
    absl::StatusOr<StreamHandle*> stream =
        device.StreamForLibrary(static_cast<int>(Library::kCudnn));
    if (!stream.ok()) return stream.status();
    status =
        ASSAY_LIBRARY_CALL(*libraries_, Library::kCudnn, device, cudnnSetStream, *handle, *stream);
    if (!status.ok()) return status;
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    const bool wide = form_.type == kCudnnF64;
    const void* const alpha = wide ? static_cast<const void*>(&one64) : &one32;
    const void* const beta = wide ? static_cast<const void*>(&zero64) : &zero32;
    return ASSAY_LIBRARY_CALL(*libraries_, Library::kCudnn, device, cudnnConvolutionForward,
                              *handle, alpha, d.x.get(), arrays[0], d.w.get(), arrays[1],
                              d.convolution.get(), form_.algorithm, workspace->data(), bytes, beta,
                              d.y.get(), arrays[2]);
  }

 private:
  struct Descriptors {
    Resource x, w, y, convolution;
  };

  absl::Status Describe(Device& device, Descriptors& made) const {
    const LibraryFunctions& f = libraries_->functions();
    absl::Status status;
    const auto create = [&](int (*make)(void**), int (*destroy)(void*), Resource& resource) {
      void* value = nullptr;
      if (status.ok()) {
        status =
            CheckCall(Library::kCudnn, "cudnnCreateDescriptor", make(&value), device.ordinal());
      }
      if (status.ok()) resource = Resource(device, value, destroy);
    };
    create(f.cudnnCreateTensorDescriptor, f.cudnnDestroyTensorDescriptor, made.x);
    create(f.cudnnCreateTensorDescriptor, f.cudnnDestroyTensorDescriptor, made.y);
    create(f.cudnnCreateFilterDescriptor, f.cudnnDestroyFilterDescriptor, made.w);
    create(f.cudnnCreateConvolutionDescriptor, f.cudnnDestroyConvolutionDescriptor,
           made.convolution);
    if (!status.ok()) return status;
    const int rank = static_cast<int>(form_.x_sizes.size());
    const auto check = [&](absl::string_view function, int error) {
      status.Update(CheckCall(Library::kCudnn, function, error, device.ordinal()));
    };
    void* const convolution = made.convolution.get();
    check("cudnnSetTensorNdDescriptor",
          f.cudnnSetTensorNdDescriptor(made.x.get(), form_.type, rank, form_.x_sizes.data(),
                                       form_.x_strides.data()));
    check("cudnnSetTensorNdDescriptor",
          f.cudnnSetTensorNdDescriptor(made.y.get(), form_.type, rank, form_.y_sizes.data(),
                                       form_.y_strides.data()));
    check("cudnnSetFilterNdDescriptor",
          f.cudnnSetFilterNdDescriptor(made.w.get(), form_.type, kCudnnNchw, rank,
                                       form_.w_sizes.data()));
    check("cudnnSetConvolutionNdDescriptor",
          f.cudnnSetConvolutionNdDescriptor(convolution, rank - 2, form_.padding.data(),
                                            form_.strides.data(), form_.dilations.data(),
                                            form_.mode, form_.compute));
    check("cudnnSetConvolutionGroupCount",
          f.cudnnSetConvolutionGroupCount(convolution, form_.groups));
    check("cudnnSetConvolutionMathType", f.cudnnSetConvolutionMathType(convolution, form_.math));
    return status;
  }

  const LibrariesPtr libraries_;
  const ConvolutionForm form_;
  mutable PerDevice<Descriptors> descriptors_;
};

// Adds a spatial dimension. Returns false for what the library does not take.
bool AddSpatial(const ConvolutionGeometry::Spatial& spatial, int64_t in_stride, int64_t out_stride,
                ConvolutionForm& form) {
  const WindowDimension& window = spatial.window;
  if (window.padding_low != window.padding_high || window.padding_low < 0) return false;
  if (window.base_dilation != 1 || window.size < 1) return false;
  const int mode = window.reversal ? kCudnnConvolution : kCudnnCrossCorrelation;
  // A window of one element is the same either way.
  if (window.size > 1) {
    if (form.mode >= 0 && form.mode != mode) return false;
    form.mode = mode;
  }
  if (window.window_dilation != 1 && window.size > 1) form.algorithm = kCudnnImplicitGemm;
  form.x_sizes.push_back(static_cast<int>(spatial.input_size));
  form.x_strides.push_back(static_cast<int>(in_stride));
  form.w_sizes.push_back(static_cast<int>(window.size));
  form.y_sizes.push_back(static_cast<int>(spatial.output_size));
  form.y_strides.push_back(static_cast<int>(out_stride));
  form.padding.push_back(static_cast<int>(window.padding_low));
  form.strides.push_back(static_cast<int>(window.stride));
  form.dilations.push_back(static_cast<int>(window.size > 1 ? window.window_dilation : 1));
  return true;
}

void AddUnitSpatial(ConvolutionForm& form) {
  for (std::vector<int>* list : {&form.x_sizes, &form.x_strides, &form.w_sizes, &form.y_sizes,
                                 &form.y_strides, &form.strides, &form.dilations}) {
    list->push_back(1);
  }
  form.padding.push_back(0);
}

std::optional<ConvolutionForm> FormOf(const Instruction& convolution,
                                      const ConvolutionGeometry& geometry) {
  const Shape& in = convolution.operand(0)->shape();
  const ElementType type = in.element_type();
  const std::optional<int> cudnn = CudnnTypeOf(type);
  if (!cudnn.has_value() || convolution.operand(1)->shape().element_type() != type ||
      convolution.shape().element_type() != type || geometry.batch_groups != 1 ||
      geometry.spatial.empty() || geometry.spatial.size() > 3) {
    return std::nullopt;
  }
  for (const Instruction* array : std::initializer_list<const Instruction*>{
           convolution.operand(0), convolution.operand(1), &convolution}) {
    if (array->shape().element_count() > std::numeric_limits<int32_t>::max()) return std::nullopt;
  }
  const Dimensions in_strides = RowMajorStrides(in.dimensions());
  const Dimensions out_strides = RowMajorStrides(convolution.shape().dimensions());
  const auto number = [](int64_t value) { return static_cast<int>(value); };
  ConvolutionForm form;
  form.type = *cudnn;
  form.compute = type == ElementType::kF64 ? kCudnnF64 : kCudnnF32;
  // f32 is not rounded to TF32.
  form.math = type == ElementType::kF32 ? kCudnnFmaMath : kCudnnDefaultMath;
  form.mode = -1;
  form.algorithm = kCudnnPrecomputedGemm;
  form.groups = number(geometry.feature_groups);
  form.x_sizes = {number(geometry.input_batch), number(geometry.input_features)};
  form.x_strides = {number(in_strides[geometry.input_batch_dim]),
                    number(in_strides[geometry.input_feature_dim])};
  form.w_sizes = {number(geometry.output_features), number(geometry.kernel_features)};
  form.y_sizes = {number(geometry.output_batch), number(geometry.output_features)};
  form.y_strides = {number(out_strides[geometry.output_batch_dim]),
                    number(out_strides[geometry.output_feature_dim])};
  for (const ConvolutionGeometry::Spatial& spatial : geometry.spatial) {
    if (!AddSpatial(spatial, in_strides[spatial.input_dim], out_strides[spatial.output_dim], form))
      return std::nullopt;
  }
  if (geometry.spatial.size() == 1) AddUnitSpatial(form);  // the library has two or three
  if (form.mode < 0) form.mode = kCudnnCrossCorrelation;
  return form;
}

}  // namespace

std::optional<KernelPlan> PrepareConvolution(const LibrariesPtr& libraries,
                                             const Instruction& convolution) {
  const ConvolutionGeometry geometry = ConvolutionGeometryOf(convolution);
  std::optional<ConvolutionForm> form = FormOf(convolution, geometry);
  if (!form.has_value()) return std::nullopt;
  // The kernel's order is output features, input features, spatial dimensions.
  const Shape& kernel = convolution.operand(1)->shape();
  const Dimensions strides = RowMajorStrides(kernel.dimensions());
  Dimensions order = {geometry.kernel_output_feature_dim, geometry.kernel_input_feature_dim};
  for (const ConvolutionGeometry::Spatial& spatial : geometry.spatial) {
    order.push_back(spatial.kernel_dim);
  }
  KernelPlan plan;
  std::vector<CopyLoop> loops;
  int64_t to = 1;
  bool in_order = true;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    const int64_t size = kernel.dimension(*d);
    loops.insert(loops.begin(), {size, strides[*d], to});
    in_order = in_order && (size == 1 || strides[*d] == to);
    to *= size;
  }
  BufferUse ordered = Operand(1);
  if (!in_order) {
    ordered = AddScratch(plan, to * BytesOf(kernel));
    absl::Status status =
        AddCopy(plan, convolution, BytesOf(kernel), Operand(1), 0, ordered, 0, std::move(loops));
    if (!status.ok()) return std::nullopt;
  }
  if (!libraries->Load(Library::kCudnn).ok()) return std::nullopt;
  AddCall(plan, std::make_shared<Convolution>(libraries, *std::move(form)),
          {Operand(0), ordered, Result(0)});
  return plan;
}

}  // namespace assay::cuda::libraries
