// The product's significand as a string of 64-bit limbs, cut at 64 limbs.
// Tests: rounded_sum_test.cc.
#include "evaluator/real/exact_product.h"

#include <bit>
#include <cmath>

namespace assay::evaluator {

void ExactProduct::Multiply(double factor) {
  negative_ ^= std::signbit(factor);
  if (std::isnan(factor)) nan_ = true;
  if (std::isinf(factor)) infinity_ = true;
  if (factor == 0) zero_ = true;
  if (factor == 0 || !std::isfinite(factor)) return;
  const uint64_t bits = std::bit_cast<uint64_t>(factor);
  uint64_t odd = bits & ((uint64_t{1} << 52) - 1);
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  if (exponent == 0) {
    exponent = -1074;
  } else {
    odd |= uint64_t{1} << 52;
    exponent -= 1075;
  }
  // Odd parts only: powers of two cost nothing, and the product of odd parts is odd, which is what
  // makes a cut product differ from every float and every midpoint.
  const int zeros = std::countr_zero(odd);
  odd >>= zeros;
  exponent_ += exponent + zeros;
  if (odd == 1) return;
  uint64_t carry = 0;
  for (int i = 0; i < used_; ++i) {
    const auto product = static_cast<unsigned __int128>(limbs_[i]) * odd + carry;
    limbs_[i] = static_cast<uint64_t>(product);
    carry = static_cast<uint64_t>(product >> 64);
  }
  if (carry == 0) return;
  if (used_ < kLimbs) {
    limbs_[used_++] = carry;
    return;
  }
  for (int i = 0; i + 1 < kLimbs; ++i) limbs_[i] = limbs_[i + 1];
  limbs_[kLimbs - 1] = carry;
  exponent_ += 64;
  ++cuts_;
}

bool ExactProduct::Decided(ElementType type) const {
  if (cuts_ == 0 || nan_ || zero_ || infinity_) return true;
  // A cut leaves at least 2^(64 * 63) units and loses less than one, so all cuts together lose less
  // than cuts_ * 2^64 units of the present significand: less than one unit of limb 2.
  ExactProduct upper = *this;
  for (int i = 2; i < kLimbs && ++upper.limbs_[i] == 0; ++i) {
  }
  if (upper.limbs_[kLimbs - 1] == 0) return false;
  return upper.Round(type) == Round(type);
}

uint64_t ExactProduct::Round(ElementType type) const {
  if (nan_ || (infinity_ && zero_)) return CanonicalNan(type);
  if (infinity_) return Infinity(type, negative_);
  Unrounded result;
  result.negative = negative_;
  if (zero_) return RoundToFloat(type, result);
  // The two leading limbs hold at least 65 bits, more than any type's precision; the rest is
  // sticky.
  const int bottom = used_ < 2 ? 0 : used_ - 2;
  for (int i = used_ - 1; i >= bottom; --i) {
    result.significand = result.significand << 64 | limbs_[i];
  }
  result.sticky = cuts_ > 0;
  for (int i = bottom - 1; i >= 0; --i) result.sticky |= limbs_[i] != 0;
  result.exponent = exponent_ + 64 * int64_t{bottom};
  return RoundToFloat(type, result);
}

}  // namespace assay::evaluator
