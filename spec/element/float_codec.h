// Decoding and encoding of one float format by way of double's bits, as inline templates: the loops
// over blocks and the single conversions share them. Encoding is one rounding, ties to even.
// Private to spec/element. Tests: float_exhaustive_test.cc, float_rounding_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_FLOAT_CODEC_H_
#define ASSAY_SPEC_ELEMENT_FLOAT_CODEC_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "spec/element/float_formats.h"

namespace assay::float_codec {

inline constexpr uint64_t kDoubleSign = uint64_t{1} << 63;
inline constexpr uint64_t kDoubleInfinity = uint64_t{0x7ff} << 52;
inline constexpr int kDoubleBias = 1023;

constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(kDoubleBias + exponent) << 52);
}

// The double of the same value; exact for every format. NaN keeps its sign where it has one.
constexpr double Decode(const FloatFormat& f, uint64_t bits) {
  const uint64_t sign = (bits & float_formats::SignMask(f)) != 0 ? kDoubleSign : 0;
  const uint64_t magnitude = bits & float_formats::MagnitudeMask(f);
  if (float_formats::IsNanPattern(f, bits)) {
    const bool nan_has_sign = f.nan != NanEncoding::kNegativeZero;
    return std::bit_cast<double>((nan_has_sign ? sign : 0) | kDoubleInfinity | uint64_t{1} << 51);
  }
  if (float_formats::IsInfinityPattern(f, bits))
    return std::bit_cast<double>(sign | kDoubleInfinity);
  const int significand_bits = f.significand_bits;
  const uint64_t significand = magnitude & ((uint64_t{1} << significand_bits) - 1);
  const int field = static_cast<int>(magnitude >> significand_bits);
  if (field == 0 && f.has_sign) {
    if (significand == 0) return std::bit_cast<double>(sign);
    const int top = std::bit_width(significand) - 1;
    const int exponent = f.min_exponent() - significand_bits + top;
    const uint64_t fraction = (significand << (52 - top)) & ((uint64_t{1} << 52) - 1);
    return std::bit_cast<double>(sign | static_cast<uint64_t>(kDoubleBias + exponent) << 52 |
                                 fraction);
  }
  return std::bit_cast<double>(sign | static_cast<uint64_t>(kDoubleBias + field - f.bias) << 52 |
                               significand << (52 - significand_bits));
}

// `value` in format F, which must have a sign and at most 24 bits of precision. Branch-free, so
// that loops vectorise. The quantum is that of the value's binade, or of the smallest normal one:
// adding 2^52 quanta makes the hardware round |value| to a whole number of them, ties to even.
template <FloatFormat F>
inline uint64_t EncodeNarrow(double value, bool keep_nan_sign) {
  static_assert(F.has_sign && F.precision() <= 24);
  constexpr int kSignificand = F.significand_bits;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const double magnitude = std::bit_cast<double>(bits & ~kDoubleSign);
  // Values beyond the clamp overflow all the same; NaN fails the comparison and is set apart below.
  const double clamped = std::min(magnitude, PowerOfTwo(F.max_exponent() + 1));
  const double at_least_normal = std::max(clamped, PowerOfTwo(F.min_exponent()));
  const uint64_t binade = std::bit_cast<uint64_t>(at_least_normal) & kDoubleInfinity;
  const uint64_t shifter_bits = binade + (uint64_t{52 - kSignificand} << 52);
  const double shifted = clamped + std::bit_cast<double>(shifter_bits);
  const uint64_t quanta = std::bit_cast<uint64_t>(shifted) - shifter_bits;
  const uint64_t binades_up =
      (binade >> 52) - static_cast<uint64_t>(kDoubleBias + F.min_exponent());
  uint64_t pattern = (binades_up << kSignificand) + quanta;
  uint64_t sign = negative ? float_formats::SignMask(F) : 0;
  if constexpr (!F.signed_zero) sign = pattern == 0 ? 0 : sign;
  const bool overflow = pattern > float_formats::MaxFinitePattern(F);
  pattern |= sign;
  pattern = overflow ? float_formats::OverflowPattern(F, negative) : pattern;
  const bool nan_negative = negative && keep_nan_sign;
  return value != value ? float_formats::NanPattern(F, nan_negative) : pattern;
}

// f8e8m0fnu: nearest power of two, ties up; up to 2^-127 is 2^-127, and above it up to 2^-126 is
// 2^-126; zero, negatives, NaN and overflow are NaN.
inline uint64_t EncodeScale(double value) {
  constexpr uint64_t kNan = 0xff;
  if (!(value > 0)) return kNan;
  if (value <= PowerOfTwo(-127)) return 0;
  if (value <= PowerOfTwo(-126)) return 1;
  // One half of the binade added to the bits carries into the exponent from 1.5 upwards.
  const uint64_t field = (std::bit_cast<uint64_t>(value) + (uint64_t{1} << 51)) >> 52;
  return std::min<uint64_t>(field - (kDoubleBias - 127), kNan);
}

inline uint64_t EncodeF32(double value, bool keep_nan_sign) {
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  const uint32_t nan = 0x7fc00000u | (keep_nan_sign ? bits & 0x80000000u : 0u);
  return value != value ? nan : bits;
}

inline uint64_t EncodeF64(double value, bool keep_nan_sign) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t nan =
      kDoubleInfinity | uint64_t{1} << 51 | (keep_nan_sign ? bits & kDoubleSign : 0);
  return value != value ? nan : bits;
}

}  // namespace assay::float_codec

#endif  // ASSAY_SPEC_ELEMENT_FLOAT_CODEC_H_
