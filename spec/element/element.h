// One element as its bit pattern, and the conversions between patterns and numbers: decoding is
// exact, encoding rounds the exact value once by the rule of the type's row.
//
// A type of at most 64 bits keeps its pattern in `bits`, upper bits zero. A complex element keeps
// the pattern of its real part in `bits` and that of its imaginary part in `imag`.
//
// Tests: float_exhaustive_test.cc, float_rounding_test.cc, element_limits_test.cc,
// element_storage_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_ELEMENT_H_
#define ASSAY_SPEC_ELEMENT_ELEMENT_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"

namespace assay {

struct Element {
  uint64_t bits = 0;
  uint64_t imag = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

// Element `index` of a dense array of `type` that starts at `data` (literal storage: little endian,
// sub-byte types one to the byte, surplus high bits ignored on reading and zero on writing).
Element LoadElement(ElementType type, const std::byte* data, int64_t index);
void StoreElement(ElementType type, Element value, std::byte* data, int64_t index);

// A non-zero finite real number (or a zero with a sign) before rounding:
// (-1)^negative * significand * 2^exponent, plus a bit more in magnitude when `sticky` (more than
// zero, less than one unit of the significand's last place). Significand 0 and no sticky is zero;
// 0 and sticky is smaller than anything a type can hold. Otherwise a sticky significand must have
// at least one bit more than the type's precision; no more is needed (f8e8m0fnu: two bits).
struct Unrounded {
  bool negative = false;
  unsigned __int128 significand = 0;
  int64_t exponent = 0;
  bool sticky = false;
};

// The pattern of the value of float `type` nearest to the exact number, ties to even (f8e8m0fnu:
// ties up; values below its range, zero and negatives by ops_elementwise_and_types.md 6.13).
uint64_t RoundToFloat(ElementType type, const Unrounded& value);

// The exact value of a float pattern. NaN and infinities as double's; NaN keeps its sign (that of
// the FNUZ types has none and counts as positive).
double DecodeFloat(ElementType type, uint64_t bits);
// The float nearest to `value`, one rounding. NaN becomes the canonical NaN of the type (with the
// sign of `value` where the type has both signs); types without NaN: see CanonicalNan.
uint64_t EncodeFloat(ElementType type, double value);
// One rounding from 64-bit integers, never by way of double.
uint64_t EncodeFloatFromSigned(ElementType type, int64_t value);
uint64_t EncodeFloatFromUnsigned(ElementType type, uint64_t value);

// Integers and pred: the value of a pattern; the pattern of a value modulo 2^bits.
int64_t DecodeSigned(ElementType type, uint64_t bits);
uint64_t DecodeUnsigned(ElementType type, uint64_t bits);
uint64_t EncodeInteger(ElementType type, uint64_t value);

// Classification of float patterns.
bool IsNan(ElementType type, uint64_t bits);
bool IsInfinity(ElementType type, uint64_t bits);
bool IsZero(ElementType type, uint64_t bits);
bool IsNegative(ElementType type, uint64_t bits);  // the sign bit, of NaN too (FNUZ NaN: false)
bool IsSubnormal(ElementType type, uint64_t bits);

// Patterns. For types that lack the value: CanonicalNan of f4 and f6 is decision N-5 of
// ops_elementwise_and_types.md 7.1; Infinity of a type without one is what its overflow rule gives.
uint64_t CanonicalNan(ElementType type);
uint64_t Infinity(ElementType type, bool negative = false);
uint64_t MaxFinite(ElementType type);  // floats
uint64_t Lowest(ElementType type);     // floats: largest negative; f8e8m0fnu: smallest
uint64_t MinNormal(ElementType type);
uint64_t MinPositive(ElementType type);  // smallest subnormal, or smallest value
int64_t MinSigned(ElementType type);
int64_t MaxSigned(ElementType type);
uint64_t MaxUnsigned(ElementType type);

// Position of a float on the number line of its type: consecutive values differ by one, -0 and +0
// are both 0 (f8e8m0fnu, which has no zero: 2^-127 is 0). Not for NaN. The ulp distance of a and b
// is |Ordinal(a) - Ordinal(b)|.
int64_t FloatOrdinal(ElementType type, uint64_t bits);

// Whether an encoded NaN keeps the sign of the double (conversions) or is the positive canonical
// one (results of arithmetic: hardware's own NaNs are negative, the golden NaN is not).
enum class NanSign : uint8_t { kKeep, kPositive };

// Blocks: `count` elements from or to dense literal storage. The classes are those of the type:
// floats by double, signed by int64_t, unsigned and pred by uint64_t, complex by pairs of double
// (2 * count doubles, real part first). Storage need not be aligned.
void DecodeFloats(ElementType type, const std::byte* data, int64_t count, double* out);
void EncodeFloats(ElementType type, const double* values, int64_t count, std::byte* out,
                  NanSign nan_sign = NanSign::kKeep);
void DecodeSigneds(ElementType type, const std::byte* data, int64_t count, int64_t* out);
void DecodeUnsigneds(ElementType type, const std::byte* data, int64_t count, uint64_t* out);
void EncodeIntegers(ElementType type, const uint64_t* values, int64_t count, std::byte* out);

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_ELEMENT_H_
