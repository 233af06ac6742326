// Error bounds of batch normalisation: how far a conforming result may be from the exact one
// (reference ops_structural.md 14.6). Mean and variance have the errors of sums, with either
// formula of the variance, and these errors propagate into the output. Every bound is monotonic in
// the magnitudes that it is given, so that the largest of several magnitudes yields a bound for
// all. Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_
#define ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_

#include <cmath>
#include <cstdint>

#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay::conformance {

bool IsBatchNorm(Opcode opcode);

// The type of all bounds. It holds the square of every f64.
using WideReal = long double;

// Sums of magnitudes over the cells of one feature.
struct BatchNormMagnitudes {
  WideReal cells = 0;
  WideReal sum_abs = 0, mean_square = 0;  // of x
  WideReal mean = 0;
  WideReal variance = 0, least_variance = 0;     // about the mean
  WideReal sum_abs_dy = 0, sum_abs_product = 0;  // of dy and of dy (x - mean)
  // nonzero in training, where mean and variance are computed
  WideReal mean_error = 0, variance_error = 0;
};

// The positions of the cells of each feature in the operand, in row-major order.
class BatchNormCells {
 public:
  explicit BatchNormCells(const Instruction& instruction);
  int64_t features() const { return features_; }
  double count() const { return count_; }  // of one feature
  int64_t FeatureOf(int64_t place) const { return place / stride_ % features_; }
  // Calls visit(place) for the position of each cell of the feature.
  template <typename Visit>
  void ForEach(int64_t feature, Visit visit) const {
    for (int64_t first = feature * stride_; first < size_; first += features_ * stride_) {
      for (int64_t i = first; i < first + stride_; ++i) visit(i);
    }
  }
  // Sums the magnitudes x(place) of the operand. No sum is less than the exact one.
  template <typename Of>
  BatchNormMagnitudes SumOperand(int64_t feature, Of x) const {
    BatchNormMagnitudes f;
    f.cells = count_;
    ForEach(feature, [&](int64_t i) {
      const WideReal size = x(i);
      f.sum_abs += size;
      f.mean_square += size * size;
    });
    f.sum_abs *= kUp;
    f.mean_square *= kUp / f.cells;
    return f;
  }
  // Adds to `f` the sums of the gradient, of the magnitudes dy(place) and distance(place), which is
  // |x - mean|.
  template <typename Of, typename DistanceOf>
  void SumGradient(int64_t feature, Of dy, DistanceOf distance, BatchNormMagnitudes* f) const {
    ForEach(feature, [&](int64_t i) {
      const WideReal size = dy(i);
      f->sum_abs_dy += size;
      f->sum_abs_product += size * distance(i);
    });
    f->sum_abs_dy *= kUp;
    f->sum_abs_product *= kUp;
  }

 private:
  // Exceeds the relative rounding error of every sum that is short enough to have a bound.
  static constexpr WideReal kUp = 1 + 0x1p-30L;
  int64_t features_, size_, stride_ = 1;
  double count_;
};

class BatchNormErrors {
 public:
  // `type` is the element type, `cells` the number of cells of a feature.
  BatchNormErrors(const Instruction& instruction, ElementType type, double cells,
                  const TargetProfile& profile);

  // Returns true if an accumulation in the element type has no bound. The errors are then those of
  // sums in f32.
  bool vacuous() const { return vacuous_; }
  double epsilon() const { return epsilon_; }
  double least_normal() const;
  // Sets the errors of a mean and a variance that are computed from the cells.
  void FindStatistics(BatchNormMagnitudes* f) const;
  // Returns the error of an output, for magnitudes of x, x - mean, scale and offset. It is infinite
  // if the variance may cancel.
  WideReal Normalized(const BatchNormMagnitudes& f, WideReal x, WideReal distance, WideReal scale,
                      WideReal offset) const;
  // Return the errors of the gradients of the operand (for magnitudes of x - mean, dy and scale),
  // of the scale and of the offset. They are infinite if the variance may not be positive.
  WideReal OperandGradient(const BatchNormMagnitudes& f, WideReal distance, WideReal dy,
                           WideReal scale) const;
  WideReal ScaleGradient(const BatchNormMagnitudes& f) const;
  WideReal OffsetGradient(const BatchNormMagnitudes& f) const;
  // Add to `error` the rounding of a result of magnitude `value`. Rounded() returns the distance
  // from the golden value, which is rounded too; RoundedFromExact() the distance from the exact
  // value.
  WideReal Rounded(WideReal error, WideReal value) const;
  WideReal RoundedFromExact(WideReal error, WideReal value) const;

  // Return true if an intermediate sum or product may overflow in some order (14.2, "Overflow"): in
  // the mean, in the variance by a formula that the target may use, or in the output.
  bool SumMayOverflow(WideReal magnitude) const { return !(magnitude * up_ <= largest_); }
  bool MeanMayOverflow(const BatchNormMagnitudes& f) const { return SumMayOverflow(f.sum_abs); }
  bool VarianceMayOverflow(const BatchNormMagnitudes& f) const;
  bool OutputMayOverflow(const BatchNormMagnitudes& f, WideReal x, WideReal scale,
                         WideReal offset) const;
  // Returns the same for gradients. `distance` is the largest magnitude of x - mean.
  bool GradientMayOverflow(const BatchNormMagnitudes& f, WideReal distance, WideReal dy,
                           WideReal scale) const;
  // Returns true if the divisor of the gradient, and with it a term, may overflow.
  bool DivisorMayOverflow(const BatchNormMagnitudes& f) const;

 private:
  const ElementType type_;
  const double own_unit_, epsilon_;
  const bool one_pass_;
  bool vacuous_;
  double unit_;
  double up_;       // 1 and the relative rounding error of a magnitude
  double largest_;  // finite value of the type
  double lost_;     // the absolute error of a result below the normal values
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_
