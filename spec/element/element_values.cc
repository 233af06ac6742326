// What a pattern is: its value, its class, its place among its type's values, and the limits of the
// types. Tests: float_exhaustive_test.cc, element_limits_test.cc.
#include <array>
#include <cassert>

#include "spec/element/element.h"
#include "spec/element/float_codec.h"
#include "spec/element/float_formats.h"
#include "spec/element/float_tables.h"

namespace assay {
namespace {

const FloatFormat& Format(ElementType type) {
  assert(IsFloat(type));
  return *Info(type).format;
}

uint64_t WidthMask(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

}  // namespace

double DecodeFloat(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::kF64:
      return std::bit_cast<double>(bits);
    case ElementType::kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case ElementType::kBF16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    case ElementType::kF16:
      return float_codec::Decode(float_formats::kF16, bits);
    default:
      return float_tables::ByteDecoder(type)[bits & 0xff];
  }
}

int64_t DecodeSigned(ElementType type, uint64_t bits) {
  const int surplus = 64 - Info(type).bits;
  return static_cast<int64_t>(bits << surplus) >> surplus;
}

uint64_t DecodeUnsigned(ElementType type, uint64_t bits) { return EncodeInteger(type, bits); }

uint64_t EncodeInteger(ElementType type, uint64_t value) {
  return value & WidthMask(Info(type).bits);
}

bool IsNan(ElementType type, uint64_t bits) {
  return float_formats::IsNanPattern(Format(type), bits);
}

bool IsInfinity(ElementType type, uint64_t bits) {
  return float_formats::IsInfinityPattern(Format(type), bits);
}

bool IsZero(ElementType type, uint64_t bits) {
  const FloatFormat& format = Format(type);
  return format.has_sign && (bits & float_formats::MagnitudeMask(format)) == 0 &&
         !float_formats::IsNanPattern(format, bits);
}

bool IsNegative(ElementType type, uint64_t bits) {
  const FloatFormat& format = Format(type);
  if (format.nan == NanEncoding::kNegativeZero && float_formats::IsNanPattern(format, bits)) {
    return false;
  }
  return (bits & float_formats::SignMask(format)) != 0;
}

bool IsSubnormal(ElementType type, uint64_t bits) {
  const FloatFormat& format = Format(type);
  const uint64_t magnitude = bits & float_formats::MagnitudeMask(format);
  return format.has_sign && magnitude != 0 && magnitude >> format.significand_bits == 0;
}

uint64_t CanonicalNan(ElementType type) { return float_formats::NanPattern(Format(type), false); }

uint64_t Infinity(ElementType type, bool negative) {
  const FloatFormat& format = Format(type);
  if (negative && !format.has_sign) return float_formats::NanPattern(format, false);
  return float_formats::OverflowPattern(format, negative);
}

uint64_t MaxFinite(ElementType type) { return float_formats::MaxFinitePattern(Format(type)); }

uint64_t Lowest(ElementType type) {
  const FloatFormat& format = Format(type);
  return format.has_sign ? float_formats::SignMask(format) | MaxFinite(type) : 0;
}

uint64_t MinNormal(ElementType type) {
  const FloatFormat& format = Format(type);
  return format.has_sign ? uint64_t{1} << format.significand_bits : 0;
}

uint64_t MinPositive(ElementType type) { return Format(type).has_sign ? 1 : 0; }

int64_t MinSigned(ElementType type) {
  return static_cast<int64_t>(~uint64_t{0} << (Info(type).bits - 1));
}

int64_t MaxSigned(ElementType type) { return ~MinSigned(type); }

uint64_t MaxUnsigned(ElementType type) { return WidthMask(Info(type).bits); }

int64_t FloatOrdinal(ElementType type, uint64_t bits) {
  const FloatFormat& format = Format(type);
  const auto magnitude = static_cast<int64_t>(bits & float_formats::MagnitudeMask(format));
  return (bits & float_formats::SignMask(format)) != 0 ? -magnitude : magnitude;
}

}  // namespace assay
