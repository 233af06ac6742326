#include "conformance/judge/batch_norm_errors.h"

#include <algorithm>
#include <cmath>

#include "conformance/judge/bounds.h"
#include "evaluator/ops/batch_norm_feature.h"

namespace assay::conformance {

bool IsBatchNorm(Opcode opcode) {
  return opcode == Opcode::kBatchNormGrad || opcode == Opcode::kBatchNormInference ||
         opcode == Opcode::kBatchNormTraining;
}

BatchNormCells::BatchNormCells(const Instruction& instruction) {
  const Shape& shape = instruction.operand(0)->shape();
  const int64_t axis = instruction.GetInt(Attr::kFeatureIndex);
  features_ = shape.dimension(axis);
  size_ = shape.element_count();
  for (int64_t d = axis + 1; d < shape.rank(); ++d) stride_ *= shape.dimension(d);
  count_ = features_ == 0 ? 0 : static_cast<double>(size_) / static_cast<double>(features_);
}

BatchNormErrors::BatchNormErrors(const Instruction& instruction, ElementType type, double cells,
                                 const TargetProfile& profile)
    : type_(type),
      own_unit_(UnitRoundoff(type)),
      epsilon_(evaluator::BatchNormEpsilon(instruction)),
      one_pass_(profile.linear_algebra().one_pass_variance),
      vacuous_(!(Gamma(cells + 16, own_unit_) < 1)),
      // The sum is accumulated in f32 and rounded once.
      unit_(vacuous_ ? std::min(own_unit_, UnitRoundoff(ElementType::kF32)) : own_unit_),
      up_(1 + std::min(1.0, Gamma(cells + 16, unit_))),
      largest_(DecodeFloat(type, MaxFinite(type))),
      lost_(4 * (profile.MayFlushOperands(type) || profile.MayFlushResults(type)
                     ? SmallestNormal(type)
                     : UlpOf(type, 0))) {}

double BatchNormErrors::least_normal() const { return SmallestNormal(type_); }

void BatchNormErrors::FindStatistics(BatchNormMagnitudes* f) const {
  const double cells = static_cast<double>(f->cells);
  const WideReal e = Gamma(cells + 1, unit_) * f->sum_abs / f->cells + lost_;
  const WideReal two_pass = Gamma(cells + 4, unit_) * (f->variance + e * e) + e * e;
  const WideReal one_pass = Gamma(cells + 3, unit_) * f->mean_square +
                            Gamma(2, unit_) * (f->mean + e) * (f->mean + e) + 2 * f->mean * e +
                            e * e;
  f->mean_error = e;
  f->variance_error = (one_pass_ ? std::max(two_pass, one_pass) : two_pass) + lost_;
}

WideReal BatchNormErrors::Normalized(const BatchNormMagnitudes& f, WideReal x, WideReal distance,
                                     WideReal scale, WideReal offset) const {
  const WideReal w = f.least_variance + epsilon_, rho = f.variance_error / w, e = f.mean_error;
  if (!(w > 0) || !(rho <= 0.5)) return kInfinity;
  const WideReal root = std::sqrt(w), factor = scale / root;
  // The formula x k + (offset - mean k) has the larger terms.
  return factor * (e + (distance + e) * rho) + Gamma(9, unit_) * factor * (x + f.mean + e) +
         Gamma(2, unit_) * offset + lost_ * (1 + x + f.mean + e + (1 + scale) / root);
}

WideReal BatchNormErrors::OperandGradient(const BatchNormMagnitudes& f, WideReal distance,
                                          WideReal dy, WideReal scale) const {
  const WideReal w = f.least_variance + epsilon_;
  if (!(w > 0)) return kInfinity;
  const WideReal factor = scale / (std::sqrt(w) * f.cells);
  const WideReal terms = f.cells * dy + f.sum_abs_dy + distance * f.sum_abs_product / w;
  const WideReal lost = 1 + 2 * f.cells + (1 + distance * f.cells + f.sum_abs_product) / w;
  return factor * Gamma(static_cast<double>(f.cells) + 16, unit_) * terms +
         lost_ * (1 + terms + factor * lost);
}

WideReal BatchNormErrors::ScaleGradient(const BatchNormMagnitudes& f) const {
  const WideReal w = f.least_variance + epsilon_;
  if (!(w > 0)) return kInfinity;
  return (Gamma(static_cast<double>(f.cells) + 6, unit_) * f.sum_abs_product +
          lost_ * (f.cells + f.sum_abs_dy)) /
             std::sqrt(w) +
         lost_ * f.sum_abs_product;
}

WideReal BatchNormErrors::OffsetGradient(const BatchNormMagnitudes& f) const {
  const double cells = static_cast<double>(f.cells);
  return Gamma(std::max(0.0, cells - 1), unit_) * f.sum_abs_dy;
}

WideReal BatchNormErrors::Rounded(WideReal error, WideReal value) const {
  return error + own_unit_ * (2 * value + error) + SmallestNormal(type_);
}

WideReal BatchNormErrors::RoundedFromExact(WideReal error, WideReal value) const {
  return error + own_unit_ * (value + error) + SmallestNormal(type_);
}

bool BatchNormErrors::VarianceMayOverflow(const BatchNormMagnitudes& f) const {
  const WideReal spread = f.variance + f.mean_error * f.mean_error;
  return MeanMayOverflow(f) || SumMayOverflow(f.cells * spread) ||
         (one_pass_ && SumMayOverflow(f.cells * f.mean_square));
}

bool BatchNormErrors::OutputMayOverflow(const BatchNormMagnitudes& f, WideReal x, WideReal scale,
                                        WideReal offset) const {
  const WideReal distance = x + f.mean + f.mean_error;
  // The inverse root for a variance that may be wrong by half of w.
  const WideReal inverse = 2 / std::sqrt(f.least_variance + epsilon_);
  return SumMayOverflow(std::max(distance, inverse)) ||
         SumMayOverflow(scale * std::max(distance, inverse)) ||
         SumMayOverflow(std::max<WideReal>(scale, 1) * inverse * distance + offset);
}

bool BatchNormErrors::GradientMayOverflow(const BatchNormMagnitudes& f, WideReal distance,
                                          WideReal dy, WideReal scale) const {
  const WideReal w = f.least_variance + epsilon_, inverse = 1 / std::sqrt(w);
  const WideReal terms = f.cells * (dy + f.sum_abs_dy) + std::max<WideReal>(1, distance) *
                                                             f.sum_abs_product *
                                                             std::max<WideReal>(1, 1 / w);
  return SumMayOverflow(distance * std::max<WideReal>(1, f.sum_abs_dy)) || SumMayOverflow(terms) ||
         SumMayOverflow(std::max<WideReal>(1, scale) * std::max<WideReal>(1, inverse) *
                        std::max<WideReal>(1, terms));
}

bool BatchNormErrors::DivisorMayOverflow(const BatchNormMagnitudes& f) const {
  const WideReal w = f.variance + std::fabs(epsilon_);
  return SumMayOverflow(f.cells * w * std::max<WideReal>(1, std::sqrt(w)));
}

}  // namespace assay::conformance
