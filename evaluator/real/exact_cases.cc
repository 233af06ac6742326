// Integer decisions for real functions. Tests: real_functions_test.cc.
#include "evaluator/real/exact_cases.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

namespace assay::evaluator::real {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Wide = unsigned __int128;

// Bits of a root's or quotient's integer part: more than any precision plus the guard bit.
constexpr int kRootBits = 64;

Integer CubeRoot(const Integer& x) {
  Integer root = Integer(1) << (msb(x) / 3 + 1);
  for (;;) {
    const Integer next = (2 * root + x / (root * root)) / 3;
    if (next >= root) return root;
    root = next;
  }
}

Unrounded Root(bool negative, const Integer& root, bool exact, int64_t exponent) {
  return {negative, static_cast<Wide>(root), exponent, !exact};
}

// sqrt(m 2^e), 1 / sqrt(m 2^e), cbrt(m 2^e): the integer root of a multiple of m that makes the
// root longer than kRootBits and its exponent whole; what is left over is the sticky bit.
Unrounded SquareRoot(const OddParts& x) {
  const int scale = 2 * kRootBits + (x.exponent & 1);
  const Integer radicand = Integer(x.significand) << scale;
  const Integer root = sqrt(radicand);
  return Root(false, root, root * root == radicand, (x.exponent - scale) / 2);
}

Unrounded ReciprocalRoot(const OddParts& x) {
  const int odd = x.exponent & 1;
  const Integer m = Integer(x.significand) << odd;
  constexpr int kScale = 2 * (kRootBits + 27);
  const Integer root = sqrt(Integer((Integer(1) << kScale) / m));
  return Root(false, root, root * root * m == Integer(1) << kScale,
              -kScale / 2 - (x.exponent - odd) / 2);
}

Unrounded RealCubeRoot(const OddParts& x) {
  const int scale = 3 * kRootBits + ((x.exponent % 3) + 3) % 3;
  const Integer radicand = Integer(x.significand) << scale;
  const Integer root = CubeRoot(radicand);
  return Root(x.negative, root, root * root * root == radicand, (x.exponent - scale) / 3);
}

// 1/2 + x/4 - x^3/48 + ...: for |x| < 2^-25 the third term is below the last bit of x/4, so the
// result is the sum of the first two moved towards 1/2.
Unrounded LogisticNearHalf(const OddParts& x) {
  constexpr int kUnit = -120;
  Unrounded result{false, Wide{1} << (-1 - kUnit), kUnit, true};
  const int shift = x.exponent - 2 - kUnit;
  const Wide units = shift >= 0    ? Wide{x.significand} << shift
                     : shift > -64 ? Wide{x.significand} >> -shift
                                   : 0;
  const bool whole = shift >= 0;
  // The true value lies strictly inside (1/2, 1/2 + x/4): between two units, told by its lower one.
  if (x.negative) {
    result.significand -= units + (whole ? 0 : 1);
  } else {
    result.significand += units - (whole ? 1 : 0);
  }
  return result;
}

// x^y for x = m 2^e > 0, y = n 2^-k, when the value is rational with a short numerator: only those
// can be midpoints. x is not 1. Needs m = r^(2^k) and 2^k | e; r^n odd, so with 65 bits or more it
// is none.
std::optional<Unrounded> ExactPower(OddParts x, const OddParts& y, bool negative) {
  int k = -y.exponent;
  for (; k > 0; --k) {
    if (x.exponent & 1) return std::nullopt;
    x.exponent /= 2;
    if (x.significand == 1) continue;
    const auto root = static_cast<uint64_t>(sqrt(Integer(x.significand)));
    if (root * root != x.significand) return std::nullopt;
    x.significand = root;
  }
  // Now y is the integer n 2^-k, k <= 0.
  if (-k > 40 || y.significand >> 20 != 0) return std::nullopt;  // far out of every range
  const int64_t n = static_cast<int64_t>(y.significand) << -k;
  const int64_t exponent = static_cast<int64_t>(x.exponent) * (y.negative ? -n : n);
  if (x.significand == 1) return Unrounded{negative, 1, exponent, false};
  if (y.negative || n > 64) return std::nullopt;
  Wide power = 1;
  for (int64_t i = 0; i < n; ++i) {
    power *= x.significand;
    if (power >> 64 != 0) return std::nullopt;
  }
  return Unrounded{negative, power, exponent, false};
}

// atan(y/x) for a tiny quotient and x > 0: the quotient, moved towards zero by its third power / 3,
// which is less than the gap between a quotient and any midpoint.
std::optional<Unrounded> TinyQuotient(int precision, const OddParts& y, const OddParts& x) {
  const int magnitude =
      y.exponent + std::bit_width(y.significand) - x.exponent - std::bit_width(x.significand);
  if (x.negative || magnitude > -precision - 9) return std::nullopt;
  const int shift = 72 + std::bit_width(x.significand);
  const Integer numerator = Integer(y.significand) << shift;
  Integer quotient = numerator / x.significand;
  if (quotient * x.significand == numerator) --quotient;
  return Unrounded{y.negative, static_cast<Wide>(quotient), y.exponent - x.exponent - shift, true};
}

}  // namespace

OddParts Split(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t significand = bits & ((uint64_t{1} << 52) - 1);
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  if (exponent == 0) {
    exponent = -1074;
  } else {
    significand |= uint64_t{1} << 52;
    exponent -= 1075;
  }
  const int zeros = std::countr_zero(significand);
  return {std::signbit(value), significand >> zeros, exponent + zeros};
}

Unrounded JustInside(Unrounded value) {
  value = JustOutside(value);
  --value.significand;
  return value;
}

Unrounded JustOutside(Unrounded value) {
  // As long as fits, so that a unit is below every type's precision.
  const auto high = static_cast<uint64_t>(value.significand >> 64);
  const int spare = high != 0 ? std::countl_zero(high)
                              : 64 + std::countl_zero(static_cast<uint64_t>(value.significand));
  return {value.negative, value.significand << spare, value.exponent - spare, true};
}

std::optional<Unrounded> ExactCase(RealFunction function, double x) {
  switch (function) {
    case RealFunction::kSqrt:
      return SquareRoot(Split(x));
    case RealFunction::kRsqrt:
      return ReciprocalRoot(Split(x));
    case RealFunction::kCbrt:
      return RealCubeRoot(Split(x));
    case RealFunction::kLogistic:
      if (std::fabs(x) < 0x1p-25) return LogisticNearHalf(Split(x));
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Unrounded> ExactCase(RealFunction2 function, int precision, double a, double b) {
  if (function == RealFunction2::kAtan2) return TinyQuotient(precision, Split(a), Split(b));
  const bool negative = a < 0 && std::fabs(b) < 0x1p53 && std::fmod(b, 2) != 0;
  return ExactPower(Split(std::fabs(a)), Split(b), negative);
}

}  // namespace assay::evaluator::real
