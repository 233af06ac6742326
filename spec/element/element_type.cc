// The rows of element_types.def as a table. Tests: element_type_test.cc.
#include "spec/element/element_type.h"

#include <array>
#include <cassert>

#include "spec/element/float_formats.h"

namespace assay {
namespace {

// Stands in the table where a type is not a float.
constexpr const FloatFormat* kNoFormatRow = nullptr;
#define FLOAT_FORMAT(name, ...) constexpr const FloatFormat* name##Row = &float_formats::name;
#include "spec/element/float_formats.def"
#undef FLOAT_FORMAT

constexpr int kNumbers = 37;  // PrimitiveType numbers are below this

struct Table {
  std::array<ElementTypeInfo, kNumbers> rows = {};
  constexpr Table() {
#define ELEMENT_TYPE(enumerator, number, name, cls, bits, storage, component, format)    \
  rows[number] = {ElementType::enumerator, name,       ElementClass::cls, bits, storage, \
                  ElementType::component,  format##Row};
#include "spec/element/element_types.def"
#undef ELEMENT_TYPE
  }
};
constexpr Table kTable;

}  // namespace

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
