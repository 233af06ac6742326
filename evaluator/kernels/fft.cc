// Kernel of fft: transforms of blocks in two doubles with bounds (dd_fourier.h), a rounding test
// for every part of every element, and exact sums for those few that it leaves undecided.
//
// Parts that are zero for every element need no test: where x[-j] = conj(x[j]) the transform is
// real, where x[-j] = -conj(x[j]) it is imaginary. Without this, inverse transforms of spectra of
// real data would leave half of their parts to exact sums.
// Source: reference ops_structural.md 11. Tests: linear_algebra_kernels_test.cc.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/kernels/dd_fourier.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/ops/exact_fourier.h"
#include "evaluator/ops/special_elements.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::evaluator::kernels {
namespace {

using real::DdBall;
using Number = DdFourier::Number;

// Products of balls stay exact far from the ends of the range of double.
constexpr int kFarExponent = 300;

// The position of -j for the element at position j of a block.
int64_t Opposite(absl::Span<const int64_t> lengths, int64_t position) {
  int64_t opposite = 0, stride = 1;
  for (auto d = static_cast<int64_t>(lengths.size()) - 1; d >= 0; --d) {
    const int64_t j = position % lengths[d];
    position /= lengths[d];
    opposite += (j == 0 ? 0 : lengths[d] - j) * stride;
    stride *= lengths[d];
  }
  return opposite;
}

// One block during a run.
class FourierBlock {
 public:
  FourierBlock(const FourierShape& shape, ElementType part, EvaluationContext& context)
      : shape_(shape), part_(part), context_(context) {}

