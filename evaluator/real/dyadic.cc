// Exact arithmetic by long integers, and roundings that know from the remainder on which side of a
// tie the exact value lies. Tests: dyadic_test.cc.
#include "evaluator/real/dyadic.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "spec/element/element.h"

namespace assay::evaluator::real {
namespace {

using DyadicInteger = Dyadic::Integer;

// Bits of a floor that, with a sticky bit, round right into any type: more than 53 + 1.
constexpr int64_t kFloorBits = 66;

int64_t BitCount(const DyadicInteger& positive) { return static_cast<int64_t>(msb(positive)) + 1; }

// Multiplication by a power of two; cuts off where it is negative.
DyadicInteger Shifted(const DyadicInteger& value, int64_t by) {
  return by >= 0 ? DyadicInteger(value << by) : DyadicInteger(value >> -by);
}

// (-1)^negative * (significand + something in [0, 1) that is not zero when sticky) * 2^exponent.
uint64_t RoundFloor(ElementType type, bool negative, const DyadicInteger& significand,
                    int64_t exponent, bool sticky) {
  Unrounded value{negative, 0, exponent, sticky};
  if (!significand.is_zero()) {
    const int64_t cut = std::max<int64_t>(0, BitCount(significand) - 127);
    if (cut > 0 && static_cast<int64_t>(lsb(significand)) < cut) value.sticky = true;
    value.significand = static_cast<unsigned __int128>(Shifted(significand, -cut));
    value.exponent += cut;
  }
  if (value.significand == 0 && !value.sticky) value.negative = false;
  return RoundToFloat(type, value);
}

// floor(|a| * 2^shift / |b|), and whether that cut something off.
DyadicInteger FloorQuotient(const DyadicInteger& a, const DyadicInteger& b, int64_t shift,
                            bool& inexact) {
  DyadicInteger quotient, remainder;
  divide_qr(DyadicInteger(abs(shift > 0 ? DyadicInteger(a << shift) : a)),
            DyadicInteger(abs(shift < 0 ? DyadicInteger(b << -shift) : b)), quotient, remainder);
  inexact = !remainder.is_zero();
  return quotient;
}

}  // namespace

Dyadic::Dyadic(DyadicInteger significand, int64_t exponent)
    : significand_(std::move(significand)), exponent_(exponent) {
  if (significand_.is_zero()) {
    exponent_ = 0;
    return;
  }
  const auto zeros = static_cast<int64_t>(lsb(DyadicInteger(abs(significand_))));
  if (zeros == 0) return;
  // Of a negative number >> rounds down, but nothing is cut off here.
  significand_ >>= zeros;
  exponent_ += zeros;
}

Dyadic::Dyadic(double value) {
  int exponent;
  const double fraction = std::frexp(value, &exponent);
  *this = Dyadic(DyadicInteger(static_cast<int64_t>(std::ldexp(fraction, 53))), exponent - 53);
}

Dyadic::Dyadic(const ExactSum& sum) {
  bool negative;
  const std::vector<uint32_t> digits = sum.Digits(negative);
  DyadicInteger magnitude;
  import_bits(magnitude, digits.begin(), digits.end(), 32, /*msv_first=*/false);
  *this = Dyadic(negative ? DyadicInteger(-magnitude) : magnitude, ExactSum::kLowestExponent);
}

int64_t Dyadic::top() const { return BitCount(abs(significand_)) + exponent_; }

Dyadic Dyadic::operator-() const {
  Dyadic result = *this;
  result.significand_ = -result.significand_;
  return result;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.IsZero()) return b;
  if (b.IsZero()) return a;
  const int64_t exponent = std::min(a.exponent_, b.exponent_);
  return Dyadic(Shifted(a.significand_, a.exponent_ - exponent) +
                    Shifted(b.significand_, b.exponent_ - exponent),
                exponent);
}

Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + -b; }

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  if (a.IsZero() || b.IsZero()) return Dyadic();
  Dyadic result;  // a product of odd numbers is odd
  result.significand_ = a.significand_ * b.significand_;
  result.exponent_ = a.exponent_ + b.exponent_;
  return result;
}

Dyadic Dyadic::ExactQuotient(const Dyadic& a, const Dyadic& b) {
  if (a.IsZero()) return a;
  Dyadic result;
  result.significand_ = a.significand_ / b.significand_;
  result.exponent_ = a.exponent_ - b.exponent_;
  return result;
}

DdBall BallOf(const Dyadic& value) {
  const auto nearest = [](const Dyadic& x) {
    return DecodeFloat(ElementType::kF64, RoundDyadic(ElementType::kF64, x));
  };
  DdBall ball(nearest(value));
  if (!std::isfinite(ball.hi)) return DdBall::Unknown();
  const Dyadic rest = value - Dyadic(ball.hi);
  ball.lo = nearest(rest);
  if (!(rest == Dyadic(ball.lo))) ball.rad = DdBall::Up(std::fabs(ball.lo) * 0x1p-53);
  return ball;
}

uint64_t RoundDyadic(ElementType type, const Dyadic& value) {
  return RoundFloor(type, value.Sign() < 0, DyadicInteger(abs(value.significand())),
                    value.exponent(), false);
}

uint64_t RoundQuotient(ElementType type, const Dyadic& a, const Dyadic& b) {
  if (a.IsZero()) return RoundDyadic(type, a);
  const int64_t shift =
      kFloorBits + BitCount(abs(b.significand())) - BitCount(abs(a.significand()));
  bool inexact;
  const DyadicInteger quotient = FloorQuotient(a.significand(), b.significand(), shift, inexact);
  return RoundFloor(type, a.Sign() * b.Sign() < 0, quotient, a.exponent() - b.exponent() - shift,
                    inexact);
}

uint64_t RoundWithRoot(ElementType type, const Dyadic& b, const Dyadic& a, const Dyadic& w) {
  if (a.IsZero()) return RoundDyadic(type, b);
  const Dyadic square = a * a;
  // b in units of 2^-places is whole; the root has kFloorBits bits at least.
  int64_t places = std::max(-b.exponent(), kFloorBits - (square.top() - w.top()) / 2 + 1);
  while (true) {
    // |a| / sqrt(w) is root units, and less than one more when inexact.
    const int64_t shift = 2 * places + square.exponent() - w.exponent();
    bool cut, inexact;
    const DyadicInteger ratio = FloorQuotient(square.significand(), w.significand(), shift, cut);
    DyadicInteger rest;
    const DyadicInteger root = sqrt(ratio, rest);
    inexact = cut || !rest.is_zero();
    // The sum lies in [low, low + 1), or is low.
    DyadicInteger low = Shifted(b.significand(), b.exponent() + places);
    low += a.Sign() > 0 ? root : DyadicInteger(-root);
    if (a.Sign() < 0 && inexact) --low;
    const bool negative = low.sign() < 0;
    if (negative) low = inexact ? DyadicInteger(-low - 1) : DyadicInteger(-low);
    // An irrational sum is not zero, so this ends.
    if (!inexact || (!low.is_zero() && BitCount(low) >= kFloorBits)) {
      return RoundFloor(type, negative, low, -places, inexact);
    }
    places += 2 * kFloorBits;
  }
}

}  // namespace assay::evaluator::real
