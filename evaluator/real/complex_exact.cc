// Integer decisions for complex functions. Tests: complex_functions_test.cc.
#include "evaluator/real/complex_exact.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "evaluator/real/exact_cases.h"
#include "evaluator/real/exact_sum.h"

namespace assay::evaluator::real {
namespace {

using Integer = boost::multiprecision::cpp_int;

// significand * 2^exponent.
struct ScaledInteger {
  Integer significand = 0;
  int exponent = 0;

  ScaledInteger() = default;
  ScaledInteger(Integer s, int e) : significand(std::move(s)), exponent(e) {}
  explicit ScaledInteger(double value) {
    if (value == 0) return;
    const OddParts parts = Split(value);
    significand = parts.significand;
    if (parts.negative) significand = -significand;
    exponent = parts.exponent;
  }
  int sign() const { return significand.sign(); }
  friend ScaledInteger operator*(const ScaledInteger& a, const ScaledInteger& b) {
    return {a.significand * b.significand, a.exponent + b.exponent};
  }
  friend ScaledInteger operator+(const ScaledInteger& a, const ScaledInteger& b) {
    if (a.sign() == 0) return b;
    if (b.sign() == 0) return a;
    const int exponent = std::min(a.exponent, b.exponent);
    return {(a.significand << (a.exponent - exponent)) + (b.significand << (b.exponent - exponent)),
            exponent};
  }
  friend ScaledInteger operator-(const ScaledInteger& a) { return {-a.significand, a.exponent}; }
  friend ScaledInteger operator-(const ScaledInteger& a, const ScaledInteger& b) { return a + -b; }
  ScaledInteger Doubled() const { return {significand, exponent + 1}; }
};

// numerator / denominator, rounded once; 0 / x is +0.
uint64_t RoundQuotient(ElementType part, const ScaledInteger& numerator,
                       const ScaledInteger& denominator) {
  if (numerator.sign() == 0) return EncodeFloat(part, 0.0);
  const bool negative = (numerator.sign() < 0) != (denominator.sign() < 0);
  const Integer n = abs(numerator.significand), d = abs(denominator.significand);
  // A quotient of 72 or 73 bits.
  const int shift = 72 + static_cast<int>(msb(d)) - static_cast<int>(msb(n));
  const Integer dividend = shift > 0 ? Integer(n << shift) : n;
  const Integer divisor = shift < 0 ? Integer(d << -shift) : d;
  const Integer quotient = dividend / divisor;
  return RoundToFloat(part, {negative, static_cast<unsigned __int128>(quotient),
                             int64_t{numerator.exponent} - denominator.exponent - shift,
                             quotient * divisor != dividend});
}

uint64_t Round(ElementType part, const ScaledInteger& value) {
  return RoundQuotient(part, value, ScaledInteger(1, 0));
}

// a c + b d with the sign of zero that adding the products gives.
uint64_t SumOfProducts(ElementType part, double a, double c, double b, double d) {
  ExactSum sum;
  sum.AddProduct(a, c);
  sum.AddProduct(b, d);
  return sum.Round(part);
}

uint64_t RoundPart(ElementType part, double value) {
  return std::isnan(value) ? CanonicalNan(part) : EncodeFloat(part, value);
}

// Operands or divisors for which no quotient exists: C's Annex G.
PartPatterns SpecialQuotient(ElementType part, double a, double b, double c, double d) {
  const auto patterns = [part](double re, double im) {
    return PartPatterns{RoundPart(part, re), RoundPart(part, im)};
  };
  const double inf = std::numeric_limits<double>::infinity();
  const bool finite_divisor = std::isfinite(c) && std::isfinite(d);
  const auto boxed = [](double x) { return std::copysign(std::isinf(x) ? 1.0 : 0.0, x); };
  if (c == 0 && d == 0) return patterns(std::copysign(inf, c) * a, std::copysign(inf, c) * b);
  if ((std::isinf(a) || std::isinf(b)) && finite_divisor) {
    const double x = boxed(a), y = boxed(b);
    return patterns(inf * (x * c + y * d), inf * (y * c - x * d));
  }
  if ((std::isinf(c) || std::isinf(d)) && std::isfinite(a) && std::isfinite(b)) {
    const double x = boxed(c), y = boxed(d);
    return patterns(0.0 * (a * x + b * y), 0.0 * (b * x - a * y));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return patterns(nan, nan);
}

// |z|^2 for z = (a, b).
ScaledInteger Square(const ScaledInteger& a, const ScaledInteger& b) { return a * a + b * b; }

// (re + i im) 2^exponent.
struct Gaussian {
  Integer re = 0, im = 0;
  int exponent = 0;

  Gaussian(Integer x, Integer y, int e) : re(std::move(x)), im(std::move(y)), exponent(e) {}
  // Finite parts, not both zero.
  Gaussian(double a, double b) {
    const ScaledInteger x(a), y(b);
    exponent = x.sign() == 0   ? y.exponent
               : y.sign() == 0 ? x.exponent
                               : std::min(x.exponent, y.exponent);
    if (x.sign() != 0) re = x.significand << (x.exponent - exponent);
    if (y.sign() != 0) im = y.significand << (y.exponent - exponent);
  }
};

// The integer root of a non-negative square; nothing for other integers.
std::optional<Integer> ExactRoot(const Integer& square) {
  Integer root = sqrt(square);
  if (root * root != square) return std::nullopt;
  return root;
}

// The principal square root, with the sign of its imaginary part as given; nothing where it is no
// Gaussian integer times a power of two.
std::optional<Gaussian> SquareRoot(Gaussian z, bool below) {
  if (z.exponent % 2 != 0) {
    z.re <<= 1;
    z.im <<= 1;
    --z.exponent;
  }
  const std::optional<Integer> modulus = ExactRoot(z.re * z.re + z.im * z.im);
  if (!modulus || (*modulus + z.re) % 2 != 0) return std::nullopt;
  const std::optional<Integer> x = ExactRoot((*modulus + z.re) / 2);
  const std::optional<Integer> y = ExactRoot((*modulus - z.re) / 2);
  if (!x || !y) return std::nullopt;
  return Gaussian(*x, below ? Integer(-*y) : *y, z.exponent / 2);
}

// z^n; nothing where the integers would become unreasonably long.
std::optional<PartPatterns> Power(ElementType part, const Gaussian& z, int n) {
  constexpr int kLongest = 1 << 16;  // bits of the power
  const int length = static_cast<int>(msb(Integer(abs(z.re) + abs(z.im)))) + 1;
  if (int64_t{length} * std::abs(n) > kLongest) return std::nullopt;
  Integer power_re = 1, power_im = 0;
  for (int i = 0; i < std::abs(n); ++i) {
    const Integer next = power_re * z.re - power_im * z.im;
    power_im = power_re * z.im + power_im * z.re;
    power_re = next;
  }
  const ScaledInteger p(power_re, z.exponent * std::abs(n)), q(power_im, z.exponent * std::abs(n));
  if (n > 0) return PartPatterns{Round(part, p), Round(part, q)};
  const ScaledInteger square = Square(p, q);
  return PartPatterns{RoundQuotient(part, p, square), RoundQuotient(part, -q, square)};
}

// The midpoint of two neighbouring non-negative patterns, of which the upper may be infinity.
ScaledInteger Midpoint(ElementType part, uint64_t low, uint64_t high) {
  const ScaledInteger lower(DecodeFloat(part, low));
  ScaledInteger upper;
  if (IsInfinity(part, high)) {
    upper = ScaledInteger(1, Info(part).format->max_exponent() + 1);
  } else {
    upper = ScaledInteger(DecodeFloat(part, high));
  }
  ScaledInteger middle = lower + upper;
  --middle.exponent;
  return middle;
}

// The sign of (magnitude of the part) - c, c > 0. With h = |z|, each condition "part >= c" is h >=
// t or x^2 >= c^2 h^2.
int ComparePart(RealFunction function, bool imaginary, const ScaledInteger& a,
                const ScaledInteger& b, const ScaledInteger& c) {
  const ScaledInteger h2 = Square(a, b), c2 = c * c;
  ScaledInteger t;
  switch (function) {
    case RealFunction::kSign: {
      const ScaledInteger& x = imaginary ? b : a;
      return (x * x - c2 * h2).sign();
    }
    case RealFunction::kSqrt:  // (h +- a) / 2 against c^2
      t = imaginary ? c2.Doubled() + a : c2.Doubled() - a;
      break;
    case RealFunction::kRsqrt: {  // (h +- a) / (2 h^2) against c^2
      const ScaledInteger right = (c2 * h2).Doubled();
      t = imaginary ? right + a : right - a;
      break;
    }
    default:  // kAbs
      t = c;
      break;
  }
  if (t.sign() < 0) return 1;
  return (h2 - t * t).sign();
}

}  // namespace

PartPatterns ComplexProduct(ElementType part, double a, double b, double c, double d) {
  return {SumOfProducts(part, a, c, -b, d), SumOfProducts(part, a, d, b, c)};
}

PartPatterns ComplexQuotient(ElementType part, double a, double b, double c, double d) {
  const bool finite = std::isfinite(a) && std::isfinite(b) && std::isfinite(c) && std::isfinite(d);
  if (!finite || (c == 0 && d == 0)) return SpecialQuotient(part, a, b, c, d);
  const ScaledInteger x(a), y(b), u(c), v(d);
  const ScaledInteger square = Square(u, v);
  const ScaledInteger re = x * u + y * v, im = y * u - x * v;
  // An exact zero keeps the sign that the numerator has.
  return {re.sign() == 0 ? SumOfProducts(part, a, c, b, d) : RoundQuotient(part, re, square),
          im.sign() == 0 ? SumOfProducts(part, b, c, -a, d) : RoundQuotient(part, im, square)};
}

std::optional<PartPatterns> ComplexIntegerPower(ElementType part, double a, double b, int n) {
  return Power(part, Gaussian(a, b), n);
}

std::optional<PartPatterns> ComplexRationalPower(ElementType part, double a, double b, double c) {
  constexpr int kLongestRoot = 6;
  constexpr double kLargest = 4096;  // far out of every range, but for roots of unity
  if (c == 0 || !(std::fabs(c) <= kLargest) || (a == 0 && b == 0)) return std::nullopt;
  const OddParts exponent = Split(c);
  if (exponent.exponent < -kLongestRoot) return std::nullopt;
  Gaussian root(a, b);
  bool below = std::signbit(b);  // the side of the branch cut
  for (int k = exponent.exponent; k < 0; ++k) {
    std::optional<Gaussian> next = SquareRoot(root, below);
    if (!next) return std::nullopt;
    root = *std::move(next);
    below = root.im < 0;
  }
  const int n = static_cast<int>(std::ldexp(c, std::max(0, -exponent.exponent)));
  return Power(part, root, n);
}

uint64_t ChooseNeighbour(RealFunction function, bool imaginary, ElementType part, double a,
                         double b, uint64_t low, uint64_t high) {
  const uint64_t sign = uint64_t{1} << (Info(part).bits - 1);
  const bool negative = IsNegative(part, low) || IsNegative(part, high);
  // By magnitude: for negative patterns the lower one has the larger magnitude.
  const uint64_t inner = (negative ? high : low) & ~sign, outer = (negative ? low : high) & ~sign;
  const int order = ComparePart(function, imaginary, ScaledInteger(a), ScaledInteger(b),
                                Midpoint(part, inner, outer));
  const uint64_t even = inner & 1 ? outer : inner;
  const uint64_t chosen = order > 0 ? outer : order < 0 ? inner : even;
  return negative ? chosen | sign : chosen;
}

}  // namespace assay::evaluator::real
