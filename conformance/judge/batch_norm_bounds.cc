// Bounds of batch normalisation (reference ops_structural.md 14.6) of known operands.
#include <algorithm>
#include <cmath>

#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/bounds.h"

namespace assay::conformance {
namespace {

double ValueAt(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}

// The statistics of one feature. A few digits are enough for magnitudes, also for those beyond the
// largest value of the type.
struct Feature {
  WideReal mean = 0, sum_dy = 0, products = 0;  // of dy, of dy (x - mean)
  WideReal largest_distance = 0;                // from the mean
  bool x_finite = false, dy_finite = false;     // all cells are
  BatchNormMagnitudes magnitudes;
};

class BatchNorm {
 public:
  BatchNorm(const Subject& subject, const Literal& golden)
      : instruction_(subject.instruction),
        operands_(subject.operands),
        training_(instruction_.opcode() == Opcode::kBatchNormTraining),
        grad_(instruction_.opcode() == Opcode::kBatchNormGrad),
        cells_(instruction_),
        errors_(instruction_, golden.element_type(), cells_.count(), subject.profile) {
    for (int64_t k = 0; k < cells_.features(); ++k) features_.push_back(Sum(k));
  }

  Bounds Find(size_t leaf, const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "batch normalisation";
    bounds.needs = Freedom::kReassociation;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const bool finite = DependsOnFinite(leaf, i);
      const Open open = finite ? Examine(leaf, i) : Open();
      const double value = ValueAt(golden, i);
      const auto rounded = static_cast<double>(errors_.Rounded(open.error, std::fabs(value)));
      bounds.absolute.push_back(open.anything ? 0 : rounded);
      bounds.vacuous.push_back(!open.anything && !errors_.vacuous() ? rounded : kInfinity);
      bounds.anything.push_back(open.anything);
      bounds.may_overflow.push_back(open.may_overflow || (finite && std::isinf(value)) ||
                                    CancelsBesideInfinity(leaf, i));
      if (std::isnan(ValueOf(golden.element_type(), 0))) {
        bounds.beside_no_value.push_back(finite ? BesideNoValue(leaf, i, open.error) : -1);
      }
      OverflowValues others;
      if (open.becomes_offset) {
        others.after = Parameter(2, KindOf(leaf, i));
        if (std::fabs(others.after) < errors_.least_normal()) {  // and may be flushed
          others.low = -errors_.least_normal();
          others.high = errors_.least_normal();
        }
      }
      if (finite && std::isinf(value)) {
        const WideReal exact = Exact(leaf, i);
        const WideReal reach = errors_.Rounded(open.error, std::fabs(exact));
        others.low = static_cast<double>(exact - reach);
        others.high = static_cast<double>(exact + reach);
      }
      bounds.others.push_back(others);
    }
    return bounds;
  }

 private:
  static double ValueOf(ElementType type, double value) {
    return DecodeFloat(type, EncodeFloat(type, value));
  }

  // As in Bounds::beside_no_value.
  double BesideNoValue(size_t leaf, int64_t i, WideReal error) const {
    const WideReal exact = Exact(leaf, i);
    if (!(exact - error <= 0) || !(exact + error >= 0)) return -1;
    const ElementType type = operands_[0].element_type();
    const double largest = ValueOf(type, static_cast<double>(exact + error));
    return std::isnan(largest) ? 0 : largest;
  }

  // The ways in which one element is unconstrained.
  struct Open {
    WideReal error = 0;
    bool anything = false;  // a variance that cancels may become negative
    bool may_overflow = false;
    bool becomes_offset = false;  // what is divided by an infinite root is zero
  };

  double Parameter(size_t operand, int64_t feature) const {
    return ValueAt(operands_[operand], feature);
  }
  int64_t KindOf(size_t leaf, int64_t i) const { return leaf == 0 ? cells_.FeatureOf(i) : i; }

