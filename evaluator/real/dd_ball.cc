#include "evaluator/real/dd_ball.h"

#include <bit>

#include "spec/element/element.h"

namespace assay::evaluator::real {
namespace {

// Rounds high + low once, |low| at most half a unit of the last place of `high`.
uint64_t RoundPair(ElementType type, double high, double low) {
  if (type == ElementType::kF64 || low == 0) return EncodeFloat(type, high);
  // Cut towards zero and made odd, which keeps the side of every tie of a type of at most 51 bits.
  auto bits = std::bit_cast<uint64_t>(high);
  if (std::signbit(high) != std::signbit(low)) --bits;
  return EncodeFloat(type, std::bit_cast<double>(bits | 1));
}

}  // namespace

Ends RoundBall(ElementType type, const DdBall& ball) {
  if (!std::isfinite(ball.hi) || !std::isfinite(ball.rad)) return {};
  if (ball.IsZero()) return DecidedEnds(EncodeFloat(type, 0.0));
  const auto end = [&](double low) {
    double rest;
    const double high = TwoSum(ball.hi, low, rest);
    return RoundPair(type, high, rest);
  };
  if (ball.rad == 0) return DecidedEnds(end(ball.lo));
  // Makes up for the roundings of the two sums.
  const double reach = ball.rad * (1 + 0x1p-48) + std::fabs(ball.lo) * 0x1p-52 + 0x1p-1074;
  return {end(ball.lo - reach), end(ball.lo + reach), true, 0};
}

}  // namespace assay::evaluator::real
