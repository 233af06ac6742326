// Doubles with a bound on their error. They decide nearly every result of up to 32 bits at a fifth
// of the cost of two doubles (real/dd_ball.h).
// Tests: linear_algebra_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_ROUGH_BALL_H_
#define ASSAY_EVALUATOR_KERNELS_ROUGH_BALL_H_

#include <cmath>
#include <limits>

#include "evaluator/real/ball.h"
#include "evaluator/real/enclosure.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {

// The ends of an enclosure as patterns. Rounding is monotone but for types in which values beyond
// the largest one of either sign are one NaN: so an enclosure of both signs is none.
inline real::Ends RoundEnds(ElementType type, double low, double high) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const bool known = (low > 0 && high <= kMost) || (high < 0 && low >= -kMost);
  if (!known) return {};
  return {EncodeFloat(type, low), EncodeFloat(type, high), true, 0};
}

// For real::Ball.
struct RoughArithmetic {
  using Float = double;
  static double kRoundoff() { return 0x1p-53; }
  static double kUnderflow() { return 0x1p-1074; }
  static double Abs(double x) { return std::fabs(x); }
  static double Sqrt(double x) { return std::sqrt(x); }
  static double Infinity() { return std::numeric_limits<double>::infinity(); }
};
using RoughBall = real::Ball<RoughArithmetic>;

inline real::Ends RoundBall(ElementType type, const RoughBall& ball) {
  if (ball.IsZero()) return real::DecidedEnds(EncodeFloat(type, 0.0));
  // Widens the bound by the rounding errors of the two ends.
  const double reach = RoughBall::Up(ball.rad) + std::fabs(ball.mid) * 0x1p-52;
  return RoundEnds(type, ball.mid - reach, ball.mid + reach);
}

// Returns true if the type is so much narrower than a double that this decides most results.
inline bool SuitsRoughBalls(ElementType type) { return IsFloat(type) && Info(type).bits <= 32; }

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_ROUGH_BALL_H_
