// The recording fake's cuDNN: descriptors and the forward convolution.
#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cuda/libraries/testing/fake.h"

namespace assay::cuda::libraries::fake {
namespace {

constexpr int kBadParameter = 2000, kUnsupported = 3000;
constexpr size_t kPrecomputed = 128;  // bytes of workspace

struct Handle {
  StreamHandle* stream = nullptr;
};
struct Tensor {
  int type = 0;
  std::vector<int> sizes, strides;
};
struct Descriptor {
  std::vector<int> padding, strides, dilations;
  int mode = 0, compute = 0, groups = 1, math = 0;
};

int DataTypeOf(int cudnn) {
  switch (cudnn) {
    case kCudnnF16:
      return kRealF16;
    case kCudnnBf16:
      return kRealBf16;
    case kCudnnF64:
      return kRealF64;
    default:
      return kRealF32;
  }
}

std::string Text(const std::vector<int>& list) {
  std::string text;
  for (const int value : list) text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}

// The documented conditions.
int Check(const Tensor& x, const Tensor& w, const Descriptor& c, const Tensor& y, int algorithm) {
  const size_t rank = x.sizes.size();
  if (rank < 4 || rank > 5 || w.sizes.size() != rank || y.sizes.size() != rank ||
      c.padding.size() + 2 != rank || x.type != w.type || x.type != y.type) {
    return kBadParameter;
  }
  if (x.sizes[1] != w.sizes[1] * c.groups || y.sizes[1] != w.sizes[0] ||
      w.sizes[0] % c.groups != 0 || x.sizes[0] != y.sizes[0]) {
    return kBadParameter;
  }
  const int compute = x.type == kCudnnF64 ? kCudnnF64 : kCudnnF32;
  if (c.compute != compute) return kUnsupported;
  if (x.type == kCudnnF32 && c.math != kCudnnFmaMath) return kUnsupported;  // TF32 is not wanted
  for (size_t d = 2; d < rank; ++d) {
    const int window = (w.sizes[d] - 1) * c.dilations[d - 2] + 1;
    const int size = (x.sizes[d] + 2 * c.padding[d - 2] - window) / c.strides[d - 2] + 1;
    if (size != y.sizes[d] || c.padding[d - 2] < 0) return kBadParameter;
    if (c.dilations[d - 2] != 1 && algorithm != kCudnnImplicitGemm) return kUnsupported;
  }
  return 0;
}

// Goes through all positions of a box.
template <typename F>
void ForAll(const std::vector<int>& sizes, F f) {
  std::vector<int> at(sizes.size());
  for (const int size : sizes) {
    if (size == 0) return;
  }
  for (;;) {
    f(at);
    size_t d = sizes.size();
    while (d > 0 && ++at[d - 1] == sizes[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

void Convolve(const Tensor& x, const Tensor& w, const Descriptor& c, const Tensor& y,
              const std::byte* in, const std::byte* kernel, std::byte* out) {
  const int type = DataTypeOf(x.type);
  const int group_outputs = w.sizes[0] / c.groups;
  std::vector<int> window = w.sizes;
  window.erase(window.begin());  // input features of a group, then spatial
  ForAll(y.sizes, [&](const std::vector<int>& at) {
    double sum = 0;
    ForAll(window, [&](const std::vector<int>& tap) {
      const int feature = at[1] / group_outputs * w.sizes[1] + tap[0];
      int64_t from = int64_t{at[0]} * x.strides[0] + int64_t{feature} * x.strides[1];
      int64_t weight = int64_t{at[1]} * w.sizes[1] + tap[0];
      for (size_t d = 2; d < at.size(); ++d) {
        const int place =
            at[d] * c.strides[d - 2] - c.padding[d - 2] + tap[d - 1] * c.dilations[d - 2];
        if (place < 0 || place >= x.sizes[d]) return;
        from += int64_t{place} * x.strides[d];
        const int k = c.mode == kCudnnConvolution ? w.sizes[d] - 1 - tap[d - 1] : tap[d - 1];
        weight = weight * w.sizes[d] + k;
      }
      sum += Get(type, in, from).real() * Get(type, kernel, weight).real();
    });
    int64_t to = 0;
    for (size_t d = 0; d < at.size(); ++d) to += int64_t{at[d]} * y.strides[d];
    Set(type, out, to, sum);
  });
}

}  // namespace
}  // namespace assay::cuda::libraries::fake

using namespace assay::cuda;                   // NOLINT: the fake's own file
using namespace assay::cuda::libraries;        // NOLINT
using namespace assay::cuda::libraries::fake;  // NOLINT

ASSAY_FAKE_EXPORT int cudnnCreate(void** handle) {
  ASSAY_FAKE_CALL();
  return Make<Handle>(handle);
}
ASSAY_FAKE_EXPORT int cudnnDestroy(void* handle) { return Destroy<Handle>(handle); }
ASSAY_FAKE_EXPORT int cudnnSetStream(void* handle, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  static_cast<Handle*>(handle)->stream = stream;
  return 0;
}
ASSAY_FAKE_EXPORT int cudnnCreateTensorDescriptor(void** tensor) {
  ASSAY_FAKE_CALL();
  return Make<Tensor>(tensor);
}
ASSAY_FAKE_EXPORT int cudnnDestroyTensorDescriptor(void* tensor) { return Destroy<Tensor>(tensor); }
ASSAY_FAKE_EXPORT int cudnnSetTensorNdDescriptor(void* tensor, int type, int rank, const int* sizes,
                                                 const int* strides) {
  ASSAY_FAKE_CALL();
  *static_cast<Tensor*>(tensor) = {type, {sizes, sizes + rank}, {strides, strides + rank}};
  return 0;
}
ASSAY_FAKE_EXPORT int cudnnCreateFilterDescriptor(void** filter) {
  ASSAY_FAKE_CALL();
  return Make<Tensor>(filter);
}
ASSAY_FAKE_EXPORT int cudnnDestroyFilterDescriptor(void* filter) { return Destroy<Tensor>(filter); }
ASSAY_FAKE_EXPORT int cudnnSetFilterNdDescriptor(void* filter, int type, int format, int rank,
                                                 const int* sizes) {
  ASSAY_FAKE_CALL();
  if (format != kCudnnNchw) return kUnsupported;
  *static_cast<Tensor*>(filter) = {type, {sizes, sizes + rank}, {}};
  return 0;
}
ASSAY_FAKE_EXPORT int cudnnCreateConvolutionDescriptor(void** convolution) {
  ASSAY_FAKE_CALL();
  return Make<Descriptor>(convolution);
}
ASSAY_FAKE_EXPORT int cudnnDestroyConvolutionDescriptor(void* convolution) {
  return Destroy<Descriptor>(convolution);
}
ASSAY_FAKE_EXPORT int cudnnSetConvolutionNdDescriptor(void* convolution, int rank,
                                                      const int* padding, const int* strides,
                                                      const int* dilations, int mode, int compute) {
  ASSAY_FAKE_CALL();
  auto& c = *static_cast<Descriptor*>(convolution);
  c.padding.assign(padding, padding + rank);
  c.strides.assign(strides, strides + rank);
  c.dilations.assign(dilations, dilations + rank);
  c.mode = mode;
  c.compute = compute;
  return 0;
}
ASSAY_FAKE_EXPORT int cudnnSetConvolutionGroupCount(void* convolution, int groups) {
  ASSAY_FAKE_CALL();
  static_cast<Descriptor*>(convolution)->groups = groups;
  return groups >= 1 ? 0 : kBadParameter;
}
ASSAY_FAKE_EXPORT int cudnnSetConvolutionMathType(void* convolution, int math) {
  ASSAY_FAKE_CALL();
  static_cast<Descriptor*>(convolution)->math = math;
  return 0;
}
ASSAY_FAKE_EXPORT int cudnnGetConvolutionForwardWorkspaceSize(void* /*handle*/, void* x, void* w,
                                                              void* convolution, void* y,
                                                              int algorithm, size_t* bytes) {
  ASSAY_FAKE_CALL();
  *bytes = algorithm == kCudnnPrecomputedGemm ? kPrecomputed : 0;
  return Check(*static_cast<Tensor*>(x), *static_cast<Tensor*>(w),
               *static_cast<Descriptor*>(convolution), *static_cast<Tensor*>(y), algorithm);
}
ASSAY_FAKE_EXPORT int cudnnConvolutionForward(void* handle, const void* alpha, void* x_tensor,
                                              const void* x, void* w_filter, const void* w,
                                              void* convolution, int algorithm, void* workspace,
                                              size_t workspace_bytes, const void* beta,
                                              void* y_tensor, void* y) {
  ASSAY_FAKE_CALL();
  const Tensor tx = *static_cast<Tensor*>(x_tensor), tw = *static_cast<Tensor*>(w_filter);
  const Tensor ty = *static_cast<Tensor*>(y_tensor);
  const Descriptor c = *static_cast<Descriptor*>(convolution);
  if (const int error = Check(tx, tw, c, ty, algorithm); error != 0) return error;
  const int scale = tx.type == kCudnnF64 ? kRealF64 : kRealF32;
  if (Get(scale, alpha, 0) != 1.0 || Get(scale, beta, 0) != 0.0) return kUnsupported;
  if (algorithm == kCudnnPrecomputedGemm && workspace_bytes < kPrecomputed) return kBadParameter;
  Record("cudnnConvolutionForward type=" + std::to_string(tx.type) + " x=" + Text(tx.sizes) + "/" +
         Text(tx.strides) + " w=" + Text(tw.sizes) + " y=" + Text(ty.sizes) + "/" +
         Text(ty.strides) + " padding=" + Text(c.padding) + " strides=" + Text(c.strides) +
         " dilations=" + Text(c.dilations) + " mode=" + std::to_string(c.mode) +
         " groups=" + std::to_string(c.groups) + " algorithm=" + std::to_string(algorithm));
  const bool enqueued = Enqueue(static_cast<Handle*>(handle)->stream, [=] {
    if (workspace_bytes > 0) std::memset(workspace, 0x5a, workspace_bytes);
    Convolve(tx, tw, c, ty, static_cast<const std::byte*>(x), static_cast<const std::byte*>(w),
             static_cast<std::byte*>(y));
  });
  return enqueued ? 0 : kBadParameter;
}
