#include "evaluator/ops/batch_norm_feature.h"

#include <cmath>
#include <limits>

#include "evaluator/ops/special_elements.h"
#include "spec/element/element.h"

namespace assay::evaluator {
namespace {

using real::DdBall;
using real::Dyadic;

double Rounded(const ExactSum& sum) {
  return DecodeFloat(ElementType::kF64, sum.Round(ElementType::kF64));
}

// A zero loses its sign.
uint64_t Encoded(ElementType type, double value) {
  return std::isnan(value) ? CanonicalNan(type) : EncodeFloat(type, value + 0.0);
}

}  // namespace

double BatchNormEpsilon(const Instruction& instruction) {
  const ElementType type = instruction.operand(0)->shape().element_type();
  const uint64_t epsilon = EncodeFloat(ElementType::kF32, instruction.GetFloat(Attr::kEpsilon));
  return DecodeFloat(type, EncodeFloat(type, DecodeFloat(ElementType::kF32, epsilon)));
}

BatchNormStatistics::BatchNormStatistics(const ExactSum& sum, const ExactSum& squares,
                                         int64_t count, double epsilon)
    : count_(count), rounded_total_(Rounded(sum)) {
  if (count == 0 || !sum.is_finite()) {
    mean_class_ = count == 0 ? std::numeric_limits<double>::quiet_NaN() : rounded_total_;
    root_class_ = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const Dyadic m(Dyadic::Integer(count), 0);
  total_ = Dyadic(sum);
  spread_ = m * Dyadic(squares) - total_ * total_;
  if (std::isfinite(epsilon)) {
    SetSquare(spread_ + m * m * Dyadic(epsilon));
  } else {
    root_class_ = std::sqrt(epsilon);
  }
}

BatchNormStatistics::BatchNormStatistics(double mean, double variance, double epsilon)
    : rounded_total_(mean) {
  if (std::isfinite(mean)) {
    total_ = mean;
  } else {
    mean_class_ = mean;
  }
  if (std::isfinite(variance) && std::isfinite(epsilon)) {
    SetSquare(Dyadic(variance) + Dyadic(epsilon));
  } else {
    root_class_ = std::sqrt(variance + epsilon);
  }
}

void BatchNormStatistics::SetSquare(const Dyadic& square) {
  square_ = square;
  if (square.Sign() > 0) return;
  root_class_ = square.IsZero() ? 0 : std::numeric_limits<double>::quiet_NaN();
}

uint64_t BatchNormStatistics::Mean(ElementType type) const {
  if (mean_class_ != 0) return Encoded(type, mean_class_);
  if (total_.IsZero()) return EncodeFloat(type, rounded_total_);
  return real::RoundQuotient(type, total_, Dyadic(Dyadic::Integer(count_), 0));
}

uint64_t BatchNormStatistics::Variance(ElementType type) const {
  if (mean_class_ != 0) return CanonicalNan(type);
  const Dyadic m(Dyadic::Integer(count_), 0);
  return real::RoundQuotient(type, spread_, m * m);
}

double BatchNormStatistics::DistanceClass(double x) const {
  if (mean_class_ != 0 || !std::isfinite(x)) return x - mean_class_;
  return (Dyadic(x) * Dyadic(Dyadic::Integer(count_), 0) - total_).Sign();
}

uint64_t BatchNormStatistics::Normalized(ElementType type, double x, double scale,
                                         double offset) const {
  if (ordinary() && std::isfinite(x) && std::isfinite(scale) && std::isfinite(offset)) {
    const Dyadic distance = Dyadic(x) * Dyadic(Dyadic::Integer(count_), 0) - total_;
    return real::RoundWithRoot(type, offset, Dyadic(scale) * distance, square_);
  }
  const double term = ClassOf(scale) * DistanceClass(x) / root_class_;
  if (!std::isfinite(term)) return Encoded(type, term + offset);
  // The term is finite beside an infinite offset, or zero by an infinite root.
  return Encoded(type, offset);
}

DdBall BatchNormStatistics::MeanBall() const {
  return real::BallOf(total_) / DdBall(static_cast<double>(count_));
}

DdBall BatchNormStatistics::RootBall() const {
  return Sqrt(real::BallOf(square_)) / DdBall(static_cast<double>(count_));
}

BatchNormGradient::BatchNormGradient(double mean, double variance, double epsilon)
    : mean_(mean), statistics_(mean, variance, epsilon) {}

void BatchNormGradient::Add(double x, double dy) {
  ++count_;
  gradients_.Add(dy);
  if (std::isfinite(x) && std::isfinite(dy) && std::isfinite(mean_)) {
    products_.AddProduct(dy, x);
  } else {
    special_ += ClassOf(dy) * (std::isfinite(x) && std::isfinite(mean_)
                                   ? static_cast<double>((x > mean_) - (x < mean_))
                                   : x - mean_);
  }
}

void BatchNormGradient::Finish() {
  if (gradients_.is_finite()) gradient_sum_ = Dyadic(gradients_);
  if (special_ == 0) centered_sum_ = Dyadic(products_) - statistics_.total_ * gradient_sum_;
}

double BatchNormGradient::CenteredClass() const {
  return special_ != 0 ? special_ : centered_sum_.Sign();
}

bool BatchNormGradient::ordinary() const {
  return statistics_.ordinary() && special_ == 0 && gradients_.is_finite();
}

uint64_t BatchNormGradient::Scale(ElementType type) const {
  if (count_ == 0) return EncodeFloat(type, 0.0);
  if (special_ == 0 && statistics_.root_class_ == 1) {
    return real::RoundWithRoot(type, Dyadic(), centered_sum_, statistics_.square_);
  }
  return Encoded(type, CenteredClass() / statistics_.root_class_);
}

// (m dy - P) s^2 - (x - mean) Q.
Dyadic BatchNormGradient::Bracket(double x, double dy) const {
  const Dyadic m(Dyadic::Integer(count_), 0);
  return (m * Dyadic(dy) - gradient_sum_) * statistics_.square_ -
         (Dyadic(x) - statistics_.total_) * centered_sum_;
}

uint64_t BatchNormGradient::Operand(ElementType type, double x, double dy, double scale) const {
  const bool exact = ordinary() && std::isfinite(x) && std::isfinite(dy);
  if (exact && std::isfinite(scale)) {
    const Dyadic m(Dyadic::Integer(count_), 0), w = statistics_.square_;
    return real::RoundWithRoot(type, Dyadic(), Dyadic(scale) * Bracket(x, dy), m * m * w * w * w);
  }
  const double root = statistics_.root_class_;
  double bracket;
  if (exact) {
    bracket = Bracket(x, dy).Sign();
  } else {
    const double p = gradients_.is_finite() ? gradient_sum_.Sign() : Rounded(gradients_);
    bracket = ClassOf(dy) - p - statistics_.DistanceClass(x) * CenteredClass() / root;
  }
  return Encoded(type, ClassOf(scale) / root * bracket);
}

DdBall BatchNormGradient::GradientSum() const { return real::BallOf(gradient_sum_); }
DdBall BatchNormGradient::CenteredSum() const { return real::BallOf(centered_sum_); }
DdBall BatchNormGradient::Square() const { return real::BallOf(statistics_.square_); }

}  // namespace assay::evaluator
