// Rounding into float types: from exact numbers, from double, from 64-bit integers. Each rounds
// once. Tests: float_exhaustive_test.cc, float_rounding_test.cc.
#include <cassert>

#include "spec/element/element.h"
#include "spec/element/float_codec.h"
#include "spec/element/float_formats.h"

namespace assay {
namespace {

using Uint128 = unsigned __int128;

int BitWidth(Uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(value));
}

// floor(value / 2^shift) for shift >= 1, rounded to nearest, ties to even.
Uint128 ShiftRightRounded(Uint128 value, int64_t shift, bool sticky) {
  if (shift > 128) return 0;  // less than half a unit
  const Uint128 half = Uint128{1} << (shift - 1);
  const Uint128 kept = shift == 128 ? 0 : value >> shift;
  const Uint128 rest = shift == 128 ? value : value & ((half << 1) - 1);
  const bool odd = (kept & 1) != 0;
  const bool up = rest > half || (rest == half && (sticky || odd));
  return kept + (up ? 1 : 0);
}

// f8e8m0fnu (reference 6.13): a power of two, ties up.
uint64_t RoundToScale(const FloatFormat& format, const Unrounded& value) {
  const uint64_t nan = float_formats::NanPattern(format, false);
  if (value.negative) return nan;
  if (value.significand == 0) return value.sticky ? 0 : nan;
  const int width = BitWidth(value.significand);
  const int64_t exponent = value.exponent + width - 1;
  const Uint128 leading = Uint128{1} << (width - 1);
  const bool is_power = value.significand == leading && !value.sticky;
  if (exponent < -format.bias) return 0;
  if (exponent == -format.bias) return is_power ? 0 : 1;
  if (exponent > format.max_exponent()) return nan;
  assert(!value.sticky || width >= 2);
  const bool up = (value.significand & (leading >> 1)) != 0;
  const uint64_t code = static_cast<uint64_t>(exponent + format.bias) + (up ? 1 : 0);
  return code < nan ? code : nan;
}

uint64_t RoundInteger(ElementType type, bool negative, uint64_t magnitude) {
  return RoundToFloat(type, {negative, magnitude, 0, false});
}

}  // namespace

uint64_t RoundToFloat(ElementType type, const Unrounded& value) {
  const FloatFormat& format = *Info(type).format;
  if (!format.has_sign) return RoundToScale(format, value);
  // Below one unit of a significand that is zero: nothing that any format can hold.
  if (value.significand == 0) return float_formats::ZeroPattern(format, value.negative);
  const int64_t leading = value.exponent + BitWidth(value.significand) - 1;
  if (leading > format.max_exponent()) {
    return float_formats::OverflowPattern(format, value.negative);
  }
  const int64_t binade = std::max<int64_t>(leading, format.min_exponent());
  const int64_t shift = binade - format.significand_bits - value.exponent;
  assert(!value.sticky || shift >= 1);
  const Uint128 quanta = shift <= 0 ? value.significand << -shift
                                    : ShiftRightRounded(value.significand, shift, value.sticky);
  // A carry into the next binade is a carry into the exponent field.
  const uint64_t pattern =
      (static_cast<uint64_t>(binade - format.min_exponent()) << format.significand_bits) +
      static_cast<uint64_t>(quanta);
  if (pattern == 0) return float_formats::ZeroPattern(format, value.negative);
  if (pattern > float_formats::MaxFinitePattern(format)) {
    return float_formats::OverflowPattern(format, value.negative);
  }
  return pattern | (value.negative ? float_formats::SignMask(format) : 0);
}

uint64_t EncodeFloat(ElementType type, double value) {
  switch (type) {
    case ElementType::kF64:
      return float_codec::EncodeF64(value, true);
    case ElementType::kF32:
      return float_codec::EncodeF32(value, true);
    case ElementType::kF8E8M0FNU:
      return float_codec::EncodeScale(value);
#define NARROW_FLOAT(name)   \
  case ElementType::k##name: \
    return float_codec::EncodeNarrow<float_formats::k##name>(value, true);
#include "spec/element/narrow_floats.def"
#undef NARROW_FLOAT
    default:
      break;
  }
  assert(false && "not a float type");
  return 0;
}

uint64_t EncodeFloatFromSigned(ElementType type, int64_t value) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(static_cast<double>(value));
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  const bool negative = value < 0;
  const auto bits = static_cast<uint64_t>(value);
  return RoundInteger(type, negative, negative ? 0 - bits : bits);
}

uint64_t EncodeFloatFromUnsigned(ElementType type, uint64_t value) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(static_cast<double>(value));
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return RoundInteger(type, false, value);
}

}  // namespace assay
