// The formulas of the last tiers; included by big_tier_<precision>.cc only.
// Source: reference accuracy_design.md 7.
#ifndef ASSAY_EVALUATOR_REAL_BIG_TIER_IMPL_H_
#define ASSAY_EVALUATOR_REAL_BIG_TIER_IMPL_H_

#include <cmath>

#include "evaluator/real/big_math.h"
#include "evaluator/real/big_tier.h"
#include "evaluator/real/complex_formulas.h"
#include "evaluator/real/tier_bounds.h"

namespace assay::evaluator::real {

template <class Math>
typename Math::Float BigTan(double x) {
  typename Math::Float sine, cosine;
  Math::SinCos(x, 0, sine, cosine);
  return sine / cosine;
}

template <class Math>
typename Math::Float BigValue(RealFunction function, double argument) {
  using Float = typename Math::Float;
  if (std::isinf(argument)) {  // of kAtan, the one that is no special value
    return argument > 0 ? Float(Math::Pi() / 2) : Float(-Math::Pi() / 2);
  }
  const Float x = argument;
  const Float size = fabs(x);
  // Odd functions whose formula wants a positive argument.
  const auto odd = [&](const Float& value) { return argument < 0 ? Float(-value) : value; };
  switch (function) {
    case RealFunction::kAcos:
      if (argument == -1) return Math::Pi();
      return 2 * Math::Atan(sqrt(Float((1 - x) / (1 + x))));
    case RealFunction::kAcosh: {
      const Float t = x - 1;
      return Math::Log1p(Float(t + sqrt(Float(t * (t + 2)))));
    }
    case RealFunction::kAsin:
      if (size == 1) return odd(Math::Pi() / 2);
      return Math::Atan(Float(x / sqrt(Float((1 - x) * (1 + x)))));
    case RealFunction::kAsinh:
      return odd(Math::Log1p(Float(size + x * x / (1 + sqrt(Float(1 + x * x))))));
    case RealFunction::kAtan:
      return Math::Atan(x);
    case RealFunction::kAtanh:
      return odd(Math::Log1p(Float(2 * size / (1 - size))) / 2);
    case RealFunction::kCbrt:
      return odd(Math::Exp(Float(Math::Log(size) / 3)));
    case RealFunction::kCosh:
      return Math::Cosh(x);
    case RealFunction::kErf:
      return Math::Erf(x);
    case RealFunction::kExp:
      return Math::Exp(x);
    case RealFunction::kExpm1:
      return Math::Expm1(x);
    case RealFunction::kLog:
      return Math::Log(x);
    case RealFunction::kLog1p:
      return Math::Log1p(x);
    case RealFunction::kLogistic:
      return 1 / (1 + Math::Exp(Float(-x)));
    case RealFunction::kRsqrt:
      return 1 / sqrt(x);
    case RealFunction::kCos:
    case RealFunction::kSin: {
      Float sine, cosine;
      Math::SinCos(argument, 0, sine, cosine);
      return function == RealFunction::kSin ? sine : cosine;
    }
    case RealFunction::kSinh:
      return Math::Sinh(x);
    case RealFunction::kSqrt:
      return sqrt(x);
    case RealFunction::kTan:
      return BigTan<Math>(argument);
    case RealFunction::kTanh: {
      const Float e = Math::Expm1(Float(2 * size));
      return odd(e / (e + 2));
    }
    case RealFunction::kAbs:
    case RealFunction::kSign:
      break;  // complex only
  }
  return Float(0);
}

template <class Math>
typename Math::Float BigAtan2(double y, double x) {
  using Float = typename Math::Float;
  const bool left = std::signbit(x);
  Float angle;  // of |y|
  if (y == 0) {
    angle = Math::Pi();  // x is negative or -0, or the value would be a special one
  } else if (std::isinf(x)) {
    const int eighths = std::isinf(y) ? (left ? 3 : 1) : 4;
    angle = Math::Pi() * eighths / 4;
  } else if (std::isinf(y)) {
    angle = Math::Pi() / 2;
  } else {
    angle = Math::Atan2(Float(std::fabs(y)), Float(x));
  }
  return std::signbit(y) ? Float(-angle) : angle;
}

// Finite x and y, x not 0 or 1, y not 0. The logarithm's error of 2^45 units is multiplied by at
// most |y log x| < 2^15 where Exp does not clamp.
template <class Math>
typename Math::Float BigPower(double x, double y) {
  using Float = typename Math::Float;
  const Float value = Math::Exp(Float(y * Math::Log(Float(std::fabs(x)))));
  const bool odd = x < 0 && std::fabs(y) < 0x1p53 && std::fmod(y, 2) != 0;
  return odd ? Float(-value) : value;
}

// The leading 127 bits of a number and a sticky bit for the rest.
template <class Float>
Unrounded Leading(const Float& value) {
  if (value == 0) return {};
  int exponent;
  const Float scaled = ldexp(frexp(Float(fabs(value)), &exponent), 127);
  const Float whole = trunc(scaled);
  return {value < 0, static_cast<unsigned __int128>(whole), exponent - 127, whole != scaled};
}

template <class Float>
Ends RoundBig(ElementType type, const Float& low, const Float& high, const Float& middle) {
  return {RoundToFloat(type, Leading(low)), RoundToFloat(type, Leading(high)), true,
          RoundToFloat(type, Leading(middle))};
}

template <class Float>
Ends RoundRelative(ElementType type, const Float& value, int bound_log2) {
  const Float reach = ldexp(Float(fabs(value)), bound_log2);
  return RoundBig(type, Float(value - reach), Float(value + reach), value);
}

template <int kPrecision>
Ends BigTier<kPrecision>::Evaluate(RealFunction function, ElementType type, double x) {
  return RoundRelative(type, BigValue<BigMath<kPrecision + 64>>(function, x),
                       BoundLog2(function, Arithmetic::kLong) - kPrecision);
}

template <int kPrecision>
Ends BigTier<kPrecision>::Evaluate(RealFunction2 function, ElementType type, double a, double b) {
  using Math = BigMath<kPrecision + 64>;
  return RoundRelative(
      type, function == RealFunction2::kAtan2 ? BigAtan2<Math>(a, b) : BigPower<Math>(a, b),
      BoundLog2(function, Arithmetic::kLong) - kPrecision);
}

template <class Math>
Ends RoundBall(ElementType type, const Ball<Math>& ball) {
  using Float = typename Math::Float;
  if (!isfinite(ball.mid) || !isfinite(ball.rad)) return {};
  const Float reach = ball.rad * (1 + 0x1p-20) + fabs(ball.mid) * Math::kRoundoff();
  if (ball.IsZero()) return DecidedEnds(RoundToFloat(type, Unrounded{}));
  return RoundBig(type, Float(ball.mid - reach), Float(ball.mid + reach), ball.mid);
}

template <int kPrecision>
ComplexEnds BigTier<kPrecision>::Evaluate(const ComplexCall& call, ElementType type) {
  const auto value = EvaluateCall<BigMath<kPrecision + 64>>(call);
  return {RoundBall(type, value.re), RoundBall(type, value.im)};
}

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_BIG_TIER_IMPL_H_