  bool CellsAreFinite(size_t operand, int64_t k) const {
    bool finite = true;
    cells_.ForEach(
        k, [&](int64_t i) { finite = finite && std::isfinite(ValueAt(operands_[operand], i)); });
    return finite;
  }

  // Returns true if everything is finite that an element of a result depends on.
  bool DependsOnFinite(size_t leaf, int64_t i) const {
    const int64_t k = KindOf(leaf, i);
    const Feature& f = features_[k];
    const auto finite = [&](size_t first, size_t end) {
      for (size_t operand = first; operand < end; ++operand) {
        if (!std::isfinite(Parameter(operand, k))) return false;
      }
      return true;
    };
    if (training_) return f.x_finite && (leaf > 0 || finite(1, 3));
    if (!grad_) return std::isfinite(ValueAt(operands_[0], i)) && finite(1, 5);
    return f.dy_finite && (leaf == 2 || (f.x_finite && finite(leaf == 0 ? 1 : 2, 4)));
  }

  Feature Sum(int64_t k) const {
    Feature f;
    f.x_finite = CellsAreFinite(0, k);
    f.dy_finite = grad_ && CellsAreFinite(4, k);
    const auto x = [&](int64_t i) { return static_cast<WideReal>(ValueAt(operands_[0], i)); };
    f.magnitudes = cells_.SumOperand(k, [&](int64_t i) { return std::fabs(x(i)); });
    BatchNormMagnitudes& magnitudes = f.magnitudes;
    if (training_) {
      cells_.ForEach(k, [&](int64_t i) { f.mean += x(i) / magnitudes.cells; });
      cells_.ForEach(k, [&](int64_t i) {
        magnitudes.variance += (x(i) - f.mean) * (x(i) - f.mean) / magnitudes.cells;
      });
    } else {
      f.mean = Parameter(grad_ ? 2 : 3, k);
      magnitudes.variance = Parameter(grad_ ? 3 : 4, k);
    }
    magnitudes.mean = std::fabs(f.mean);
    magnitudes.least_variance = magnitudes.variance;
    if (training_) errors_.FindStatistics(&magnitudes);
    if (!grad_) return f;
    const auto dy = [&](int64_t i) { return static_cast<WideReal>(ValueAt(operands_[4], i)); };
    const auto distance = [&](int64_t i) { return std::fabs(x(i) - f.mean); };
    cells_.SumGradient(
        k, [&](int64_t i) { return std::fabs(dy(i)); }, distance, &magnitudes);
    cells_.ForEach(k, [&](int64_t i) {
      f.sum_dy += dy(i);
      f.products += dy(i) * (x(i) - f.mean);
      f.largest_distance = std::max(f.largest_distance, distance(i));
    });
    return f;
  }

  Open Examine(size_t leaf, int64_t i) const {
    const int64_t k = KindOf(leaf, i);
    const Feature& f = features_[k];
    if (training_ && leaf == 1) {
      return {f.magnitudes.mean_error, false, errors_.MeanMayOverflow(f.magnitudes), false};
    }
    if (training_ && leaf == 2) {
      return {f.magnitudes.variance_error, false, errors_.VarianceMayOverflow(f.magnitudes), false};
    }
    if (grad_) return Gradient(f, leaf, i);
    Open open;
    if (!training_ && DividesByNoNumber(f, &open)) return open;
    const double x = std::fabs(ValueAt(operands_[0], i)), scale = std::fabs(Parameter(1, k));
    const double offset = std::fabs(Parameter(2, k));
    open.error = errors_.Normalized(f.magnitudes, x, std::fabs(ValueAt(operands_[0], i) - f.mean),
                                    scale, offset);
    open.anything = !(open.error < kInfinity);
    open.becomes_offset = training_ && errors_.VarianceMayOverflow(f.magnitudes);
    open.may_overflow =
        open.becomes_offset || errors_.OutputMayOverflow(f.magnitudes, x, scale, offset);
    return open;
  }

