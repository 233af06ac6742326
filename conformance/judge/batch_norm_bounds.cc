// Bounds of batch normalisation (reference ops_structural.md 14.6) of known operands.
#include <algorithm>

#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/bounds.h"

namespace assay {
namespace {

double ValueAt(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}

// Magnitudes of bounds need few digits.
struct Feature {
  double mean = 0;
  BatchNormMagnitudes magnitudes;
};

class BatchNorm {
 public:
  BatchNorm(const Subject& subject, const Literal& golden)
      : instruction_(subject.instruction),
        operands_(subject.operands),
        axis_(instruction_.GetInt(Attr::kFeatureIndex)),
        features_(operands_[0].shape().dimension(axis_)),
        errors_(instruction_, golden.element_type(),
                features_.empty() ? 0
                                  : static_cast<double>(operands_[0].element_count()) /
                                        static_cast<double>(features_.size()),
                subject.profile.linear_algebra().one_pass_variance) {
    const Shape& shape = operands_[0].shape();
    for (int64_t d = axis_ + 1; d < shape.rank(); ++d) stride_ *= shape.dimension(d);
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
      const double rounded = errors_.Rounded(error, value);
      bounds.absolute.push_back(bounded ? rounded : 0);
      bounds.vacuous.push_back(bounded && !errors_.vacuous() ? rounded : kInfinity);
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
    const bool training = opcode == Opcode::kBatchNormTraining;
    const bool grad = opcode == Opcode::kBatchNormGrad;
    for (int64_t i = 0; i < x.element_count(); ++i) {
      Feature& f = features_[FeatureOf(i)];
      const double value = ValueAt(x, i);
      ++f.magnitudes.cells;
      f.magnitudes.sum_abs += std::fabs(value);
      f.magnitudes.mean_square += value * value;
      f.mean += value;
    }
    for (size_t k = 0; k < features_.size(); ++k) {
      Feature& f = features_[k];
      f.mean /= f.magnitudes.cells;
      f.magnitudes.mean_square /= f.magnitudes.cells;
      if (training) continue;
      f.mean = ValueAt(operands_[grad ? 2 : 3], static_cast<int64_t>(k));
      f.magnitudes.variance = ValueAt(operands_[grad ? 3 : 4], static_cast<int64_t>(k));
    }
    for (int64_t i = 0; i < x.element_count(); ++i) {
      Feature& f = features_[FeatureOf(i)];
      const double distance = ValueAt(x, i) - f.mean;
      if (training) f.magnitudes.variance += distance * distance / f.magnitudes.cells;
      if (!grad) continue;
      const double dy = std::fabs(ValueAt(operands_[4], i));
      f.magnitudes.sum_abs_dy += dy;
      f.magnitudes.sum_abs_product += dy * std::fabs(distance);
    }
    for (Feature& f : features_) {
      f.magnitudes.mean = std::fabs(f.mean);
      f.magnitudes.least_variance = f.magnitudes.variance;
      if (training) errors_.FindStatistics(&f.magnitudes);
    }
  }

  // Infinite where nothing is known.
  double Error(size_t leaf, int64_t i) const {
    const bool grad = instruction_.opcode() == Opcode::kBatchNormGrad;
    const size_t k = leaf == 0 ? FeatureOf(i) : static_cast<size_t>(i);
    const Feature& f = features_[k];
    if (leaf == 1) {
      return grad ? errors_.ScaleGradient(f.magnitudes) : f.magnitudes.mean_error;
    }
    if (leaf == 2) {
      return grad ? errors_.OffsetGradient(f.magnitudes) : f.magnitudes.variance_error;
    }
    const auto parameter = [&](size_t operand) {
      return std::fabs(ValueAt(operands_[operand], static_cast<int64_t>(k)));
    };
    const double x = ValueAt(operands_[0], i), distance = std::fabs(x - f.mean);
    return grad ? errors_.OperandGradient(f.magnitudes, distance,
                                          std::fabs(ValueAt(operands_[4], i)), parameter(1))
                : errors_.Normalized(f.magnitudes, std::fabs(x), distance, parameter(1),
                                     parameter(2));
  }

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  const int64_t axis_;
  int64_t stride_ = 1;
  std::vector<Feature> features_;
  const BatchNormErrors errors_;
};

}  // namespace

Bounds BatchNormBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return BatchNorm(subject, golden).Find(leaf, golden);
}

}  // namespace assay
