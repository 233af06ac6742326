// The tables of ops_elementwise_and_types.md 6.10 and 6.11, row by row. Tests:
// real_functions_test.cc.
#include "evaluator/real/special_values.h"

#include <cmath>
#include <limits>

namespace assay::evaluator::real {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool IsOddInteger(double y) { return std::fabs(y) < 0x1p53 && std::fabs(std::fmod(y, 2)) == 1; }

std::optional<double> SpecialPower(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return kNotANumber;
  const double size = std::fabs(x);
  if (std::isinf(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? kInfinity : 0.0;
  }
  if (size == 0 || std::isinf(size)) {
    const double result = (size == 0) == (y < 0) ? kInfinity : 0.0;
    return std::signbit(x) && IsOddInteger(y) ? -result : result;
  }
  if (x < 0 && std::trunc(y) != y) return kNotANumber;
  if (x == -1) return IsOddInteger(y) ? -1 : 1;
  return std::nullopt;
}

std::optional<double> SpecialAtan2(double y, double x) {
  if (std::isnan(y) || std::isnan(x)) return kNotANumber;
  const bool towards_positive = !std::signbit(x);
  if ((y == 0 && towards_positive) || (std::isfinite(y) && x == kInfinity)) {
    return std::copysign(0.0, y);
  }
  return std::nullopt;
}

// Arguments at which a function of one operand leaves its domain or reaches a pole.
std::optional<double> DomainValue(RealFunction function, double x) {
  switch (function) {
    case RealFunction::kAcos:
    case RealFunction::kAsin:
      if (std::fabs(x) > 1) return kNotANumber;
      break;
    case RealFunction::kAcosh:
      if (x < 1) return kNotANumber;
      break;
    case RealFunction::kAtanh:
      if (std::fabs(x) > 1) return kNotANumber;
      if (std::fabs(x) == 1) return std::copysign(kInfinity, x);
      break;
    case RealFunction::kLog:
      if (x == 0) return -kInfinity;
      if (x < 0) return kNotANumber;
      break;
    case RealFunction::kLog1p:
      if (x == -1) return -kInfinity;
      if (x < -1) return kNotANumber;
      break;
    case RealFunction::kRsqrt:
      if (x == 0) return std::copysign(kInfinity, x);
      if (x < 0) return kNotANumber;
      break;
    case RealFunction::kSqrt:
      if (x < 0) return kNotANumber;
      break;
    case RealFunction::kCos:
    case RealFunction::kSin:
    case RealFunction::kTan:
      if (std::isinf(x)) return kNotANumber;
      break;
    default:
      break;
  }
  return std::nullopt;
}

// Inside the domain: x infinite.
std::optional<double> ValueAtInfinity(RealFunction function, double x) {
  switch (function) {
    case RealFunction::kAtan:
      return std::nullopt;  // pi/2 has to be rounded
    case RealFunction::kErf:
    case RealFunction::kTanh:
      return std::copysign(1.0, x);
    case RealFunction::kExp:
      return x > 0 ? kInfinity : 0.0;
    case RealFunction::kExpm1:
      return x > 0 ? kInfinity : -1.0;
    case RealFunction::kLogistic:
      return x > 0 ? 1.0 : 0.0;
    case RealFunction::kCosh:
      return kInfinity;
    case RealFunction::kRsqrt:
      return 0.0;
    default:
      return x;
  }
}

// x = +-0.
std::optional<double> ValueAtZero(RealFunction function, double x) {
  switch (function) {
    case RealFunction::kAcos:
      return std::nullopt;  // pi/2
    case RealFunction::kExp:
    case RealFunction::kCos:
    case RealFunction::kCosh:
      return 1.0;
    case RealFunction::kLogistic:
      return 0.5;
    default:
      return x;
  }
}

}  // namespace

std::optional<double> SpecialValue(RealFunction function, double x) {
  if (std::isnan(x)) return kNotANumber;
  if (auto value = DomainValue(function, x)) return value;
  if (std::isinf(x)) return ValueAtInfinity(function, x);
  if (x == 0) return ValueAtZero(function, x);
  const bool zero_at_one = function == RealFunction::kAcos || function == RealFunction::kAcosh ||
                           function == RealFunction::kLog;
  if (x == 1 && zero_at_one) return 0.0;
  return std::nullopt;
}

std::optional<double> SpecialValue(RealFunction2 function, double a, double b) {
  return function == RealFunction2::kAtan2 ? SpecialAtan2(a, b) : SpecialPower(a, b);
}

}  // namespace assay::evaluator::real
