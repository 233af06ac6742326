#include "conformance/enclosure/batch_norm.h"

#include "conformance/enclosure/interval_array.h"
#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/bounds.h"

namespace assay {
namespace {

// Sums of magnitudes in double, of at most 2^20 terms, are enlarged by more than their roundings.
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
        features_(operands[0].shape().dimension(instruction.GetInt(Attr::kFeatureIndex))),
        cells_(features_ == 0 ? 0
                              : static_cast<double>(x_.size()) / static_cast<double>(features_)),
        errors_(instruction, type_, cells_, profile.linear_algebra().one_pass_variance) {
    const Shape& shape = operands[0].shape();
    for (int64_t d = instruction.GetInt(Attr::kFeatureIndex) + 1; d < shape.rank(); ++d) {
      stride_ *= shape.dimension(d);
    }
    for (size_t k = 2; k < operands.size(); ++k) others_.emplace_back(operands[k]);
    leaves_.emplace_back(x_.size(), Interval::Everything());
    for (int leaf = 1; leaf < 3; ++leaf) leaves_.emplace_back(features_, Interval::Everything());
  }

  std::vector<Box> Enclose() {
    if (cells_ >= 1 && cells_ <= kMostCells && !errors_.vacuous()) {
      for (int64_t k = 0; k < features_; ++k) EncloseFeature(k);
    }
    std::vector<Box> boxes;
    const std::vector<const Shape*> shapes = Leaves(instruction_.shape());
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      boxes.push_back(BoxOfIntervals(instruction_, *shapes[leaf], leaves_[leaf]));
    }
    return boxes;
  }

 private:
  // Of a value and its error: the golden one is rounded as well.
  Interval Widened(const Interval& value, double error) const {
    return value + Interval::Around(granted_ ? errors_.Rounded(error, value.magnitude()) * kUp : 0);
  }

  // Whether no way to a result through such a magnitude overflows.
  bool Fits(double magnitude) const { return magnitude <= largest_ / 4; }

  template <typename Visit>
  void ForEachCell(int64_t feature, Visit visit) const {
    for (int64_t first = feature * stride_; first < x_.size(); first += features_ * stride_) {
      for (int64_t i = first; i < first + stride_; ++i) visit(i);
    }
  }

  void EncloseFeature(int64_t k) {
    BatchNormMagnitudes f;
    f.cells = cells_;
    Interval sum;
    ForEachCell(k, [&](int64_t i) {
      sum = sum + x_[i];
      f.sum_abs += x_[i].magnitude();
      f.mean_square += x_[i].magnitude() * x_[i].magnitude();
    });
    f.sum_abs *= kUp;
    if (!Fits(f.mean_square)) return;
    f.mean_square *= kUp / cells_;
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

  // Of x - mean, x counts once.
  Interval Distance(int64_t i, const Interval& sum) const {
    const Interval cells = Interval::Point(cells_);
    const Interval others{(Interval::Point(sum.low) - Interval::Point(x_[i].low)).low,
                          (Interval::Point(sum.high) - Interval::Point(x_[i].high)).high};
    return (x_[i] * Interval::Point(cells_ - 1) - others) / cells;
  }

  void Train(int64_t k, const Interval& sum, BatchNormMagnitudes* f) {
    const Interval mean = sum / Interval::Point(cells_);
    Interval variance;
    ForEachCell(k, [&](int64_t i) { variance = variance + Square(Distance(i, sum)); });
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
                 double mean) {
    f.mean = mean;
    f.variance = variance.high;
    f.least_variance = variance.low;
    const Interval w = variance + Interval::Point(errors_.epsilon());
    if (!(w.low > 0)) return;
    const Interval factor = scale_[k] / SquareRoot(w);
    ForEachCell(k, [&](int64_t i) {
      const Interval off = distance(i);
      const double terms = factor.magnitude() * (x_[i].magnitude() + f.mean);
      if (!Fits(terms) || !Fits(others_[0][k].magnitude())) return;
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
    Interval sum, products;
    ForEachCell(k, [&](int64_t i) {
      const Interval distance = x_[i] - mean;
      sum = sum + dy[i];
      products = products + dy[i] * distance;
      f->sum_abs_dy += dy[i].magnitude();
      f->sum_abs_product += dy[i].magnitude() * distance.magnitude();
    });
    f->sum_abs_dy *= kUp;
    f->sum_abs_product *= kUp;
    if (!Fits(f->sum_abs_dy * cells_) || !Fits(f->sum_abs_product)) return;
    leaves_[2][k] = Widened(sum, errors_.OffsetGradient(*f));
    const Interval w = variance + Interval::Point(errors_.epsilon());
    if (!(w.low > 0)) return;
    const Interval root = SquareRoot(w), cells = Interval::Point(cells_);
    leaves_[1][k] = Widened(products / root, errors_.ScaleGradient(*f));
    const Interval factor = scale_[k] / (root * cells);
    ForEachCell(k, [&](int64_t i) {
      const Interval distance = x_[i] - mean;
      if (!Fits(distance.magnitude() * f->sum_abs_product / w.low)) return;
      leaves_[0][i] = Widened(factor * (cells * dy[i] - sum - distance * products / w),
                              errors_.OperandGradient(*f, distance.magnitude(), dy[i].magnitude(),
                                                      scale_[k].magnitude()));
    });
  }

  const Instruction& instruction_;
  const bool granted_;
  const ElementType type_;
  const IntervalArray x_, scale_;
  const int64_t features_;
  const double cells_;
  const BatchNormErrors errors_;
  const double largest_ = DecodeFloat(type_, MaxFinite(type_));
  int64_t stride_ = 1;
  std::vector<IntervalArray> others_;  // from operand 2 on
  std::vector<std::vector<Interval>> leaves_;
};

}  // namespace

std::vector<Box> EncloseBatchNorm(const Instruction& instruction, Boxes operands,
                                  const TargetProfile& profile) {
  return BatchNorm(instruction, operands, profile).Enclose();
}

}  // namespace assay
