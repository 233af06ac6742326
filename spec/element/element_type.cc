#include "spec/element/element_type.h"

#include <array>
#include <cassert>

namespace assay {
namespace {

#define FLOAT_FORMAT(name, exponent, significand, bias, infinity, nan, sign, zero, overflow)   \
  constexpr FloatFormat name##Format = {                                                       \
      exponent, significand, bias, infinity, NanEncoding::nan, sign, zero, Overflow::overflow};
#include "spec/element/float_formats.def"
#undef FLOAT_FORMAT

// Stands in the table where a type is no float.
constexpr const FloatFormat* kNoFormatRow = nullptr;
#define FLOAT_FORMAT(name, ...) constexpr const FloatFormat* name##Row = &name##Format;
#include "spec/element/float_formats.def"
#undef FLOAT_FORMAT

constexpr int kNumbers = 37;  // PrimitiveType numbers are below this

struct Table {
  std::array<ElementTypeInfo, kNumbers> rows = {};
  constexpr Table() {
#define ELEMENT_TYPE(enumerator, number, name, cls, bits, storage, component, format) \
  rows[number] = {ElementType::enumerator, name, ElementClass::cls,                   \
                  bits,                    storage, ElementType::component, format##Row};
#include "spec/element/element_types.def"
#undef ELEMENT_TYPE
  }
};
constexpr Table kTable;

}  // namespace

int FloatFormat::max_exponent() const {
  const int top = (1 << exponent_bits) - 1 - bias;
  if (nan == NanEncoding::kIeee) return top - 1;
  // All patterns of the top binade but the NaN are numbers; without significand there is none left.
  if (nan == NanEncoding::kAllOnes && significand_bits == 0) return top - 1;
  return top;
}

const ElementTypeInfo& Info(ElementType type) {
  assert(type != ElementType::kInvalid);
  return kTable.rows[static_cast<size_t>(type)];
}

std::optional<ElementType> ElementTypeFromName(absl::string_view name) {
  for (const ElementTypeInfo& row : kTable.rows) {
    if (row.name != name || name.empty()) continue;
    if (row.type == ElementType::kTuple || row.type == ElementType::kBuffer) return std::nullopt;
    return row.type;
  }
  return std::nullopt;
}

std::optional<ElementType> ElementTypeFromNumber(int number) {
  if (number <= 0 || number >= kNumbers || kTable.rows[number].name.empty()) return std::nullopt;
  return static_cast<ElementType>(number);
}

}  // namespace assay
