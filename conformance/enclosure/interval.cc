#include "conformance/enclosure/interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::conformance {
namespace {

// Units in the last place by which the C library's functions that are used here may be off, at
// least: none is known to be off by more than two.
constexpr int kLibraryUnits = 4;

// Steps from what was computed to what is certain; one for arithmetic, which rounds correctly.
Interval Outwards(double low, double high, int steps = 1) {
  if (std::isnan(low) || std::isnan(high)) return Interval::Everything();
  for (int i = 0; i < steps; ++i) {
    low = std::nextafter(low, Interval::Everything().low);
    high = std::nextafter(high, Interval::Everything().high);
  }
  return {low, high};
}

template <typename F>
Interval Rising(const Interval& x, F f) {
  return Outwards(f(x.low), f(x.high), kLibraryUnits);
}

}  // namespace

bool Interval::bounded() const { return std::isfinite(low) && std::isfinite(high); }

double Interval::magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
double Interval::least_magnitude() const {
  return holds(0) ? 0 : std::min(std::fabs(low), std::fabs(high));
}

Interval Hull(const Interval& x, const Interval& y) {
  return {std::min(x.low, y.low), std::max(x.high, y.high)};
}

Interval operator+(const Interval& x, const Interval& y) {
  return Outwards(x.low + y.low, x.high + y.high);
}
Interval operator-(const Interval& x, const Interval& y) { return x + -y; }
Interval operator-(const Interval& x) { return {-x.high, -x.low}; }

Interval operator*(const Interval& x, const Interval& y) {
  if (!x.bounded() || !y.bounded()) return Interval::Everything();
  const auto [least, greatest] =
      std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  return Outwards(least, greatest);
}

Interval operator/(const Interval& x, const Interval& y) {
  if (!x.bounded() || !y.bounded() || y.holds(0)) return Interval::Everything();
  const auto [least, greatest] =
      std::minmax({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
  return Outwards(least, greatest);
}

Interval Abs(const Interval& x) { return {x.least_magnitude(), x.magnitude()}; }

Interval Square(const Interval& x) {
  const Interval size = Abs(x);
  const Interval square = Outwards(size.low * size.low, size.high * size.high);
  return {std::max(square.low, 0.0), square.high};
}

Interval SquareRoot(const Interval& x) {
  const Interval root = Outwards(std::sqrt(std::max(x.low, 0.0)), std::sqrt(std::max(x.high, 0.0)));
  return {std::max(root.low, 0.0), root.high};
}

Interval Exponential(const Interval& x) {
  const Interval value = Rising(x, [](double v) { return std::exp(v); });
  return {std::max(value.low, 0.0), value.high};
}

Interval Logarithm(const Interval& x) {
  if (!(x.low > 0)) return Interval::Everything();
  return Rising(x, [](double v) { return std::log(v); });
}

// Below 10^6 such a point as a double is off by less than 10^6 2^-53 for pi and as much for each of
// three roundings, together less than the margin; farther out it may be anywhere.
bool MayPass(const Interval& range, double first, double period) {
  if (!(std::fabs(range.low) < 1e6 && std::fabs(range.high) < 1e6)) return true;
  constexpr double kMargin = 4e6 * 0x1p-53;
  return std::floor((range.low - first - kMargin) / period) !=
         std::floor((range.high - first + kMargin) / period);
}

Interval Sine(const Interval& x) {
  if (!x.bounded()) return {-1, 1};
  const auto [least, greatest] = std::minmax({std::sin(x.low), std::sin(x.high)});
  const Interval ends = Outwards(least, greatest, kLibraryUnits);
  return {MayPass(x, -std::numbers::pi / 2, 2 * std::numbers::pi) ? -1 : std::max(ends.low, -1.0),
          MayPass(x, std::numbers::pi / 2, 2 * std::numbers::pi) ? 1 : std::min(ends.high, 1.0)};
}

Interval Cosine(const Interval& x) {
  if (!x.bounded()) return {-1, 1};
  const auto [least, greatest] = std::minmax({std::cos(x.low), std::cos(x.high)});
  const Interval ends = Outwards(least, greatest, kLibraryUnits);
  return {MayPass(x, std::numbers::pi, 2 * std::numbers::pi) ? -1 : std::max(ends.low, -1.0),
          MayPass(x, 0, 2 * std::numbers::pi) ? 1 : std::min(ends.high, 1.0)};
}

Interval HyperbolicSine(const Interval& x) {
  return Rising(x, [](double v) { return std::sinh(v); });
}
Interval HyperbolicCosine(const Interval& x) {
  return Rising(Abs(x), [](double v) { return std::cosh(v); });
}

Interval Angle(const Interval& y, const Interval& x) {
  if (y.holds(0) && x.low <= 0) return Interval::Everything();
  const auto [least, greatest] =
      std::minmax({std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low),
                   std::atan2(y.high, x.high)});
  return Outwards(least, greatest, kLibraryUnits);
}

ComplexInterval operator+(const ComplexInterval& x, const ComplexInterval& y) {
  return {x.re + y.re, x.im + y.im};
}
ComplexInterval operator-(const ComplexInterval& x, const ComplexInterval& y) {
  return {x.re - y.re, x.im - y.im};
}
ComplexInterval operator*(const ComplexInterval& x, const ComplexInterval& y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
ComplexInterval operator/(const ComplexInterval& x, const ComplexInterval& y) {
  const Interval square = Square(y.re) + Square(y.im);
  const ComplexInterval product = x * ComplexInterval{y.re, -y.im};
  return {product.re / square, product.im / square};
}

Interval Modulus(const ComplexInterval& z) { return SquareRoot(Square(z.re) + Square(z.im)); }

ComplexInterval Square(const ComplexInterval& z) {
  return {Square(z.re) - Square(z.im), z.re * z.im * Interval::Point(2)};
}

// The real part grows with the real part of z and its distance from the axis, the imaginary one
// with minus the real part and that distance; on the cut it may have either sign.
ComplexInterval SquareRoot(const ComplexInterval& z) {
  const Interval distance = Abs(z.im), half = Interval::Point(0.5);
  const auto root = [&](double re, double im) {
    const ComplexInterval point = {Interval::Point(re), Interval::Point(im)};
    return SquareRoot((Modulus(point) + point.re) * half);
  };
  const Interval re = {root(z.re.low, distance.low).low, root(z.re.high, distance.high).high};
  const Interval size = {root(-z.re.high, distance.low).low, root(-z.re.low, distance.high).high};
  if (z.im.low > 0) return {re, size};
  if (z.im.high < 0) return {re, -size};
  return {re, {-size.high, size.high}};
}

ComplexInterval Exponential(const ComplexInterval& z) {
  const Interval modulus = Exponential(z.re);
  return {modulus * Cosine(z.im), modulus * Sine(z.im)};
}

ComplexInterval Logarithm(const ComplexInterval& z) {
  return {Logarithm(Modulus(z)), Angle(z.im, z.re)};
}

}  // namespace assay::conformance