  Open Gradient(const Feature& f, size_t leaf, int64_t i) const {
    Open open;
    const double dy = leaf == 0 ? std::fabs(ValueAt(operands_[4], i)) : 0;
    const double scale = leaf == 0 ? std::fabs(Parameter(1, KindOf(leaf, i))) : 0;
    if (leaf == 2) {
      open.error = errors_.OffsetGradient(f.magnitudes);
      open.may_overflow = errors_.SumMayOverflow(f.magnitudes.sum_abs_dy);
      return open;
    }
    if (DividesByNoNumber(f, &open)) return open;
    const WideReal distance =
        leaf == 0 ? std::fabs(ValueAt(operands_[0], i) - f.mean) : f.largest_distance;
    open.error = leaf == 0 ? errors_.OperandGradient(f.magnitudes, distance, dy, scale)
                           : errors_.ScaleGradient(f.magnitudes);
    open.anything = !(open.error < kInfinity) || errors_.DivisorMayOverflow(f.magnitudes);
    open.may_overflow = errors_.GradientMayOverflow(f.magnitudes, f.largest_distance, dy, scale);
    return open;
  }

  // If a given variance plus epsilon is negative, the result is NaN. If it is zero, the result is
  // not finite.
  bool DividesByNoNumber(const Feature& f, Open* open) const {
    const WideReal w = f.magnitudes.variance + errors_.epsilon();
    open->may_overflow = w == 0;
    return w == 0 || w <= -errors_.least_normal();
  }

  // Returns true if an infinite scale is multiplied by a value that may be zero, in exact
  // arithmetic, after rounding or because the root overflows. The result is then NaN or an infinity
  // of either sign.
  bool CancelsBesideInfinity(size_t leaf, int64_t i) const {
    const int64_t k = KindOf(leaf, i);
    if (leaf != 0 || !std::isinf(Parameter(1, k))) return false;
    const Feature& f = features_[k];
    if (training_ && f.x_finite && errors_.VarianceMayOverflow(f.magnitudes)) return true;
    const WideReal size = std::fabs(Unscaled(i));
    const double x = std::fabs(ValueAt(operands_[0], i));
    const WideReal distance = std::fabs(ValueAt(operands_[0], i) - f.mean);
    return size <= (grad_ ? errors_.OperandGradient(f.magnitudes, distance,
                                                    std::fabs(ValueAt(operands_[4], i)), 1)
                          : errors_.Normalized(f.magnitudes, x, distance, 1, 0));
  }

  // Returns approximately the element before scale and offset are applied.
  WideReal Unscaled(int64_t i) const {
    const Feature& f = features_[KindOf(0, i)];
    const WideReal w = f.magnitudes.variance + errors_.epsilon(), root = std::sqrt(w);
    const WideReal distance = ValueAt(operands_[0], i) - f.mean;
    if (!grad_) return distance / root;
    const WideReal cells = cells_.count(), dy = ValueAt(operands_[4], i);
    return (cells * dy - f.sum_dy - distance * f.products / w) / (root * cells);
  }

  // Returns approximately the value of an element that exceeds the largest number.
  WideReal Exact(size_t leaf, int64_t i) const {
    const int64_t k = KindOf(leaf, i);
    const Feature& f = features_[k];
    if (training_ && leaf == 1) return f.mean;
    if (training_ && leaf == 2) return f.magnitudes.variance;
    if (grad_ && leaf == 2) return f.sum_dy;
    if (grad_ && leaf == 1)
      return f.products / std::sqrt(f.magnitudes.variance + errors_.epsilon());
    return Parameter(1, k) * Unscaled(i) + (grad_ ? 0 : Parameter(2, k));
  }

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  const bool training_, grad_;
  const BatchNormCells cells_;
  const BatchNormErrors errors_;
  std::vector<Feature> features_;
};

}  // namespace

Bounds BatchNormBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return BatchNorm(subject, golden).Find(leaf, golden);
}

}  // namespace assay::conformance
