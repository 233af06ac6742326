// Bounds of batch normalisation (reference ops_structural.md 14.6): errors of mean and variance as
// sums, by either form of the variance, and what they do to the output behind it.
#include <algorithm>

#include "conformance/judge/bounds.h"
#include "evaluator/ops/batch_norm_feature.h"

namespace assay {
namespace {

double ValueAt(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}

// Sums over the cells of one feature. Magnitudes of bounds need few digits.
struct Feature {
  double m = 0;                                // cells
  double sum_abs = 0, mean = 0;                // of x
  double variance = 0, mean_square = 0;        // about the mean; of x itself
  double sum_abs_dy = 0, sum_abs_product = 0;  // of dy, of dy (x - mean)
  double mean_error = 0, variance_error = 0;   // training: the mean and variance are computed
};

class BatchNorm {
 public:
  BatchNorm(const Subject& subject, const Literal& golden)
      : instruction_(subject.instruction),
        operands_(subject.operands),
        type_(golden.element_type()),
        own_unit_(UnitRoundoff(type_)),
        one_pass_(subject.profile.linear_algebra().one_pass_variance),
        epsilon_(BatchNormEpsilon(instruction_)),
        axis_(instruction_.GetInt(Attr::kFeatureIndex)) {
    const Shape& shape = operands_[0].shape();
    stride_ = 1;
    for (int64_t d = axis_ + 1; d < shape.rank(); ++d) stride_ *= shape.dimension(d);
    features_.resize(shape.dimension(axis_));
    const double cells = features_.empty() ? 0
                                           : static_cast<double>(operands_[0].element_count()) /
                                                 static_cast<double>(features_.size());
    // Where the type itself bounds nothing: accumulated in f32, rounded once.
    vacuous_ = !(Gamma(cells + 16, own_unit_) < 1);
    unit_ = vacuous_ ? std::min(own_unit_, UnitRoundoff(ElementType::kF32)) : own_unit_;
    Sum();
  }

  Bounds Find(size_t leaf, const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "batch normalisation";
    bounds.needs = Freedom::kReassociation;
    const bool finite = AllFinite(operands_);
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const double error = finite ? Error(leaf, i) : 0, value = std::fabs(ValueAt(golden, i));
      const bool bounded = error < kInfinity;
      // The result is rounded, and so is the golden one.
      const double rounded = error + own_unit_ * (2 * value + error) + SmallestNormal(type_);
      bounds.absolute.push_back(bounded ? rounded : 0);
      bounds.vacuous.push_back(bounded && !vacuous_ ? rounded : kInfinity);
      // A variance that cancels may become negative: then anything goes.
      bounds.may_overflow.push_back(finite && !bounded);
    }
    return bounds;
  }

 private:
  size_t FeatureOf(int64_t i) const { return static_cast<size_t>(i / stride_) % features_.size(); }

  void Sum() {
    const Literal& x = operands_[0];
    const Opcode opcode = instruction_.opcode();
    for (int64_t i = 0; i < x.element_count(); ++i) {
      Feature& f = features_[FeatureOf(i)];
      const double value = ValueAt(x, i);
      ++f.m;
      f.sum_abs += std::fabs(value);
      f.mean += value;
      f.mean_square += value * value;
    }
    for (size_t k = 0; k < features_.size(); ++k) {
      Feature& f = features_[k];
      f.mean /= f.m;
      f.mean_square /= f.m;
      if (opcode == Opcode::kBatchNormTraining) continue;
      const bool grad = opcode == Opcode::kBatchNormGrad;
      f.mean = ValueAt(operands_[grad ? 2 : 3], static_cast<int64_t>(k));
      f.variance = ValueAt(operands_[grad ? 3 : 4], static_cast<int64_t>(k));
    }
    for (int64_t i = 0; i < x.element_count(); ++i) {
      Feature& f = features_[FeatureOf(i)];
      const double distance = ValueAt(x, i) - f.mean;
      if (opcode == Opcode::kBatchNormTraining) f.variance += distance * distance / f.m;
      if (opcode != Opcode::kBatchNormGrad) continue;
      const double dy = std::fabs(ValueAt(operands_[4], i));
      f.sum_abs_dy += dy;
      f.sum_abs_product += dy * std::fabs(distance);
    }
    if (opcode != Opcode::kBatchNormTraining) return;
    for (Feature& f : features_) {
      const double e = Gamma(f.m + 1, unit_) * f.sum_abs / f.m;
      const double two_pass = Gamma(f.m + 4, unit_) * (f.variance + e * e) + e * e;
      const double mean = std::fabs(f.mean);
      const double one_pass = Gamma(f.m + 3, unit_) * f.mean_square +
                              Gamma(2, unit_) * (mean + e) * (mean + e) + 2 * mean * e + e * e;
      f.mean_error = e;
      f.variance_error = one_pass_ ? std::max(two_pass, one_pass) : two_pass;
    }
  }

  // Infinite where nothing is known.
  double Error(size_t leaf, int64_t i) const {
    if (instruction_.opcode() == Opcode::kBatchNormGrad) return GradientError(leaf, i);
    if (leaf == 1) return features_[i].mean_error;
    if (leaf == 2) return features_[i].variance_error;
    const size_t k = FeatureOf(i);
    const Feature& f = features_[k];
    const double gamma = std::fabs(ValueAt(operands_[1], static_cast<int64_t>(k)));
    const double beta = std::fabs(ValueAt(operands_[2], static_cast<int64_t>(k)));
    const double x = ValueAt(operands_[0], i), e = f.mean_error;
    const double w = f.variance + epsilon_, rho = f.variance_error / w;
    if (!(rho <= 0.5)) return kInfinity;
    const double scale = gamma / std::sqrt(w);
    // x k + (beta - mean k), whose terms are the larger ones.
    return scale * (e + (std::fabs(x - f.mean) + e) * rho) +
           Gamma(9, unit_) * scale * (std::fabs(x) + std::fabs(f.mean) + e) +
           Gamma(2, unit_) * beta;
  }

  double GradientError(size_t leaf, int64_t i) const {
    const size_t k = leaf == 0 ? FeatureOf(i) : static_cast<size_t>(i);
    const Feature& f = features_[k];
    const double w = f.variance + epsilon_, s = std::sqrt(w);
    if (leaf == 2) return Gamma(std::max(0.0, f.m - 1), unit_) * f.sum_abs_dy;
    if (!(w > 0)) return kInfinity;
    if (leaf == 1) return Gamma(f.m + 6, unit_) * f.sum_abs_product / s;
    const double gamma = std::fabs(ValueAt(operands_[1], static_cast<int64_t>(k)));
    const double distance = std::fabs(ValueAt(operands_[0], i) - f.mean);
    return gamma / (s * f.m) * Gamma(f.m + 16, unit_) *
           (f.m * std::fabs(ValueAt(operands_[4], i)) + f.sum_abs_dy +
            distance * f.sum_abs_product / w);
  }

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  const ElementType type_;
  const double own_unit_;
  double unit_;
  const bool one_pass_;
  const double epsilon_;
  const int64_t axis_;
  int64_t stride_;
  bool vacuous_;
  std::vector<Feature> features_;
};

}  // namespace

Bounds BatchNormBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return BatchNorm(subject, golden).Find(leaf, golden);
}

}  // namespace assay
