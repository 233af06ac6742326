// Ball arithmetic on the hardware's and the C library's types. Tests: complex_functions_test.cc.
#include "evaluator/real/complex_tiers.h"

#include <cmath>
#include <limits>

#include "evaluator/real/complex_formulas.h"
#include "evaluator/real/dd_ball.h"
#include "evaluator/real/quad_functions.h"

namespace assay::evaluator::real {
namespace {

// Products of f32 values and results of functions on them stay far above 2^-1000 wherever they
// matter to an f32 result; what underflows is covered by kUnderflow.
struct DoubleMath {
  using Float = double;
  static double Abs(double x) { return std::fabs(x); }
  static double Sqrt(double x) { return std::sqrt(x); }
  static double Scale(double x, int exponent) { return std::ldexp(x, exponent); }
  static double Infinity() { return std::numeric_limits<double>::infinity(); }
  static double kRoundoff() { return 0x1p-52; }
  static double kFunctionError() { return 0x1p-46; }
  static double kUnderflow() { return 0x1p-1000; }
  static double Exp(double x) { return std::exp(x); }
  static double Expm1(double x) { return std::expm1(x); }
  static double Log(double x) { return std::log(x); }
  static double Log1p(double x) { return std::log1p(x); }
  static double Sinh(double x) { return std::sinh(x); }
  static double Cosh(double x) { return std::cosh(x); }
  static double Atan2(double y, double x) { return std::atan2(y, x); }
  static void SinCos(double x, int scale, double& sine, double& cosine) {
    const double scaled = std::ldexp(x, scale);
    sine = std::sin(scaled);
    cosine = std::cos(scaled);
  }
  static void SinCosOf(double x, double& sine, double& cosine, double& error) {
    SinCos(x, 0, sine, cosine);
    error = kFunctionError();
  }
};

Ends RoundBall(ElementType type, const Ball<DoubleMath>& ball) {
  if (ball.IsZero()) return DecidedEnds(EncodeFloat(type, 0.0));
  if (!std::isfinite(ball.mid) || !std::isfinite(ball.rad)) return {};
  const double reach = ball.rad + std::fabs(ball.mid) * 0x1p-50 + 0x1p-1000;
  return {EncodeFloat(type, ball.mid - reach), EncodeFloat(type, ball.mid + reach), true,
          EncodeFloat(type, ball.mid)};
}

#if defined(ASSAY_HAS_QUAD)
struct QuadMath {
  using Float = __float128;
  static Float Abs(Float x) { return x < 0 ? -x : x; }
  static Float Sqrt(Float x) { return assay_quad_sqrt(x); }
  static Float Scale(Float x, int exponent) { return x * std::ldexp(1.0, exponent); }
  static Float Infinity() { return std::numeric_limits<double>::infinity(); }
  static Float kRoundoff() { return 0x1p-111; }
  static Float kFunctionError() { return 0x1p-102; }
  static Float kUnderflow() { return PowerOfTwo(-16300); }
  static Float Exp(Float x) { return assay_quad_exp(x); }
  static Float Expm1(Float x) { return assay_quad_expm1(x); }
  static Float Log(Float x) { return assay_quad_log(x); }
  static Float Log1p(Float x) { return assay_quad_log1p(x); }
  static Float Sinh(Float x) { return assay_quad_sinh(x); }
  static Float Cosh(Float x) { return assay_quad_cosh(x); }
  static Float Atan2(Float y, Float x) { return assay_quad_atan2(y, x); }
  static void SinCos(double x, int scale, Float& sine, Float& cosine) {
    const Float scaled = Scale(x, scale);
    sine = assay_quad_sin(scaled);
    cosine = assay_quad_cos(scaled);
  }
  static void SinCosOf(Float x, Float& sine, Float& cosine, Float& error) {
    sine = assay_quad_sin(x);
    cosine = assay_quad_cos(x);
    error = kFunctionError();
  }
  // Normal numbers only.
  static Float PowerOfTwo(int exponent) {
    return __builtin_bit_cast(Float, static_cast<unsigned __int128>(exponent + 16383) << 112);
  }
};

Ends RoundBall(ElementType type, const Ball<QuadMath>& ball) {
  if (ball.IsZero()) return DecidedEnds(EncodeFloat(type, 0.0));
  const __float128 limit = QuadMath::PowerOfTwo(16000);
  if (!(QuadMath::Abs(ball.mid) < limit) || !(ball.rad < limit)) return {};
  const __float128 reach =
      ball.rad + QuadMath::Abs(ball.mid) * 0x1p-110 + QuadMath::PowerOfTwo(-16200);
  return {RoundToFloat(type, UnpackQuad(ball.mid - reach)),
          RoundToFloat(type, UnpackQuad(ball.mid + reach)), true,
          RoundToFloat(type, UnpackQuad(ball.mid))};
}
#endif

}  // namespace

ComplexEnds ComplexDoubleTier(const ComplexCall& call, ElementType type) {
  if (type != ElementType::kF32) return {};
  const auto value = EvaluateCall<DoubleMath>(call);
  return {RoundBall(type, value.re), RoundBall(type, value.im)};
}

ComplexEnds ComplexDdTier(RealFunction2 function, ElementType type, double a, double b, double c,
                          double d) {
  for (double part : {a, b, c, d}) {
    if (!std::isfinite(part)) return {};
  }
  const ComplexOf<DdBall> x(a, b), y(c, d);
  // The sign of an exact zero is left to the integers.
  const auto round_unless_zero = [type](const DdBall& part) {
    return part.hi == 0 ? Ends() : RoundBall(type, part);
  };
  if (function == RealFunction2::kDivide) {
    const ComplexOf<DdBall> quotient = x / y;
    return {round_unless_zero(quotient.re), round_unless_zero(quotient.im)};
  }
  if (type == ElementType::kF32) {
    // Products are exact in double and their sum in two, whose upper one has the sign of a zero.
    DdBall re, im;
    re.hi = TwoSum(a * c, -(b * d), re.lo);
    im.hi = TwoSum(a * d, b * c, im.lo);
    const auto round = [type](const DdBall& sum) {
      return sum.hi == 0 ? DecidedEnds(EncodeFloat(type, sum.hi)) : RoundBall(type, sum);
    };
    return {round(re), round(im)};
  }
  const ComplexOf<DdBall> product = x * y;
  return {round_unless_zero(product.re), round_unless_zero(product.im)};
}

#if defined(ASSAY_HAS_QUAD)
ComplexEnds ComplexQuadTier(const ComplexCall& call, ElementType type) {
  const auto value = EvaluateCall<QuadMath>(call);
  return {RoundBall(type, value.re), RoundBall(type, value.im)};
}
#else
ComplexEnds ComplexQuadTier(const ComplexCall&, ElementType) { return {}; }
#endif

}  // namespace assay::evaluator::real
