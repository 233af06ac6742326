#include "conformance/enclosure/batch_norm.h"

#include "conformance/enclosure/interval_array.h"
#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/bounds.h"

namespace assay::conformance {
namespace {

// Sums of at most 2^20 terms are enlarged by more than the roundings of their magnitudes.
constexpr double kUp = 1 + 0x1p-30;
constexpr double kMostCells = 0x1p20;

class BatchNorm {
 public:
  BatchNorm(const Instruction& instruction, Boxes operands, const TargetProfile& profile)
      : instruction_(instruction),
        granted_(profile.Grants(Freedom::kReassociation)),
        type_(operands[0].shape().element_type()),
        x_(operands[0]),
        scale_(operands[1]),
        places_(instruction),
        cells_(places_.count()),
        errors_(instruction, type_, cells_, profile) {
    for (size_t k = 2; k < operands.size(); ++k) others_.emplace_back(operands[k]);
    leaves_.emplace_back(x_.size(), Interval::Everything());
    for (int leaf = 1; leaf < 3; ++leaf) {
      leaves_.emplace_back(places_.features(), Interval::Everything());
    }
  }

  std::vector<Box> Enclose() {
    if (cells_ >= 1 && cells_ <= kMostCells && !errors_.vacuous()) {
      for (int64_t k = 0; k < places_.features(); ++k) EncloseFeature(k);
    }
    std::vector<Box> boxes;
    const std::vector<const Shape*> shapes = Leaves(instruction_.shape());
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      boxes.push_back(BoxOfIntervals(instruction_, *shapes[leaf], leaves_[leaf]));
    }
    return boxes;
  }

 private:
  // Returns the interval of an exact value with an error, after rounding.
  Interval Widened(const Interval& value, WideReal error) const {
    const WideReal radius = granted_ ? errors_.RoundedFromExact(error, value.magnitude()) * kUp : 0;
    return value + Interval::Around(static_cast<double>(radius));
  }

  // Returns true if no intermediate result of such a magnitude overflows.
  bool Fits(WideReal magnitude) const { return magnitude <= largest_ / 4; }

  void EncloseFeature(int64_t k) {
    BatchNormMagnitudes f = places_.SumOperand(k, [&](int64_t i) { return x_[i].magnitude(); });
    if (!Fits(f.mean_square * cells_)) return;
    Interval sum;
    places_.ForEach(k, [&](int64_t i) { sum = sum + x_[i]; });
    switch (instruction_.opcode()) {
      case Opcode::kBatchNormTraining:
        return Train(k, sum, &f);
      case Opcode::kBatchNormInference:
        return Normalize(
            k, f, others_[2][k], [&](int64_t i) { return x_[i] - others_[1][k]; },
            others_[1][k].magnitude());
      default:
        return Differentiate(k, &f);
    }
  }

  // Returns the interval of x - mean, in which x occurs once.
  Interval Distance(int64_t i, const Interval& sum) const {
    const Interval cells = Interval::Point(cells_);
    const Interval others{(Interval::Point(sum.low) - Interval::Point(x_[i].low)).low,
                          (Interval::Point(sum.high) - Interval::Point(x_[i].high)).high};
    return (x_[i] * Interval::Point(cells_ - 1) - others) / cells;
  }

  void Train(int64_t k, const Interval& sum, BatchNormMagnitudes* f) {
    const Interval mean = sum / Interval::Point(cells_);
    Interval variance;
    places_.ForEach(k, [&](int64_t i) { variance = variance + Square(Distance(i, sum)); });
    variance = variance / Interval::Point(cells_);
    variance.low = std::max(variance.low, 0.0);
    f->mean = mean.magnitude();
    f->variance = variance.high;
    f->least_variance = variance.low;
    errors_.FindStatistics(f);
    leaves_[1][k] = Widened(mean, f->mean_error);
    leaves_[2][k] = Widened(variance, f->variance_error);
    Normalize(
        k, *f, variance, [&](int64_t i) { return Distance(i, sum); }, f->mean);
  }

  template <typename DistanceOf>
  void Normalize(int64_t k, BatchNormMagnitudes f, const Interval& variance, DistanceOf distance,
                 WideReal mean) {
    f.mean = mean;
    f.variance = variance.high;
    f.least_variance = variance.low;
    const Interval w = variance + Interval::Point(errors_.epsilon());
    if (!(w.low > 0)) return;
    const Interval factor = scale_[k] / SquareRoot(w);
    places_.ForEach(k, [&](int64_t i) {
      const Interval off = distance(i);
      if (errors_.OutputMayOverflow(f, x_[i].magnitude(), scale_[k].magnitude(),
                                    others_[0][k].magnitude())) {
        return;
      }
      leaves_[0][i] =
          Widened(factor * off + others_[0][k],
                  granted_ ? errors_.Normalized(f, x_[i].magnitude(), off.magnitude(),
                                                scale_[k].magnitude(), others_[0][k].magnitude())
                           : 0);
    });
  }

  // Operands: x, scale, mean, variance, dy.
  void Differentiate(int64_t k, BatchNormMagnitudes* f) {
    const Interval &mean = others_[0][k], &variance = others_[1][k];
    const IntervalArray& dy = others_[2];
    f->mean = mean.magnitude();
    f->variance = variance.high;
    f->least_variance = variance.low;
    places_.SumGradient(
        k, [&](int64_t i) { return dy[i].magnitude(); },
        [&](int64_t i) { return (x_[i] - mean).magnitude(); }, f);
    Interval sum, products;
    places_.ForEach(k, [&](int64_t i) {
      sum = sum + dy[i];
      products = products + dy[i] * (x_[i] - mean);
    });
    if (!Fits(f->sum_abs_dy * cells_) || !Fits(f->sum_abs_product)) return;
    leaves_[2][k] = Widened(sum, errors_.OffsetGradient(*f));
    const Interval w = variance + Interval::Point(errors_.epsilon());
    if (!(w.low > 0)) return;
    const Interval root = SquareRoot(w), cells = Interval::Point(cells_);
    leaves_[1][k] = Widened(products / root, errors_.ScaleGradient(*f));
    const Interval factor = scale_[k] / (root * cells);
    places_.ForEach(k, [&](int64_t i) {
      const Interval distance = x_[i] - mean;
      if (errors_.DivisorMayOverflow(*f) ||
          errors_.GradientMayOverflow(*f, distance.magnitude(), dy[i].magnitude(),
                                      scale_[k].magnitude())) {
        return;
      }
      leaves_[0][i] = Widened(factor * (cells * dy[i] - sum - distance * products / w),
                              errors_.OperandGradient(*f, distance.magnitude(), dy[i].magnitude(),
                                                      scale_[k].magnitude()));
    });
  }

  const Instruction& instruction_;
  const bool granted_;
  const ElementType type_;
  const IntervalArray x_, scale_;
  const BatchNormCells places_;
  const double cells_;
  const BatchNormErrors errors_;
  const double largest_ = DecodeFloat(type_, MaxFinite(type_));
  std::vector<IntervalArray> others_;  // from operand 2 on
  std::vector<std::vector<Interval>> leaves_;
};

}  // namespace

std::vector<Box> EncloseBatchNorm(const Instruction& instruction, Boxes operands,
                                  const TargetProfile& profile) {
  return BatchNorm(instruction, operands, profile).Enclose();
}

}  // namespace assay::conformance
