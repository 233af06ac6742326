// The fixed-point accumulator: 32-bit digits in 64-bit limbs, so that an addition touches three to
// six limbs and never propagates a carry. Tests: exact_sum_test.cc.
#include "evaluator/real/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::evaluator {
namespace {

struct Decomposed {
  uint64_t significand;
  int exponent;
};

// |value| = significand * 2^exponent, for finite values.
Decomposed Decompose(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  if (biased == 0) return {fraction, -1074};
  return {fraction | uint64_t{1} << 52, biased - 1075};
}

}  // namespace

void ExactSum::Clear() {
  for (int i = first_; i < end_; ++i) limbs_[i] = 0;
  first_ = kLimbs;
  end_ = 0;
  terms_since_carry_ = 0;
  any_term_ = false;
  only_negative_zeros_ = true;
  nan_ = positive_infinity_ = negative_infinity_ = false;
}

void ExactSum::AddScaled(bool negative, unsigned __int128 significand, int exponent) {
  only_negative_zeros_ = false;
  any_term_ = true;
  if (++terms_since_carry_ >= kTermsBetweenCarries) Carry();
  const int position = exponent + kBias;
  const int shift = position & 31;
  const int lowest = position >> 5;
  int64_t* limb = &limbs_[lowest];
  const int64_t sign = negative ? -1 : 0;
  const auto add = [sign](int64_t& to, uint32_t digit) {
    to += (static_cast<int64_t>(digit) ^ sign) - sign;
  };
  const auto low = static_cast<unsigned __int128>(static_cast<uint64_t>(significand)) << shift;
  add(limb[0], static_cast<uint32_t>(low));
  add(limb[1], static_cast<uint32_t>(low >> 32));
  add(limb[2], static_cast<uint32_t>(low >> 64));
  const auto top = static_cast<uint64_t>(significand >> 64);
  first_ = std::min(first_, lowest);
  end_ = std::max(end_, lowest + (top == 0 ? 3 : 5));
  if (top == 0) return;
  const auto high = static_cast<unsigned __int128>(top) << shift;
  add(limb[2], static_cast<uint32_t>(high));
  add(limb[3], static_cast<uint32_t>(high >> 32));
  add(limb[4], static_cast<uint32_t>(high >> 64));
}

// A term that is zero, infinite or NaN.
void ExactSum::NoteSpecial(double term) {
  any_term_ = true;
  if (term == 0) {
    if (!std::signbit(term)) only_negative_zeros_ = false;
    return;
  }
  only_negative_zeros_ = false;
  if (std::isnan(term)) {
    nan_ = true;
  } else if (term > 0) {
    positive_infinity_ = true;
  } else {
    negative_infinity_ = true;
  }
}

void ExactSum::Add(double term) {
  if (term == 0 || !std::isfinite(term)) return NoteSpecial(term);
  const Decomposed d = Decompose(term);
  AddScaled(std::signbit(term), d.significand, d.exponent);
}

void ExactSum::AddProduct(double a, double b) {
  // With a special factor the hardware's product is the exact one.
  if (a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b)) return NoteSpecial(a * b);
  const Decomposed x = Decompose(a);
  const Decomposed y = Decompose(b);
  AddScaled(std::signbit(a) != std::signbit(b),
            static_cast<unsigned __int128>(x.significand) * y.significand, x.exponent + y.exponent);
}

void ExactSum::AddSigned(int64_t term) {
  if (term == 0) return NoteSpecial(0.0);
  const auto magnitude = term < 0 ? -static_cast<uint64_t>(term) : static_cast<uint64_t>(term);
  AddScaled(term < 0, magnitude, 0);
}

void ExactSum::AddUnsigned(uint64_t term) {
  if (term == 0) return NoteSpecial(0.0);
  AddScaled(false, term, 0);
}

void ExactSum::Carry() {
  terms_since_carry_ = 0;
  if (first_ >= end_) return;
  int64_t carry = 0;
  for (int i = first_; i + 1 < end_; ++i) {
    const int64_t value = limbs_[i] + carry;
    carry = value >> 32;
    limbs_[i] = value & 0xffffffff;
  }
  int64_t& last = limbs_[end_ - 1];
  last += carry;
  if (std::abs(last) <= 0xffffffff) return;
  limbs_[end_++] = last >> 32;
  last &= 0xffffffff;
}

void ExactSum::Merge(const ExactSum& other) {
  ExactSum carried = other;
  carried.Carry();
  Carry();
  for (int i = carried.first_; i < carried.end_; ++i) limbs_[i] += carried.limbs_[i];
  first_ = std::min(first_, carried.first_);
  end_ = std::max(end_, carried.end_);
  terms_since_carry_ = 1;
  any_term_ |= other.any_term_;
  only_negative_zeros_ &= other.only_negative_zeros_;
  nan_ |= other.nan_;
  positive_infinity_ |= other.positive_infinity_;
  negative_infinity_ |= other.negative_infinity_;
}

void ExactSum::FillMagnitude(Magnitude& magnitude) const {
  magnitude.first = first_;
  magnitude.end = end_;
  const auto fill = [&](int64_t sign) {
    int64_t carry = 0;
    for (int i = first_; i < end_; ++i) {
      const int64_t value = sign * limbs_[i] + carry;
      carry = value >> 32;
      magnitude.digits[i] = static_cast<uint32_t>(value);
    }
    return carry;
  };
  int64_t carry = fill(1);
  magnitude.negative = carry < 0;
  if (magnitude.negative) carry = fill(-1);
  if (carry != 0) magnitude.digits[magnitude.end++] = static_cast<uint32_t>(carry);
}

std::vector<uint32_t> ExactSum::Digits(bool& negative) const {
  Magnitude magnitude;
  FillMagnitude(magnitude);
  negative = magnitude.negative;
  std::vector<uint32_t> digits(kLimbs);
  for (int i = magnitude.first; i < magnitude.end; ++i) digits[i] = magnitude.digits[i];
  return digits;
}

uint64_t ExactSum::Round(ElementType type) const {
  if (nan_ || (positive_infinity_ && negative_infinity_)) return CanonicalNan(type);
  if (positive_infinity_ || negative_infinity_) return Infinity(type, negative_infinity_);
  Magnitude sum;
  FillMagnitude(sum);
  Unrounded result;
  result.negative = sum.negative;
  int top = sum.end - 1;
  while (top >= sum.first && sum.digits[top] == 0) --top;
  if (top < sum.first) {
    result.negative = any_term_ && only_negative_zeros_;
    return RoundToFloat(type, result);
  }
  const int bottom = top - 3;
  for (int i = top; i >= bottom; --i) {
    result.significand = result.significand << 32 | (i < sum.first ? 0 : sum.digits[i]);
  }
  for (int i = sum.first; i < bottom; ++i) result.sticky |= sum.digits[i] != 0;
  result.exponent = 32 * bottom - kBias;
  return RoundToFloat(type, result);
}

}  // namespace assay::evaluator