  // The transform of an operand block, in interleaved parts or real numbers.
  absl::Status Transform(absl::Span<const double> operand,
                         absl::Span<const std::unique_ptr<DdFourier>> axes, Meter& meter) {
    values_ = shape_.Whole(operand);
    exact_ = nullptr;
    finite_ =
        std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); });
    if (!finite_) return meter.Add(shape_.block_size());
    FindZeroParts();
    LoadBalls();
    int64_t stride = 1;
    for (auto d = static_cast<int64_t>(axes.size()) - 1; d >= 0; --d) {
      absl::Status status = TransformAxis(*axes[d], stride, meter);
      if (!status.ok()) return status;
      stride *= axes[d]->length();
    }
    return meter.Add(2 * shape_.block_size());
  }

  // Element `i` of the result block, which is number `position` of the result.
  absl::StatusOr<Element> At(int64_t i, int64_t position) {
    const ElementType type = part_;
    if (!finite_) return Element{CanonicalNan(type), shape_.real_output() ? 0 : CanonicalNan(type)};
    const Dimensions bin = shape_.BinOf(i);
    int64_t at = 0;
    for (size_t d = 0; d < bin.size(); ++d) at = at * shape_.lengths()[d] + bin[d];
    RealEnclosure whole;
    absl::StatusOr<uint64_t> real = Part(bin, at, false, whole);
    if (!real.ok() || shape_.real_output()) {
      Note(whole, position);
      return real.ok() ? absl::StatusOr<Element>(Element{*real}) : real.status();
    }
    absl::StatusOr<uint64_t> imaginary = Part(bin, at, true, whole);
    if (!imaginary.ok()) return imaginary.status();
    Note(whole, position);
    return Element{*real, *imaginary};
  }

 private:
  void FindZeroParts() {
    zero_real_ = zero_imaginary_ = true;
    for (int64_t i = 0; i < shape_.block_size() && (zero_real_ || zero_imaginary_); ++i) {
      const int64_t j = Opposite(shape_.lengths(), i);
      const double re = values_[2 * i], im = values_[2 * i + 1];
      zero_imaginary_ &= values_[2 * j] == re && values_[2 * j + 1] == -im;
      zero_real_ &= values_[2 * j] == -re && values_[2 * j + 1] == im;
    }
  }

  // The values as balls, scaled where they are far from 1.
  void LoadBalls() {
    double largest = 0;
    for (const double x : values_) largest = std::max(largest, std::fabs(x));
    const int exponent = largest == 0 ? 0 : std::ilogb(largest);
    exponent_ = std::abs(exponent) > kFarExponent ? exponent : 0;
    balls_.resize(shape_.block_size());
    for (size_t i = 0; i < balls_.size(); ++i) {
      balls_[i] = {Scaled(values_[2 * i]), Scaled(values_[2 * i + 1])};
    }
  }
  DdBall Scaled(double x) const {
    if (exponent_ == 0) return x;
    const double scaled = std::ldexp(x, -exponent_);
    return {scaled, 0, std::ldexp(scaled, exponent_) == x ? 0 : 0x1p-1070};
  }

  absl::Status TransformAxis(const DdFourier& axis, int64_t stride, Meter& meter) {
    const int64_t n = axis.length(), size = shape_.block_size();
    if (n == 1) return absl::OkStatus();
    line_.resize(stride == 1 ? 0 : n);
    room_.resize(n);
    for (int64_t first = 0; first < size; first += n * stride) {
      for (int64_t j = 0; j < stride; ++j) {
        Number* from = balls_.data() + first + j;
        if (stride == 1) {
          if (absl::Status status = axis.Run(from, room_.data(), meter); !status.ok()) {
            return status;
          }
          continue;
        }
        for (int64_t k = 0; k < n; ++k) line_[k] = from[k * stride];
        if (absl::Status status = axis.Run(line_.data(), room_.data(), meter); !status.ok()) {
          return status;
        }
        for (int64_t k = 0; k < n; ++k) from[k * stride] = line_[k];
      }
    }
    return absl::OkStatus();
  }

  // A part of number `at` of the block. Puts its enclosure into `whole` if it stays undecided.
  absl::StatusOr<uint64_t> Part(const Dimensions& bin, int64_t at, bool imaginary,
                                RealEnclosure& whole) {
    uint64_t& low = imaginary ? whole.low.imag : whole.low.bits;
    uint64_t& high = imaginary ? whole.high.imag : whole.high.bits;
    if (imaginary ? zero_imaginary_ : zero_real_) return low = high = EncodeFloat(part_, 0.0);
    DdBall ball = imaginary ? balls_[at].im : balls_[at].re;
    if (shape_.inverse()) ball = ball / DdBall(static_cast<double>(shape_.block_size()));
    const bool near_zero = ball.MayBeZero();
    if (exponent_ != 0) ball = Unscaled(ball);
    const real::Ends ends = RoundBall(part_, ball);
    if (ends.decided()) return low = high = ends.low;
    if (exact_ == nullptr) {
      exact_ = std::make_unique<ExactFourier>(shape_.lengths(), shape_.inverse(), values_);
    }
    RealEnclosure enclosure;
    absl::StatusOr<uint64_t> pattern =
        exact_->Part(part_, bin, imaginary, near_zero, context_, &enclosure);
    whole.undecided |= enclosure.undecided;
    low = enclosure.low.bits;
    high = enclosure.high.bits;
    return pattern;
  }
  // Unknown where the parts would not fit a double.
  DdBall Unscaled(const DdBall& ball) const {
    const double high = std::ldexp(ball.hi, exponent_), low = std::ldexp(ball.lo, exponent_);
    if (ball.hi != 0 && std::fabs(high) < 0x1p-900) return DdBall::Unknown();
    const bool exact = ball.rad == 0 && std::ldexp(low, -exponent_) == ball.lo;
    return {high, low, exact ? 0 : DdBall::Up(std::ldexp(ball.rad, exponent_))};
  }

  void Note(const RealEnclosure& enclosure, int64_t position) {
    if (!enclosure.undecided || context_.undecided == nullptr) return;
    context_.undecided->push_back({position, enclosure.low, enclosure.high});
  }

  const FourierShape& shape_;
  const ElementType part_;
  EvaluationContext& context_;
  std::vector<double> values_;
  bool finite_ = true;
  bool zero_real_ = false, zero_imaginary_ = false;
  int exponent_ = 0;
  std::vector<Number> balls_, line_, room_;
  std::unique_ptr<ExactFourier> exact_;  // made when it is first asked
};

