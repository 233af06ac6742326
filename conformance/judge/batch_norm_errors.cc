#include "conformance/judge/batch_norm_errors.h"

#include <algorithm>
#include <cmath>

#include "conformance/judge/bounds.h"
#include "evaluator/ops/batch_norm_feature.h"

namespace assay {

bool IsBatchNorm(Opcode opcode) {
  return opcode == Opcode::kBatchNormGrad || opcode == Opcode::kBatchNormInference ||
         opcode == Opcode::kBatchNormTraining;
}

BatchNormErrors::BatchNormErrors(const Instruction& instruction, ElementType type, double cells,
                                 bool one_pass)
    : type_(type),
      own_unit_(UnitRoundoff(type)),
      epsilon_(BatchNormEpsilon(instruction)),
      one_pass_(one_pass),
      vacuous_(!(Gamma(cells + 16, own_unit_) < 1)),
      // Accumulated in f32, rounded once.
      unit_(vacuous_ ? std::min(own_unit_, UnitRoundoff(ElementType::kF32)) : own_unit_) {}

void BatchNormErrors::FindStatistics(BatchNormMagnitudes* f) const {
  const double e = Gamma(f->cells + 1, unit_) * f->sum_abs / f->cells;
  const double two_pass = Gamma(f->cells + 4, unit_) * (f->variance + e * e) + e * e;
  const double one_pass = Gamma(f->cells + 3, unit_) * f->mean_square +
                          Gamma(2, unit_) * (f->mean + e) * (f->mean + e) + 2 * f->mean * e + e * e;
  f->mean_error = e;
  f->variance_error = one_pass_ ? std::max(two_pass, one_pass) : two_pass;
}

double BatchNormErrors::Normalized(const BatchNormMagnitudes& f, double x, double distance,
                                   double scale, double offset) const {
  const double w = f.least_variance + epsilon_, rho = f.variance_error / w, e = f.mean_error;
  if (!(rho <= 0.5)) return kInfinity;
  const double factor = scale / std::sqrt(w);
  // x k + (offset - mean k), whose terms are the larger ones.
  return factor * (e + (distance + e) * rho) + Gamma(9, unit_) * factor * (x + f.mean + e) +
         Gamma(2, unit_) * offset;
}

double BatchNormErrors::OperandGradient(const BatchNormMagnitudes& f, double distance, double dy,
                                        double scale) const {
  const double w = f.least_variance + epsilon_;
  if (!(w > 0)) return kInfinity;
  return scale / (std::sqrt(w) * f.cells) * Gamma(f.cells + 16, unit_) *
         (f.cells * dy + f.sum_abs_dy + distance * f.sum_abs_product / w);
}

double BatchNormErrors::ScaleGradient(const BatchNormMagnitudes& f) const {
  const double w = f.least_variance + epsilon_;
  return w > 0 ? Gamma(f.cells + 6, unit_) * f.sum_abs_product / std::sqrt(w) : kInfinity;
}

double BatchNormErrors::OffsetGradient(const BatchNormMagnitudes& f) const {
  return Gamma(std::max(0.0, f.cells - 1), unit_) * f.sum_abs_dy;
}

double BatchNormErrors::Rounded(double error, double value) const {
  return error + own_unit_ * (2 * value + error) + SmallestNormal(type_);
}

}  // namespace assay
