// How far conforming results of batch normalisation may be from exact ones (reference
// ops_structural.md 14.6): errors of mean and variance as sums, by either form of the variance, and
// what they do to the output behind it. Every error rises with the magnitudes that it is given, so
// that the largest of several may stand for all. Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_
#define ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_

#include "spec/ir/module.h"

namespace assay {

bool IsBatchNorm(Opcode opcode);

// Sums over the cells of one feature, as magnitudes.
struct BatchNormMagnitudes {
  double cells = 0;
  double sum_abs = 0, mean_square = 0;  // of x
  double mean = 0;
  double variance = 0, least_variance = 0;     // about the mean
  double sum_abs_dy = 0, sum_abs_product = 0;  // of dy, of dy (x - mean)
  double mean_error = 0, variance_error = 0;   // training: the mean and variance are computed
};

class BatchNormErrors {
 public:
  // For elements of the type and so many cells of a feature; `one_pass`: a variance may also be
  // E[x^2] - E[x]^2.
  BatchNormErrors(const Instruction& instruction, ElementType type, double cells, bool one_pass);

  // The type itself bounds nothing: errors are those of sums in f32.
  bool vacuous() const { return vacuous_; }
  double epsilon() const { return epsilon_; }
  // Of mean and variance that are computed from the cells.
  void FindStatistics(BatchNormMagnitudes* f) const;
  // Of an output, for magnitudes of x, x - mean, scale and offset; infinite where a variance
  // cancels.
  double Normalized(const BatchNormMagnitudes& f, double x, double distance, double scale,
                    double offset) const;
  // Of the gradients of an operand, for magnitudes of x - mean, dy and scale, of the scale and of
  // the offset; infinite where the variance may not be positive.
  double OperandGradient(const BatchNormMagnitudes& f, double distance, double dy,
                         double scale) const;
  double ScaleGradient(const BatchNormMagnitudes& f) const;
  double OffsetGradient(const BatchNormMagnitudes& f) const;
  // The result of such a magnitude is rounded, and so is the golden one.
  double Rounded(double error, double value) const;

 private:
  const ElementType type_;
  const double own_unit_, epsilon_;
  const bool one_pass_;
  bool vacuous_;
  double unit_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_BATCH_NORM_ERRORS_H_
