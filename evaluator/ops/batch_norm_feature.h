// Batch normalisation of one feature in exact arithmetic: every element of the three operations is
// a + b / sqrt(w) with dyadic numbers a, b and w, or a rational number, and is rounded once without
// an enclosure. The definitions compute this way, and so do the kernels where two doubles do not
// decide a rounding. Source: reference ops_structural.md 9. Tests: every_path_test.cc,
// linear_algebra_kernels_test.cc.
//
// Operands that are infinite or NaN, and var + epsilon that is not positive, act as in the formulas
// evaluated with infinities: only whether a factor is zero, finite (and its sign), infinite or NaN
// counts then. An exact zero is +0, a mean or a sum of negative zeros alone -0.
#ifndef ASSAY_EVALUATOR_OPS_BATCH_NORM_FEATURE_H_
#define ASSAY_EVALUATOR_OPS_BATCH_NORM_FEATURE_H_

#include <cstdint>

#include "evaluator/real/dd_ball.h"
#include "evaluator/real/dyadic.h"
#include "evaluator/real/exact_sum.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// Returns the attribute epsilon, an f32, rounded to the element type of the operand.
double BatchNormEpsilon(const Instruction& instruction);

// The mean, and the variance plus epsilon, of one feature. They are computed from the cells or
// given.
class BatchNormStatistics {
 public:
  // Computes the statistics of `count` cells from their sum and the sum of their squares.
  BatchNormStatistics(const ExactSum& sum, const ExactSum& squares, int64_t count, double epsilon);
  BatchNormStatistics(double mean, double variance, double epsilon);

  // Return the rounded mean, and the rounded variance without epsilon. Only for statistics computed
  // from cells.
  uint64_t Mean(ElementType type) const;
  uint64_t Variance(ElementType type) const;

  // Returns scale * (x - mean) / sqrt(variance + epsilon) + offset, rounded once.
  uint64_t Normalized(ElementType type, double x, double scale, double offset) const;

  // The mean and the root as balls, for kernels. `ordinary` is true if both are finite and the root
  // is not zero.
  bool ordinary() const { return mean_class_ == 0 && root_class_ == 1; }
  real::DdBall MeanBall() const;
  real::DdBall RootBall() const;

 private:
  friend class BatchNormGradient;
  void SetSquare(const real::Dyadic& square);
  // Returns the class of x - mean: its sign if both are finite.
  double DistanceClass(double x) const;

  int64_t count_ = 1;
  real::Dyadic total_;     // mean = total_ / count_
  real::Dyadic spread_;    // variance = spread_ / count_^2
  real::Dyadic square_;    // variance + epsilon = square_ / count_^2
  double rounded_total_;   // -0 if all cells are -0
  double mean_class_ = 0;  // the mean if it is not finite
  double root_class_ = 1;  // sqrt(variance + epsilon): 0, 1 for any positive number, inf, NaN
};

class BatchNormGradient {
 public:
  BatchNormGradient(double mean, double variance, double epsilon);

  // Add every cell with its gradient, then call Finish(), then read the results.
  void Add(double x, double dy);
  void Finish();

  uint64_t Offset(ElementType type) const { return gradients_.Round(type); }
  uint64_t Scale(ElementType type) const;
  uint64_t Operand(ElementType type, double x, double dy, double scale) const;

  // operand gradient = scale / (m s^3) * ((m dy - P) s^2 - (x - mean) Q), s^2 = variance + epsilon.
  bool ordinary() const;
  int64_t count() const { return count_; }
  real::DdBall GradientSum() const;  // P
  real::DdBall CenteredSum() const;  // Q
  real::DdBall Square() const;       // s^2

 private:
  real::Dyadic Bracket(double x, double dy) const;
  double CenteredClass() const;

  double mean_;
  BatchNormStatistics statistics_;
  ExactSum gradients_;  // P
  ExactSum products_;   // the sum of dy x, if all terms are finite
  int64_t count_ = 0;
  double special_ = 0;  // the sum of the terms of Q that are not finite, or 0
  real::Dyadic gradient_sum_, centered_sum_;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_BATCH_NORM_FEATURE_H_
