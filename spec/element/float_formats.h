// The rows of float_formats.def as compile-time constants, so that loops over one format can be
// specialised on its row, and the few numbers that follow from a row.
// Tests: element_type_test.cc, float_exhaustive_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_FLOAT_FORMATS_H_
#define ASSAY_SPEC_ELEMENT_FLOAT_FORMATS_H_

#include <cstdint>

#include "spec/element/element_type.h"

namespace assay::float_formats {

#define FLOAT_FORMAT(name, exponent, significand, bias, infinity, nan, sign, zero, overflow) \
  inline constexpr FloatFormat name = {exponent,         significand, bias, infinity,        \
                                       NanEncoding::nan, sign,        zero, Overflow::overflow};
#include "spec/element/float_formats.def"
#undef FLOAT_FORMAT

// Bits below the sign.
constexpr int MagnitudeBits(const FloatFormat& f) { return f.exponent_bits + f.significand_bits; }
constexpr uint64_t SignMask(const FloatFormat& f) {
  return f.has_sign ? uint64_t{1} << MagnitudeBits(f) : 0;
}
constexpr uint64_t MagnitudeMask(const FloatFormat& f) {
  return (uint64_t{1} << MagnitudeBits(f)) - 1;
}
// Pattern of +infinity where the format has one.
constexpr uint64_t InfinityPattern(const FloatFormat& f) {
  return ((uint64_t{1} << f.exponent_bits) - 1) << f.significand_bits;
}
constexpr uint64_t MaxFinitePattern(const FloatFormat& f) {
  switch (f.nan) {
    case NanEncoding::kIeee:
      return InfinityPattern(f) - 1;
    case NanEncoding::kAllOnes:
      return MagnitudeMask(f) - 1;
    case NanEncoding::kNegativeZero:
    case NanEncoding::kNone:
      break;
  }
  return MagnitudeMask(f);
}
// NaN of the format with the sign asked for, where NaNs have signs. Formats without NaN: -0, which
// is what the common implementations store (decision N-5).
constexpr uint64_t NanPattern(const FloatFormat& f, bool negative) {
  const uint64_t sign = negative ? SignMask(f) : 0;
  switch (f.nan) {
    case NanEncoding::kIeee:
      return sign | InfinityPattern(f) | (uint64_t{1} << (f.significand_bits - 1));
    case NanEncoding::kAllOnes:
      return sign | MagnitudeMask(f);
    case NanEncoding::kNegativeZero:
    case NanEncoding::kNone:
      break;
  }
  return SignMask(f);
}
// What infinity and finite values beyond the largest become.
constexpr uint64_t OverflowPattern(const FloatFormat& f, bool negative) {
  switch (f.overflow) {
    case Overflow::kInfinity:
      return (negative ? SignMask(f) : 0) | InfinityPattern(f);
    case Overflow::kSaturate:
      return (negative ? SignMask(f) : 0) | MaxFinitePattern(f);
    case Overflow::kNan:
      break;
  }
  return NanPattern(f, negative);
}
constexpr uint64_t ZeroPattern(const FloatFormat& f, bool negative) {
  if (!f.has_sign) return NanPattern(f, false);  // f8e8m0fnu has no zero
  return negative && f.signed_zero ? SignMask(f) : 0;
}
constexpr bool IsNanPattern(const FloatFormat& f, uint64_t bits) {
  switch (f.nan) {
    case NanEncoding::kIeee:
      return (bits & MagnitudeMask(f)) > InfinityPattern(f);
    case NanEncoding::kAllOnes:
      return (bits & MagnitudeMask(f)) == MagnitudeMask(f);
    case NanEncoding::kNegativeZero:
      return bits == SignMask(f);
    case NanEncoding::kNone:
      break;
  }
  return false;
}
constexpr bool IsInfinityPattern(const FloatFormat& f, uint64_t bits) {
  return f.has_infinity && (bits & MagnitudeMask(f)) == InfinityPattern(f);
}

}  // namespace assay::float_formats

#endif  // ASSAY_SPEC_ELEMENT_FLOAT_FORMATS_H_
