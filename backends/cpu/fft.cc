// fft: one axis after the other, lines in groups side by side. Lengths are those of the attribute;
// the real transforms drop, or restore by symmetry, the half of the last axis that is redundant.
// Source: reference ops_structural.md 11. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/fourier.h"
#include "backends/cpu/kernels.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/row_major.h"

namespace assay::cpu {
namespace {

// Lines that are transformed side by side.
constexpr int64_t kLanes = 16;

template <typename T>
class FftKernel : public Kernel {
 public:
  explicit FftKernel(const Instruction& fft)
      : type_(fft.GetEnum<FftType>(Attr::kFftType)),
        in_sizes_(fft.operand(0)->shape().dimensions().begin(),
                  fft.operand(0)->shape().dimensions().end()),
        out_sizes_(fft.shape().dimensions().begin(), fft.shape().dimensions().end()),
        in_count_(fft.operand(0)->shape().element_count()),
        out_count_(fft.shape().element_count()) {
    const auto lengths = fft.GetInts(Attr::kFftLength);
    const int64_t rank = fft.shape().rank(), axes = static_cast<int64_t>(lengths.size());
    for (int64_t a = 0; a < axes; ++a) {
      axes_.push_back({rank - axes + a, std::make_unique<Fourier<T>>(lengths[a])});
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    if (out_count_ == 0) return absl::OkStatus();
    const std::byte* in = operands[0].data;
    std::byte* out = results[0].data;
    const bool inverse = type_ == FftType::kIfft || type_ == FftType::kIrfft;
    const size_t last = axes_.size() - 1;
    if (type_ == FftType::kIrfft) {
      runtime::ScratchLease lease(context);
      absl::Status status = lease.Add(2 * in_count_ * static_cast<int64_t>(sizeof(T)));
      if (!status.ok()) return status;
      std::vector<std::byte> copy(in, in + 2 * in_count_ * static_cast<int64_t>(sizeof(T)));
      for (size_t a = 0; a < last && status.ok(); ++a) {
        status = RunAxis(axes_[a], copy.data(), Form::kComplex, in_sizes_, copy.data(),
                         Form::kComplex, in_sizes_, inverse, context);
      }
      if (!status.ok()) return status;
      return RunAxis(axes_[last], copy.data(), Form::kHalf, in_sizes_, out, Form::kReal, out_sizes_,
                     inverse, context);
    }
    absl::Status status =
        RunAxis(axes_[last], in, type_ == FftType::kRfft ? Form::kReal : Form::kComplex, in_sizes_,
                out, Form::kComplex, out_sizes_, inverse, context);
    for (size_t a = last; a-- > 0 && status.ok();) {
      status = RunAxis(axes_[a], out, Form::kComplex, out_sizes_, out, Form::kComplex, out_sizes_,
                       inverse, context);
    }
    return status;
  }

 private:
  struct Axis {
    int64_t dimension;
    std::unique_ptr<Fourier<T>> fourier;
  };
  // What an array holds: real numbers, complex ones, or the first half of complex lines whose
  // second half is the conjugate of the first.
  enum class Form { kReal, kComplex, kHalf };

  absl::Status RunAxis(const Axis& axis, const std::byte* in, Form in_form,
                       const Dimensions& in_sizes, std::byte* out, Form out_form,
                       const Dimensions& out_sizes, bool inverse, Context& context) const {
    const int64_t n = axis.fourier->length();
    const AlongDimension along(out_sizes, axis.dimension);
    const int64_t inner = along.inner, lines = along.lines();
    const int64_t groups = (lines + kLanes - 1) / kLanes;
    const int64_t in_length = in_sizes[axis.dimension], out_length = out_sizes[axis.dimension];
    return runtime::ParallelFor(
        context, groups, runtime::GrainFor(n * kLanes * 16),
        [&](runtime::Blocks& blocks, Context& context) {
          runtime::ScratchLease lease(context);
          const int64_t width = std::min(lines, kLanes);
          const int64_t size = (2 * n + axis.fourier->work_size()) * width;
          absl::Status status = lease.Add(size * static_cast<int64_t>(sizeof(T)));
          if (!status.ok()) return status;
          std::vector<T> room(size);
          T *re = room.data(), *im = re + n * width, *work = im + n * width;
          for (int64_t group; blocks.NextElement(&group);) {
            const int64_t first = group * kLanes, lanes = std::min(kLanes, lines - first);
            status = context.ChargeCostly(n * lanes * 8);
            if (!status.ok()) return status;
            ReadLines(in, in_form, Lines(first, lanes, inner, in_length), n, re, im);
            // The inverse is the transform with real and imaginary parts exchanged.
            axis.fourier->Run(inverse ? im : re, inverse ? re : im, work, lanes);
            const T scale = inverse ? static_cast<T>(ASSAY_DEFECT(29, n, 1)) : T{1};
            WriteLines(out, out_form, Lines(first, lanes, inner, out_length), out_length, scale, re,
                       im);
          }
          return absl::OkStatus();
        });
  }

  // Where the first elements of lines lie that are transformed side by side, and how far those
  // behind them are.
  struct Lines {
    Lines(int64_t first, int64_t lanes, int64_t inner, int64_t length)
        : lanes(lanes), stride(inner) {
      for (int64_t l = 0; l < lanes; ++l) {
        starts[l] = (first + l) / inner * length * inner + (first + l) % inner;
      }
    }
    int64_t lanes, stride;
    int64_t starts[kLanes];
  };

  static void ReadLines(const std::byte* in, Form form, const Lines& lines, int64_t n, T* re,
                        T* im) {
    const int64_t stored = form == Form::kHalf ? n / 2 + 1 : n, lanes = lines.lanes;
    for (int64_t i = 0; i < stored; ++i) {
      T* const to_re = re + i * lanes;
      T* const to_im = im + i * lanes;
      for (int64_t l = 0; l < lanes; ++l) {
        const int64_t at = lines.starts[l] + i * lines.stride;
        const bool real = form == Form::kReal;
        to_re[l] = runtime::LoadAt<T>(in, real ? at : 2 * at);
        to_im[l] = real ? T{0} : runtime::LoadAt<T>(in, 2 * at + 1);
      }
    }
    if (form != Form::kHalf) return;
    std::fill_n(im, lanes, T{0});
    if (n % 2 == 0) std::fill_n(im + n / 2 * lanes, lanes, T{0});
    for (int64_t i = 1; i < n - n / 2; ++i) {
      for (int64_t l = 0; l < lanes; ++l) {
        const T part = im[i * lanes + l];
        re[(n - i) * lanes + l] = re[i * lanes + l];
        im[(n - i) * lanes + l] = ASSAY_DEFECT(30, -part, part);
      }
    }
  }

  static void WriteLines(std::byte* out, Form form, const Lines& lines, int64_t count, T scale,
                         const T* re, const T* im) {
    for (int64_t i = 0; i < count; ++i) {
      const T* const from_re = re + i * lines.lanes;
      const T* const from_im = im + i * lines.lanes;
      for (int64_t l = 0; l < lines.lanes; ++l) {
        const int64_t at = lines.starts[l] + i * lines.stride;
        if (form == Form::kReal) {
          runtime::StoreAt<T>(out, at, from_re[l] / scale);
        } else {
          runtime::StoreAt<T>(out, 2 * at, from_re[l] / scale);
          runtime::StoreAt<T>(out, 2 * at + 1, from_im[l] / scale);
        }
      }
    }
  }

  const FftType type_;
  const Dimensions in_sizes_, out_sizes_;
  const int64_t in_count_, out_count_;
  std::vector<Axis> axes_;
};

}  // namespace

KernelOr PrepareFft(const Instruction& fft) {
  int64_t longest = 0;
  for (const int64_t length : fft.GetInts(Attr::kFftLength)) longest = std::max(longest, length);
  if (longest > int64_t{1} << 28) {
    return absl::UnimplementedError(
        absl::StrCat("the cpu backend transforms lines of up to 2^28: ", fft.Describe()));
  }
  const ElementType type = fft.operand(0)->shape().element_type();
  switch (IsComplex(type) ? Info(type).component : type) {
    case ElementType::kF32:
      return std::make_unique<FftKernel<float>>(fft);
    case ElementType::kF64:
      return std::make_unique<FftKernel<double>>(fft);
    default:
      return absl::UnimplementedError(absl::StrCat("the cpu backend has no ", fft.Describe()));
  }
}

}  // namespace assay::cpu
