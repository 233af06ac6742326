#include "backends/testing/complex_estimate.h"

#include <cmath>

namespace assay::measure {
namespace {

using Complex = std::complex<double>;
using Wide = std::complex<long double>;

// e^z - 1 = expm1(re) cos(im) - 2 sin(im / 2)^2 + i e^re sin(im).
Complex ExponentialMinusOne(Complex z) {
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}

// |1 + z|^2 = 1 + re (2 + re) + im^2.
Complex LogPlusOne(Complex z) {
  const double re = z.real(), im = z.imag();
  if (std::hypot(re, im) > 0x1p100) return std::log(z);
  return {std::log1p(re * (2 + re) + im * im) / 2, std::atan2(im, 1 + re)};
}

// Left of the imaginary axis by the quotient, which does not cancel far from it; elsewhere, and
// near the poles on the axis, by the tangent.
Complex Logistic(Complex z) {
  if (z.real() < -0.5) {
    const Complex power = std::exp(z);
    return power / (1.0 + power);
  }
  return (1.0 + std::tanh(z * 0.5)) * 0.5;
}

Complex Quotient(Complex x, Complex y) {
  const Wide quotient = Wide(x) / Wide(y);
  return {static_cast<double>(quotient.real()), static_cast<double>(quotient.imag())};
}

// Products of parts of f32 are exact in f64.
Complex Product(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

Complex Power(Complex x, Complex y) {
  const Wide power = std::exp(Wide(y) * std::log(Wide(x)));
  return {static_cast<double>(power.real()), static_cast<double>(power.imag())};
}

// -i log((y + i x) / sqrt(x^2 + y^2)).
Complex Angle(Complex x, Complex y) {
  const Wide over(y), up(x), i(0, 1);
  const Wide angle = -i * std::log((over + i * up) / std::sqrt(over * over + up * up));
  return {static_cast<double>(angle.real()), static_cast<double>(angle.imag())};
}

Complex Sign(Complex z) {
  const long double size = std::hypot(static_cast<long double>(z.real()), z.imag());
  if (size == 0) return z;
  return {static_cast<double>(z.real() / size), static_cast<double>(z.imag() / size)};
}

}  // namespace

std::optional<Complex> EstimateComplex(Opcode opcode, Complex x, Complex y) {
  switch (opcode) {
    case Opcode::kAcos:
      return std::acos(x);
    case Opcode::kAcosh:
      return std::acosh(x);
    case Opcode::kAsin:
      return std::asin(x);
    case Opcode::kAsinh:
      return std::asinh(x);
    case Opcode::kAtan2:
      return Angle(x, y);
    case Opcode::kAtanh:
      return std::atanh(x);
    case Opcode::kCosh:
      return std::cosh(x);
    case Opcode::kCos:
      return std::cos(x);
    case Opcode::kDivide:
      return Quotient(x, y);
    case Opcode::kExp:
      return std::exp(x);
    case Opcode::kExpm1:
      return ExponentialMinusOne(x);
    case Opcode::kLog:
      return std::log(x);
    case Opcode::kLog1p:
      return LogPlusOne(x);
    case Opcode::kLogistic:
      return Logistic(x);
    case Opcode::kMultiply:
      return Product(x, y);
    case Opcode::kPower:
      return Power(x, y);
    case Opcode::kRsqrt:
      return Quotient(1, std::sqrt(x));
    case Opcode::kSign:
      return Sign(x);
    case Opcode::kSin:
      return std::sin(x);
    case Opcode::kSinh:
      return std::sinh(x);
    case Opcode::kSqrt:
      return std::sqrt(x);
    case Opcode::kTan:
      return std::tan(x);
    case Opcode::kTanh:
      return std::tanh(x);
    default:
      return std::nullopt;
  }
}

}  // namespace assay::measure
