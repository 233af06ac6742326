// Decoding and encoding of one float format by way of double's bits, as inline templates: the loops
// over blocks and the single conversions share them. Encoding is one rounding, ties to even.
// Private to spec/element. Tests: float_exhaustive_test.cc, float_rounding_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_FLOAT_CODEC_H_
#define ASSAY_SPEC_ELEMENT_FLOAT_CODEC_H_

#include <algorithm>
#include <bit>
#include <cmath>
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

// The general case of EncodeNarrow: subnormals, overflow, NaN. The quantum is that of the value's
// binade, or of the smallest normal one: adding 2^52 quanta makes the hardware round |value| to a
// whole number of them, ties to even.
template <FloatFormat F>
inline uint64_t EncodeNarrowOutsideNormals(double value, bool keep_nan_sign) {
  const bool negative = std::signbit(value);
  if (value != value) return float_formats::NanPattern(F, negative && keep_nan_sign);
  const double magnitude = std::fabs(value);
  constexpr double kBeyondMax = PowerOfTwo(F.max_exponent() + 1);
  if (magnitude >= kBeyondMax) return float_formats::OverflowPattern(F, negative);
  const double at_least_normal = std::max(magnitude, PowerOfTwo(F.min_exponent()));
  const uint64_t binade = std::bit_cast<uint64_t>(at_least_normal) & kDoubleInfinity;
  const uint64_t shifter = binade + (uint64_t{52 - F.significand_bits} << 52);
  const uint64_t quanta =
      std::bit_cast<uint64_t>(magnitude + std::bit_cast<double>(shifter)) - shifter;
  constexpr uint64_t kLowestBinade = std::bit_cast<uint64_t>(PowerOfTwo(F.min_exponent()));
  const uint64_t pattern = ((binade - kLowestBinade) >> (52 - F.significand_bits)) + quanta;
  if (pattern == 0) return float_formats::ZeroPattern(F, negative);
  if (pattern > float_formats::MaxFinitePattern(F)) {
    return float_formats::OverflowPattern(F, negative);
  }
  return pattern | (negative ? float_formats::SignMask(F) : 0);
}

// `value` in format F, which must have a sign and at most 24 bits of precision. Between the
// smallest normal and the largest value, dropping bits of double's pattern with a rounding carry is
// all.
template <FloatFormat F>
inline uint64_t EncodeNarrow(double value, bool keep_nan_sign) {
  static_assert(F.has_sign && F.precision() <= 24);
  constexpr int kDropped = 52 - F.significand_bits;
  constexpr uint64_t kMin = std::bit_cast<uint64_t>(PowerOfTwo(F.min_exponent()));
  constexpr uint64_t kMax = std::bit_cast<uint64_t>(Decode(F, float_formats::MaxFinitePattern(F)));
  constexpr uint64_t kRebias = (kMin >> kDropped) - (uint64_t{1} << F.significand_bits);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kDoubleSign;
  if (magnitude - kMin > kMax - kMin) return EncodeNarrowOutsideNormals<F>(value, keep_nan_sign);
  const uint64_t odd = (magnitude >> kDropped) & 1;
  const uint64_t rounded = magnitude + ((uint64_t{1} << (kDropped - 1)) - 1) + odd;
  return ((rounded >> kDropped) - kRebias) | (bits >> 63) << float_formats::MagnitudeBits(F);
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