class FftKernel : public Kernel {
 public:
  explicit FftKernel(const Instruction& fft)
      : shape_(fft),
        operand_type_(fft.operand(0)->shape().element_type()),
        result_type_(fft.shape().element_type()),
        count_(fft.shape().element_count()) {
    if (TableBytes() <= kKeptBytes) kept_axes_ = MakeAxes();
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (count_ == 0) return absl::OkStatus();
    if (shape_.block_size() == 1) return Copy(operands[0].data, results[0].data, context);
    runtime::ScratchLease lease(context);
    Axes made;
    if (kept_axes_.empty()) {
      if (absl::Status status = lease.Add(TableBytes()); !status.ok()) return status;
      made = MakeAxes();
    }
    const Axes& axes = kept_axes_.empty() ? made : kept_axes_;
    if (absl::Status status = context.ChargeCostly(1); !status.ok()) return status;
    const int64_t result_size = shape_.result_size();
    constexpr int64_t kSteps = 256;  // of an element
    return ParallelFor(context, count_ / result_size, GrainFor(kSteps * shape_.block_size()),
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return Transform(operands[0].data, axes, blocks, results[0].data, context);
                       });
  }

 private:
  using Axes = std::vector<std::unique_ptr<DdFourier>>;

  absl::Status Transform(const std::byte* x, const Axes& axes, Blocks& blocks, std::byte* out,
                         EvaluationContext& context) const {
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(BlockBytes()); !status.ok()) return status;
    Meter meter(context);
    FourierBlock block(shape_, Info(result_type_).component, context);
    const int64_t size = shape_.operand_size(), result_size = shape_.result_size();
    std::vector<double> values(size * (IsComplex(operand_type_) ? 2 : 1));
    while (blocks.Next()) {
      for (int64_t b = blocks.first(); b < blocks.first() + blocks.count(); ++b) {
        DecodeFloats(operand_type_, x + b * size * StorageBytes(operand_type_), size,
                     values.data());
        absl::Status status = block.Transform(values, axes, meter);
        for (int64_t i = 0; status.ok() && i < result_size; ++i) {
          absl::StatusOr<Element> element = block.At(i, b * result_size + i);
          status = element.status();
          if (status.ok()) StoreElement(result_type_, *element, out, b * result_size + i);
        }
        if (!status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  // Tables up to this size are made once, larger ones for every run: runs keep nothing.
  static constexpr int64_t kKeptBytes = 1 << 16;

  Axes MakeAxes() const {
    Axes axes;
    if (shape_.block_size() <= 1) return axes;
    for (const int64_t length : shape_.lengths()) {
      axes.push_back(std::make_unique<DdFourier>(length, shape_.inverse()));
    }
    return axes;
  }
  int64_t TableBytes() const {
    int64_t bytes = 0;
    for (const int64_t length : shape_.lengths()) {
      if (length > 0) bytes += DdFourier::Bytes(length);
    }
    return bytes;
  }
  // Returns the bytes of one block, exact sums included.
  int64_t BlockBytes() const {
    int64_t longest = 0;
    for (const int64_t length : shape_.lengths()) longest = std::max(longest, length);
    constexpr int64_t kExact = 6 * 32;  // six long integers, to start with
    return shape_.block_size() * (int64_t{sizeof(Number)} + 32 + kExact) +
           2 * longest * int64_t{sizeof(Number)};
  }

  // Transforms of one element.
  absl::Status Copy(const std::byte* from, std::byte* to, EvaluationContext& context) const {
    for (int64_t i = 0; i < count_; ++i) {
      Element element = LoadElement(operand_type_, from, i);
      if (shape_.real_input()) element.imag = EncodeFloat(operand_type_, 0.0);
      if (shape_.real_output()) element.imag = 0;
      StoreElement(result_type_, element, to, i);
    }
    return context.Charge(count_);
  }

  FourierShape shape_;
  ElementType operand_type_, result_type_;
  int64_t count_;
  Axes kept_axes_;
};

}  // namespace

KernelOrNull PrepareFft(const Instruction& instruction) {
  const Shape& operand = instruction.operand(0)->shape();
  const absl::Span<const int64_t> lengths = instruction.GetInts(Attr::kFftLength);
  const FftType kind = instruction.GetEnum<FftType>(Attr::kFftType);
  const bool complex = kind == FftType::kFft || kind == FftType::kIfft;
  // The definition refuses sizes that are not the lengths.
  if (complex && operand.dimensions().last(lengths.size()) != lengths) return nullptr;
  return std::make_unique<FftKernel>(instruction);
}

}  // namespace assay::evaluator::kernels
