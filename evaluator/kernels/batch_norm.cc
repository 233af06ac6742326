// Kernels of batch-norm-training, -inference and -grad: sums over the cells of a feature exactly,
// statistics from them once per feature, every element in balls of two doubles, and exactly where
// they do not decide its rounding. Some features at a time, so that the cells that lie side by side
// are read together.
// Source: reference ops_structural.md 9. Tests: linear_algebra_kernels_test.cc.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/rough_ball.h"
#include "evaluator/ops/batch_norm_feature.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

using real::DdBall;

// Cells decoded at once.
constexpr int64_t kPortion = 1024;
// Features treated together; each holds up to two exact sums of a kilobyte.
constexpr int64_t kFeatures = 16;

class BatchNormKernel : public Kernel {
 public:
  explicit BatchNormKernel(const Instruction& op) : epsilon_(BatchNormEpsilon(op)) {
    const Shape& operand = op.operand(0)->shape();
    const int64_t axis = op.GetInt(Attr::kFeatureIndex);
    features_ = operand.dimension(axis);
    for (int64_t d = 0; d < operand.rank(); ++d) {
      if (d < axis) outer_ *= operand.dimension(d);
      if (d > axis) inner_ *= operand.dimension(d);
    }
    for (const Instruction* each : op.operands()) types_.push_back(each->shape().element_type());
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const final {
    // A block has so many features that it is long enough for a thread, in groups of up to
    // kFeatures.
    constexpr int64_t kSteps = 64;  // of a cell
    const int64_t groups = (GrainFor(kSteps * cells()) - 1) / kFeatures + 1;
    const int64_t grain = cells() > 0 ? groups * kFeatures : features_;
    return ParallelFor(context, features_, std::max<int64_t>(1, grain),
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return RunBlocks(operands, results, blocks, context);
                       });
  }

 protected:
  virtual absl::Status RunFeatures(int64_t first, int64_t count,
                                   absl::Span<const ArrayRef> operands,
                                   absl::Span<const MutableArrayRef> results,
                                   Meter& meter) const = 0;

