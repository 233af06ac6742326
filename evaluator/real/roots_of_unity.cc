// Angles are rational turns, so their reduction to an eighth of a turn is exact; the rest is Taylor
// series in integers. Tests: fourier_test.cc.
#include "evaluator/real/roots_of_unity.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evaluator/real/big_constants.h"

namespace assay::evaluator::real {
namespace {

using DyadicInteger = Dyadic::Integer;

constexpr int kRootGuardBits = 24;

DyadicInteger PowerOfTwo(int exponent) {
  DyadicInteger power;
  bit_set(power, exponent);
  return power;
}

// cos and sin of pi/2 * part/whole, part at most half of whole, times 2^bits. pi is cut to `bits`
// and the angle again: less than 3 units. There are fewer than 2^7 terms, and each has lost less
// than two units more than the one before times its factor, which is below 1/2: less than 2^10
// units in all.
FixedRoot InFirstEighth(int64_t part, int64_t whole, int bits) {
  const DyadicInteger pi = DyadicInteger(PiInteger()) >> (kConstantBits - bits);
  const DyadicInteger angle = pi * part / (2 * DyadicInteger(whole));
  const DyadicInteger square = (angle * angle) >> bits;
  FixedRoot root;
  DyadicInteger term = PowerOfTwo(bits);
  for (int k = 1; !term.is_zero(); k += 2) {
    const bool add = k % 4 == 1;
    root.re += add ? term : DyadicInteger(-term);
    term /= k;
    root.im += add ? term : DyadicInteger(-term);  // sin x / x
    term = (term * square >> bits) / (k + 1);
  }
  root.im = root.im * angle >> bits;
  return root;
}

// Multiplication by i^quarters.
FixedRoot Turned(FixedRoot root, int64_t quarters) {
  if (quarters & 1) {
    std::swap(root.re, root.im);
    root.re = -root.re;
  }
  if (quarters & 2) {
    root.re = -root.re;
    root.im = -root.im;
  }
  return root;
}

// 0 <= t < order.
FixedRoot RootBySeries(int64_t t, int64_t order, int bits) {
  const __int128 quarters = static_cast<__int128>(t) * 4;
  const auto quadrant = static_cast<int64_t>(quarters / order);
  const auto rest = static_cast<int64_t>(quarters % order);
  FixedRoot root;
  if (rest <= order - rest) {
    root = InFirstEighth(rest, order, bits);
  } else {
    root = InFirstEighth(order - rest, order, bits);
    std::swap(root.re, root.im);
  }
  return Turned(std::move(root), quadrant);
}

// hi + lo nearest to a fixed-point number that is known to `error` units.
DdBall ToBall(const DyadicInteger& value, int bits, int error) {
  const auto part = [bits](const DyadicInteger& x) {
    return std::ldexp(x.convert_to<double>(), -bits);
  };
  DdBall ball;
  const double high = part(value);
  const auto whole = static_cast<int64_t>(std::ldexp(high, 60));  // |high| <= 1, or 2^60 exactly
  const DyadicInteger rest = value - (DyadicInteger(whole) << (bits - 60));
  ball.hi = TwoSum(std::ldexp(static_cast<double>(whole), -60), part(rest), ball.lo);
  // `rest` is rounded to 53 bits and below 2^-52.
  ball.rad = std::ldexp(static_cast<double>(error), -bits) + 0x1p-104;
  return ball;
}

// The parts of a root at a multiple of 30 degrees that are whole or one half.
void MakeExact(int64_t twelfths, ComplexOf<DdBall>& root) {
  constexpr double kRoot = 2;  // stands for sqrt(3) / 2
  constexpr double kCosines[] = {1, kRoot, 0.5, 0, -0.5, kRoot, -1, kRoot, -0.5, 0, 0.5, kRoot};
  const double cosine = kCosines[twelfths], sine = kCosines[(twelfths + 9) % 12];
  if (cosine != kRoot) root.re = cosine;
  if (sine != kRoot) root.im = sine;
}

}  // namespace

FixedRoots::FixedRoots(int64_t order, int bits) : order_(order), bits_(bits) {
  step_ = static_cast<int64_t>(std::sqrt(static_cast<double>(order))) + 1;
  for (int64_t t = 0; t < order; t += step_) {
    coarse_.push_back(RootBySeries(t, order, bits + kRootGuardBits));
  }
  for (int64_t t = 0; t < step_ && t < order; ++t) {
    fine_.push_back(RootBySeries(t, order, bits + kRootGuardBits));
  }
  if (order > kLargestTable) return;
  table_.reserve(order);
  for (int64_t t = 0; t < order; ++t) table_.push_back(Multiplied(t));
}

const FixedRoot& FixedRoots::At(int64_t t, FixedRoot& room) const {
  if (!table_.empty()) return table_[t];
  return room = Multiplied(t);
}

FixedRoot FixedRoots::Multiplied(int64_t t) const {
  const FixedRoot& a = coarse_[t / step_];
  const FixedRoot& b = fine_[t % step_];
  if (static_cast<__int128>(t) * 4 % order_ == 0) {
    return Turned({PowerOfTwo(bits_), 0},
                  static_cast<int64_t>(static_cast<__int128>(t) * 4 / order_));
  }
  const int cut = bits_ + 2 * kRootGuardBits;
  return {(a.re * b.re - a.im * b.im) >> cut, (a.re * b.im + a.im * b.re) >> cut};
}

std::vector<ComplexOf<DdBall>> DdRoots(int64_t order) {
  constexpr int kBits = 160;
  const auto by_series = [order](int64_t t) -> ComplexOf<DdBall> {
    if (t == 0) return 1;
    const FixedRoot root = RootBySeries(t, order, kBits);
    return {ToBall(root.re, kBits, 1 << 11), ToBall(root.im, kBits, 1 << 11)};
  };
  // The rest are reflections of the roots up to here.
  const int64_t last = order / (order % 8 == 0 ? 8 : order % 2 == 0 ? 4 : 2);
  const auto step = static_cast<int64_t>(std::sqrt(static_cast<double>(last))) + 1;
  std::vector<ComplexOf<DdBall>> fine, roots(order);
  for (int64_t t = 0; t < step && t <= last; ++t) fine.push_back(by_series(t));
  for (int64_t first = 0; first <= last; first += step) {
    const ComplexOf<DdBall> coarse = by_series(first);
    for (int64_t t = first; t <= last && t < std::min(order, first + step); ++t) {
      roots[t] = coarse * fine[t - first];
      const __int128 twelfths = static_cast<__int128>(t) * 12;
      if (twelfths % order == 0) MakeExact(static_cast<int64_t>(twelfths / order), roots[t]);
    }
  }
  for (int64_t t = last + 1; t <= order / 4 && order % 8 == 0; ++t) {
    roots[t] = {roots[order / 4 - t].im, roots[order / 4 - t].re};
  }
  for (int64_t t = order / 4 + 1; t <= order / 2 && order % 2 == 0; ++t) {
    roots[t] = -Conjugate(roots[order / 2 - t]);
  }
  for (int64_t t = order / 2 + 1; t < order; ++t) roots[t] = Conjugate(roots[order - t]);
  return roots;
}

}  // namespace assay::evaluator::real
