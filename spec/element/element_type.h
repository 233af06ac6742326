// Element types: the 32 array types of XLA and the four that have no elements, as table rows.
// Source: reference ops_elementwise_and_types.md, section 1. Tests: element_type_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_ELEMENT_TYPE_H_
#define ASSAY_SPEC_ELEMENT_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace assay {

// The values are XLA's PrimitiveType numbers.
enum class ElementType : uint8_t {
  kInvalid = 0,
#define ELEMENT_TYPE(enumerator, number, ...) enumerator = number,
#include "spec/element/element_types.def"
#undef ELEMENT_TYPE
};

enum class ElementClass : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex };

enum class NanEncoding : uint8_t { kNone, kIeee, kAllOnes, kNegativeZero };
enum class Overflow : uint8_t { kInfinity, kNan, kSaturate };

// How the bits of a float type are read. See float_formats.def.
struct FloatFormat {
  int exponent_bits;
  int significand_bits;  // stored, without the hidden bit
  int bias;
  bool has_infinity;
  NanEncoding nan;
  bool has_sign;
  bool signed_zero;
  Overflow overflow;

  constexpr int precision() const { return significand_bits + 1; }
  // Exponent of the smallest normal value.
  constexpr int min_exponent() const { return has_sign ? 1 - bias : -bias; }
  // Exponent of the largest finite value.
  constexpr int max_exponent() const {
    const int top = (1 << exponent_bits) - 1 - bias;
    // A binade of infinities and NaNs, or of one NaN alone.
    const bool top_is_special =
        nan == NanEncoding::kIeee || (nan == NanEncoding::kAllOnes && significand_bits == 0);
    return top_is_special ? top - 1 : top;
  }
  constexpr bool has_nan() const { return nan != NanEncoding::kNone; }
};

struct ElementTypeInfo {
  ElementType type;
  absl::string_view name;  // spelling in HLO text
  ElementClass element_class;
  int bits;
  int storage_bytes;
  ElementType component;
  const FloatFormat* format;  // null unless a float
};

// The row of a type. `type` must not be kInvalid.
const ElementTypeInfo& Info(ElementType type);

// All array types in table order.
inline constexpr ElementType kArrayTypes[] = {ElementType::kPred,
                                              ElementType::kS1,
                                              ElementType::kS2,
                                              ElementType::kS4,
                                              ElementType::kS8,
                                              ElementType::kS16,
                                              ElementType::kS32,
                                              ElementType::kS64,
                                              ElementType::kU1,
                                              ElementType::kU2,
                                              ElementType::kU4,
                                              ElementType::kU8,
                                              ElementType::kU16,
                                              ElementType::kU32,
                                              ElementType::kU64,
                                              ElementType::kF4E2M1FN,
                                              ElementType::kF6E2M3FN,
                                              ElementType::kF6E3M2FN,
                                              ElementType::kF8E3M4,
                                              ElementType::kF8E4M3,
                                              ElementType::kF8E4M3FN,
                                              ElementType::kF8E4M3FNUZ,
                                              ElementType::kF8E4M3B11FNUZ,
                                              ElementType::kF8E5M2,
                                              ElementType::kF8E5M2FNUZ,
                                              ElementType::kF8E8M0FNU,
                                              ElementType::kF16,
                                              ElementType::kBF16,
                                              ElementType::kF32,
                                              ElementType::kF64,
                                              ElementType::kC64,
                                              ElementType::kC128};

// The type written `name` in HLO text; tuple and buffer have no type word and are not found.
std::optional<ElementType> ElementTypeFromName(absl::string_view name);
// The type with XLA's PrimitiveType number, if there is one (0 is none).
std::optional<ElementType> ElementTypeFromNumber(int number);

inline absl::string_view Name(ElementType type) { return Info(type).name; }
inline bool IsArray(ElementType type) {
  return type != ElementType::kInvalid && Info(type).element_class != ElementClass::kNone;
}
inline bool IsFloat(ElementType type) { return Info(type).element_class == ElementClass::kFloat; }
inline bool IsComplex(ElementType type) {
  return Info(type).element_class == ElementClass::kComplex;
}
inline bool IsSigned(ElementType type) { return Info(type).element_class == ElementClass::kSigned; }
inline bool IsUnsigned(ElementType type) {
  return Info(type).element_class == ElementClass::kUnsigned;
}
inline bool IsInteger(ElementType type) { return IsSigned(type) || IsUnsigned(type); }
inline bool IsPred(ElementType type) { return type == ElementType::kPred; }

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_ELEMENT_TYPE_H_