  // Calls visit(feature, position, values) for every cell of the features from `first` on;
  // values[k] is the number in the k-th of these operands. The feature counts from `first`. What
  // visit returns is charged.
  template <size_t kOperands, typename Visit>
  absl::Status ForEachCell(int64_t first, int64_t count, absl::Span<const ArrayRef> operands,
                           const int (&numbers)[kOperands], Meter& meter, Visit visit) const {
    double values[kOperands][kPortion];
    const int64_t run = count * inner_;
    for (int64_t outer = 0; outer < outer_; ++outer) {
      const int64_t begin = (outer * features_ + first) * inner_;
      for (int64_t done = 0; done < run; done += kPortion) {
        const int64_t n = std::min(kPortion, run - done);
        for (size_t k = 0; k < kOperands; ++k) {
          const ElementType type = types_[numbers[k]];
          DecodeFloats(type, operands[numbers[k]].data + (begin + done) * StorageBytes(type), n,
                       values[k]);
        }
        int64_t steps = 0;
        int64_t feature = done / inner_, next = (feature + 1) * inner_ - done;
        for (int64_t i = 0; i < n; ++i) {
          if (i == next) {
            ++feature;
            next += inner_;
          }
          double cell[kOperands];
          for (size_t k = 0; k < kOperands; ++k) cell[k] = values[k][i];
          steps += visit(feature, begin + done + i, cell);
        }
        if (absl::Status status = meter.Add(steps); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  double Parameter(absl::Span<const ArrayRef> operands, int k, int64_t feature) const {
    return DecodeFloat(types_[k], LoadElement(types_[k], operands[k].data, feature).bits);
  }
  ElementType type() const { return types_[0]; }
  void Store(uint64_t pattern, const MutableArrayRef& result, int64_t position) const {
    StoreElement(type(), {pattern}, result.data, position);
  }
  int64_t cells() const { return outer_ * inner_; }

  const double epsilon_;

 private:
  absl::Status RunBlocks(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, Blocks& blocks,
                         EvaluationContext& context) const {
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(kFeatures * 4096 + 3 * kPortion * int64_t{sizeof(double)});
    if (!status.ok()) return status;
    Meter meter(context);
    while (blocks.Next()) {
      const int64_t end = blocks.first() + blocks.count();
      for (int64_t first = blocks.first(); first < end; first += kFeatures) {
        const int64_t count = std::min(kFeatures, end - first);
        status = RunFeatures(first, count, operands, results, meter);
        if (!status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  int64_t features_ = 1, outer_ = 1, inner_ = 1;
  std::vector<ElementType> types_;
};

// An element and what it costs.
struct CostedPattern {
  uint64_t pattern;
  int64_t steps;
};
constexpr int64_t kExactSteps = 64;

// y = (x - mean) (scale / root) + offset for one feature.
class Normalizer {
 public:
  Normalizer(ElementType type, BatchNormStatistics statistics, double scale, double offset)
      : type_(type),
        statistics_(std::move(statistics)),
        scale_(scale),
        offset_(offset),
        in_balls_(statistics_.ordinary() && std::isfinite(scale)) {
    if (!in_balls_) return;
    mean_ = statistics_.MeanBall();
    factor_ = DdBall(scale) / statistics_.RootBall();
    rough_ = SuitsRoughBalls(type) && IsDouble(mean_) && IsDouble(factor_) && std::isfinite(offset);
  }

  const BatchNormStatistics& statistics() const { return statistics_; }
  CostedPattern operator()(double x) const {
    if (in_balls_ && std::isfinite(x)) {
      if (rough_) {
        const real::Ends ends = Roughly(x);
        if (ends.decided()) return {ends.low, 1};
      }
      const real::Ends ends = RoundBall(type_, (DdBall(x) - mean_) * factor_ + DdBall(offset_));
      if (ends.decided()) return {ends.low, 1};
    }
    return {statistics_.Normalized(type_, x, scale_, offset_), kExactSteps};
  }

 private:
  // Off by at most 2^-52 of itself as a double.
  static bool IsDouble(const DdBall& x) {
    return x.rad <= std::fabs(x.hi) * 0x1p-54 && std::fabs(x.hi) <= 0x1p500;
  }
  // In double: with m = |x| + |mean|, the error is at most 2^-53 (7 m |factor| + |offset|): 2 of
  // the mean, 1 of the difference, 2 of the factor, 1 of the product and 1 of the sum. Rounding the
  // ends costs less than as much again. Nothing underflows between floats of 32 bits.
  real::Ends Roughly(double x) const {
    const double y = (x - mean_.hi) * factor_.hi + offset_;
    const double size =
        (std::fabs(x) + std::fabs(mean_.hi)) * std::fabs(factor_.hi) + std::fabs(offset_);
    return RoundEnds(type_, y - size * 0x1p-49, y + size * 0x1p-49);
  }

  ElementType type_;
  BatchNormStatistics statistics_;
  double scale_, offset_;
  bool in_balls_;
  bool rough_ = false;
  DdBall mean_, factor_;
};

// The part that training and inference share: y, once the statistics are known.
class NormalizingKernel : public BatchNormKernel {
 protected:
  using BatchNormKernel::BatchNormKernel;

  // `normalizers` for the features from `first` on.
  absl::Status Normalize(const std::vector<Normalizer>& normalizers, int64_t first,
                         absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, Meter& meter) const {
    return ForEachCell(first, static_cast<int64_t>(normalizers.size()), operands, {0}, meter,
                       [&](int64_t feature, int64_t position, const double(&x)[1]) {
                         const auto [pattern, steps] = normalizers[feature](x[0]);
                         Store(pattern, results[0], position);
                         return steps;
                       });
  }
};

class TrainingKernel : public NormalizingKernel {
 public:
  using NormalizingKernel::NormalizingKernel;

 private:
  absl::Status RunFeatures(int64_t first, int64_t count, absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results, Meter& meter) const override {
    std::vector<ExactSum> sums(count), squares(count);
    absl::Status status = ForEachCell(first, count, operands, {0}, meter,
                                      [&](int64_t feature, int64_t, const double(&x)[1]) {
                                        sums[feature].Add(x[0]);
                                        squares[feature].AddProduct(x[0], x[0]);
                                        return 1;
                                      });
    if (!status.ok()) return status;
    std::vector<Normalizer> normalizers;
    for (int64_t f = 0; f < count; ++f) {
      normalizers.emplace_back(type(), BatchNormStatistics(sums[f], squares[f], cells(), epsilon_),
                               Parameter(operands, 1, first + f),
                               Parameter(operands, 2, first + f));
      Store(normalizers[f].statistics().Mean(type()), results[1], first + f);
      Store(normalizers[f].statistics().Variance(type()), results[2], first + f);
    }
    return Normalize(normalizers, first, operands, results, meter);
  }
};

class InferenceKernel : public NormalizingKernel {
 public:
  using NormalizingKernel::NormalizingKernel;

 private:
  absl::Status RunFeatures(int64_t first, int64_t count, absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results, Meter& meter) const override {
    std::vector<Normalizer> normalizers;
    for (int64_t f = first; f < first + count; ++f) {
      normalizers.emplace_back(
          type(),
          BatchNormStatistics(Parameter(operands, 3, f), Parameter(operands, 4, f), epsilon_),
          Parameter(operands, 1, f), Parameter(operands, 2, f));
    }
    return Normalize(normalizers, first, operands, results, meter);
  }
};

// ((dy - P / m) - (x - mean) Q / (m s^2)) (scale / s) for one feature.
class Differentiator {
 public:
  Differentiator(ElementType type, BatchNormGradient gradient, double mean, double scale)
      : type_(type),
        gradient_(std::move(gradient)),
        mean_(mean),
        scale_(scale),
        in_balls_(gradient_.ordinary() && gradient_.count() > 0 && std::isfinite(scale)) {
    if (!in_balls_) return;
    const DdBall count = static_cast<double>(gradient_.count());
    const DdBall square = gradient_.Square();
    shift_ = gradient_.GradientSum() / count;
    slope_ = gradient_.CenteredSum() / (count * square);
    factor_ = DdBall(scale) / Sqrt(square);
  }

  CostedPattern operator()(double x, double dy) const {
    if (in_balls_) {  // then all cells are finite
      const DdBall bracket = (DdBall(dy) - shift_) - (DdBall(x) - DdBall(mean_)) * slope_;
      const real::Ends ends = RoundBall(type_, bracket * factor_);
      if (ends.decided()) return {ends.low, 1};
    }
    return {gradient_.Operand(type_, x, dy, scale_), kExactSteps};
  }

 private:
  ElementType type_;
  BatchNormGradient gradient_;
  double mean_, scale_;
  bool in_balls_;
  DdBall shift_, slope_, factor_;
};

class GradKernel : public BatchNormKernel {
  using BatchNormKernel::BatchNormKernel;

  absl::Status RunFeatures(int64_t first, int64_t count, absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results, Meter& meter) const override {
    std::vector<BatchNormGradient> gradients;
    for (int64_t f = first; f < first + count; ++f) {
      gradients.emplace_back(Parameter(operands, 2, f), Parameter(operands, 3, f), epsilon_);
    }
    absl::Status status = ForEachCell(first, count, operands, {0, 4}, meter,
                                      [&](int64_t feature, int64_t, const double(&cell)[2]) {
                                        gradients[feature].Add(cell[0], cell[1]);
                                        return 1;
                                      });
    if (!status.ok()) return status;
    std::vector<Differentiator> differentiators;
    for (int64_t f = 0; f < count; ++f) {
      gradients[f].Finish();
      Store(gradients[f].Scale(type()), results[1], first + f);
      Store(gradients[f].Offset(type()), results[2], first + f);
      differentiators.emplace_back(type(), std::move(gradients[f]),
                                   Parameter(operands, 2, first + f),
                                   Parameter(operands, 1, first + f));
    }
    return ForEachCell(first, count, operands, {0, 4}, meter,
                       [&](int64_t feature, int64_t position, const double(&cell)[2]) {
                         const auto [pattern, steps] = differentiators[feature](cell[0], cell[1]);
                         Store(pattern, results[0], position);
                         return steps;
                       });
  }
};

}  // namespace

KernelOrNull PrepareBatchNorm(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kBatchNormInference) {
    // The definition refuses statistics that are no vectors.
    for (const int64_t k : {3, 4}) {
      if (instruction.operand(k)->shape().rank() != 1) return nullptr;
    }
  }
  switch (instruction.opcode()) {
    case Opcode::kBatchNormTraining:
      return std::make_unique<TrainingKernel>(instruction);
    case Opcode::kBatchNormInference:
      return std::make_unique<InferenceKernel>(instruction);
    default:
      return std::make_unique<GradKernel>(instruction);
  }
}

}  // namespace assay::evaluator::kernels
