// How far conforming results of batch normalisation may be from exact ones (reference
// ops_structural.md 14.6): errors of mean and variance as sums, by either form of the variance, and
// what they do to the output behind it. Every error rises with the magnitudes that it is given, so
// that the largest of several may stand for all. Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_
#define ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_

#include <cmath>
#include <cstdint>

#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay {

bool IsBatchNorm(Opcode opcode);

// Squares of every f64 fit.
using WideReal = long double;

// Sums over the cells of one feature, as magnitudes.
struct BatchNormMagnitudes {
  WideReal cells = 0;
  WideReal sum_abs = 0, mean_square = 0;  // of x
  WideReal mean = 0;
  WideReal variance = 0, least_variance = 0;     // about the mean
  WideReal sum_abs_dy = 0, sum_abs_product = 0;  // of dy, of dy (x - mean)
  WideReal mean_error = 0, variance_error = 0;   // training: the mean and variance are computed
};

// Where the cells of each feature lie in the operand, in row-major order.
class BatchNormCells {
 public:
  explicit BatchNormCells(const Instruction& instruction);
  int64_t features() const { return features_; }
  double count() const { return count_; }  // of one feature
  int64_t FeatureOf(int64_t place) const { return place / stride_ % features_; }
  // Calls visit(place).
  template <typename Visit>
  void ForEach(int64_t feature, Visit visit) const {
    for (int64_t first = feature * stride_; first < size_; first += features_ * stride_) {
      for (int64_t i = first; i < first + stride_; ++i) visit(i);
    }
  }
  // Of magnitudes x(place), no less than the exact sums.
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
  // Those of the gradient as well, of magnitudes of dy and x - mean.
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
  // More than the roundings of so few terms as have a bound.
  static constexpr WideReal kUp = 1 + 0x1p-30L;
  int64_t features_, size_, stride_ = 1;
  double count_;
};

class BatchNormErrors {
 public:
  // For elements of the type and so many cells of a feature.
  BatchNormErrors(const Instruction& instruction, ElementType type, double cells,
                  const TargetProfile& profile);

  // The type itself bounds nothing: errors are those of sums in f32.
  bool vacuous() const { return vacuous_; }
  double epsilon() const { return epsilon_; }
  double least_normal() const;
  // Of mean and variance that are computed from the cells.
  void FindStatistics(BatchNormMagnitudes* f) const;
  // Of an output, for magnitudes of x, x - mean, scale and offset; infinite where a variance
  // cancels.
  WideReal Normalized(const BatchNormMagnitudes& f, WideReal x, WideReal distance, WideReal scale,
                      WideReal offset) const;
  // Of the gradients of an operand, for magnitudes of x - mean, dy and scale, of the scale and of
  // the offset; infinite where the variance may not be positive.
  WideReal OperandGradient(const BatchNormMagnitudes& f, WideReal distance, WideReal dy,
                           WideReal scale) const;
  WideReal ScaleGradient(const BatchNormMagnitudes& f) const;
  WideReal OffsetGradient(const BatchNormMagnitudes& f) const;
  // The result of such a magnitude is rounded, and so is the golden one; or the error counts from
  // the exact one.
  WideReal Rounded(WideReal error, WideReal value) const;
  WideReal RoundedFromExact(WideReal error, WideReal value) const;

  // Whether sums and products on the way may be past the largest number of the type, in some order
  // (14.2, "Overflow"): those of the mean, of the variance by a form that the target may take, and
  // those that make an output of both.
  bool SumMayOverflow(WideReal magnitude) const { return !(magnitude * up_ <= largest_); }
  bool MeanMayOverflow(const BatchNormMagnitudes& f) const { return SumMayOverflow(f.sum_abs); }
  bool VarianceMayOverflow(const BatchNormMagnitudes& f) const;
  bool OutputMayOverflow(const BatchNormMagnitudes& f, WideReal x, WideReal scale,
                         WideReal offset) const;
  // The same of gradients, for the largest magnitude of x - mean.
  bool GradientMayOverflow(const BatchNormMagnitudes& f, WideReal distance, WideReal dy,
                           WideReal scale) const;
  // Whether that may take a divisor with it, and a term of the gradient.
  bool DivisorMayOverflow(const BatchNormMagnitudes& f) const;

 private:
  const ElementType type_;
  const double own_unit_, epsilon_;
  const bool one_pass_;
  bool vacuous_;
  double unit_;
  double up_;       // what roundings add to a magnitude
  double largest_;  // finite value of the type
  double lost_;     // what a result below the normal values loses
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_
