#include "backends/cpu/contract/convolution_taps.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/contract/number_blocks.h"
#include "runtime/parallel.h"

namespace assay::cpu {
namespace {

template <typename T>
class TapSummer {
 public:
  TapSummer(const TapSums& sums, const std::byte* input, const std::byte* kernel, std::byte* result)
      : conv_(sums.conv),
        input_(Part(sums.input_type), input),
        kernel_(Part(sums.kernel_type), kernel),
        result_type_(sums.result.element_type()),
        result_(result),
        input_strides_(RowMajorStrides(sums.input.dimensions())),
        kernel_strides_(RowMajorStrides(sums.kernel.dimensions())),
        result_sizes_(sums.result.dimensions()) {
    for (const auto& spatial : conv_.spatial) {
      windows_.emplace_back(spatial.input_size, spatial.output_size, spatial.window);
    }
  }

  absl::Status Run(int64_t outputs, runtime::Context& context) const {
    // A block is small enough for the clock to be looked at in time, whatever the window.
    constexpr int64_t kOutputs = 64;
    return runtime::ParallelFor(
        context, outputs, kOutputs,
        [&](runtime::Blocks& blocks, runtime::Context& context) -> absl::Status {
          for (int64_t output; blocks.NextElement(&output);) {
            const int64_t products = Sum(output);
            if (absl::Status status = context.ChargeCostly(products + 1); !status.ok()) {
              return status;
            }
          }
          return absl::OkStatus();
        });
  }

 private:
  static ElementType Part(ElementType type) { return Info(type).component; }

  struct Array {
    Array(ElementType type, const std::byte* data)
        : type(type),
          bytes(Info(type).storage_bytes),
          data(data),
          read(type, BestTiles().convert) {}
    // The real part, or for `part` 1 the imaginary one, of element `i`.
    T At(int64_t i, int64_t parts, int64_t part) const {
      T number;
      read(data + (i * parts + part) * bytes, 1, &number);
      return number;
    }
    ElementType type;
    int64_t bytes;
    const std::byte* data;
    BlockReader<T> read;
  };

  // The products of two elements, added to a sum.
  void Add(int64_t in, int64_t ker, T* sum) const {
    if (!IsComplex(result_type_)) {
      sum[0] += input_.At(in, 1, 0) * kernel_.At(ker, 1, 0);
      return;
    }
    const T a = input_.At(in, 2, 0), b = input_.At(in, 2, 1);
    const T c = kernel_.At(ker, 2, 0), d = kernel_.At(ker, 2, 1);
    sum[0] += a * c;
    sum[0] -= b * d;
    sum[1] += a * d;
    sum[1] += b * c;
  }

  // Returns the number of products.
  int64_t Sum(int64_t output) const {
    Dimensions index(result_sizes_.size());
    int64_t rest = output;
    for (size_t d = index.size(); d-- > 0; rest /= result_sizes_[d]) {
      index[d] = rest % result_sizes_[d];
    }
    const int64_t z = index[conv_.output_feature_dim];
    const int64_t group = z / (conv_.output_features / conv_.feature_groups);
    const int64_t batch = z / (conv_.output_features / conv_.batch_groups) * conv_.output_batch +
                          index[conv_.output_batch_dim];
    int64_t in = batch * input_strides_[conv_.input_batch_dim] +
                 group * conv_.kernel_features * input_strides_[conv_.input_feature_dim];
    int64_t ker = z * kernel_strides_[conv_.kernel_output_feature_dim];
    const size_t rank = windows_.size();
    absl::InlinedVector<analysis::Taps, 4> taps;
    Dimensions in_steps, ker_steps;
    int64_t products = conv_.kernel_features;
    for (size_t i = 0; i < rank; ++i) {
      const ConvolutionGeometry::Spatial& spatial = conv_.spatial[i];
      taps.push_back(windows_[i].At(index[spatial.output_dim]));
      products *= taps[i].count;
      const bool reversal = spatial.window.reversal;
      const int64_t stride = kernel_strides_[spatial.kernel_dim];
      in += taps[i].element * input_strides_[spatial.input_dim];
      ker += (reversal ? spatial.window.size - 1 - taps[i].first : taps[i].first) * stride;
      in_steps.push_back(windows_[i].element_step() * input_strides_[spatial.input_dim]);
      ker_steps.push_back((reversal ? -1 : 1) * windows_[i].position_step() * stride);
    }
    T sum[2] = {0, 0};
    if (products > 0) Walk(taps, in_steps, ker_steps, in, ker, sum);
    const int64_t parts = IsComplex(result_type_) ? 2 : 1;
    const ElementType part = Part(result_type_);
    WriteBlock<T>(part, BestTiles().convert, sum, parts,
                  result_ + output * parts * Info(part).storage_bytes);
    return products;
  }

  void Walk(absl::Span<const analysis::Taps> taps, const Dimensions& in_steps,
            const Dimensions& ker_steps, int64_t in, int64_t ker, T* sum) const {
    const int64_t in_feature = input_strides_[conv_.input_feature_dim];
    const int64_t ker_feature = kernel_strides_[conv_.kernel_input_feature_dim];
    Dimensions at(taps.size());
    while (true) {
      for (int64_t c = 0; c < conv_.kernel_features; ++c) {
        Add(in + c * in_feature, ker + c * ker_feature, sum);
      }
      int64_t d = static_cast<int64_t>(taps.size()) - 1;
      for (; d >= 0; --d) {
        in += in_steps[d];
        ker += ker_steps[d];
        if (++at[d] < taps[d].count) break;
        in -= at[d] * in_steps[d];
        ker -= at[d] * ker_steps[d];
        at[d] = 0;
      }
      if (d < 0) return;
    }
  }

  const ConvolutionGeometry& conv_;
  const Array input_, kernel_;
  const ElementType result_type_;
  std::byte* const result_;
  const Dimensions input_strides_, kernel_strides_;
  const absl::Span<const int64_t> result_sizes_;
  std::vector<analysis::WindowTaps> windows_;
};

}  // namespace

absl::Status SumTaps(const TapSums& sums, const std::byte* input, const std::byte* kernel,
                     std::byte* result, runtime::Context& context) {
  const auto part = [](ElementType type) { return Info(type).component; };
  const ElementType arithmetic =
      ArithmeticOf(part(sums.input_type), part(sums.kernel_type), part(sums.result.element_type()),
                   sums.kernel.element_count());
  return WithArithmetic(arithmetic, [&](auto t) {
    return TapSummer<decltype(t)>(sums, input, kernel, result)
        .Run(sums.result.element_count(), context);
  });
}

}  // namespace assay::cpu
