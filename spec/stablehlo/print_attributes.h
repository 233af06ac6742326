// Appends attributes and types as MLIR spells them. Private to the printer (text.h is its
// interface). Tests: text_printer_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_PRINT_ATTRIBUTES_H_
#define ASSAY_SPEC_STABLEHLO_PRINT_ATTRIBUTES_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

class AttributePrinter {
 public:
  // Attributes that mhlo shares with StableHLO are spelled "#mhlo" for operations of mhlo.
  explicit AttributePrinter(std::string& out, bool mhlo = false) : out_(out), mhlo_(mhlo) {}

  void Append(const Attribute& attribute);
  void Append(const Type& type);
  // "{a = 1 : i64, b}"
  void AppendDictionary(absl::Span<const NamedAttribute> fields);
  // "(T, U)"
  void AppendTypeList(absl::Span<const Type* const> types);
  // "T", or "(T, U)" where there is not exactly one type that reads as one behind an arrow.
  void AppendResultTypes(absl::Span<const Type* const> types);
  // The value of a field as pretty forms and records spell it: without its type.
  void AppendField(const Field& field, const Attribute& value);
  void AppendSymbol(absl::string_view symbol);
  void AppendString(absl::string_view text);
  // A location whose parts are spelled by `child`.
  void AppendLocation(const Location& location,
                      absl::FunctionRef<std::string(const Location*)> child);
  // A location with all its parts.
  void AppendWholeLocation(const Location* location, int depth = 0);
  // The body of a record, with "<" and ">" where it has them.
  void AppendRecordBody(const Attribute& record);

 private:
  // "#" and the name of an enumeration or a record.
  void AppendName(absl::string_view name);
  // A name in quotes unless it can stand without.
  void AppendNameOrString(absl::string_view name);
  // "[a, b]"
  void AppendArray(const Attribute& array);
  // "array<i64: 1, 2>"
  void AppendTypedArray(const Attribute& array);
  void AppendDimensions(const Type& type);
  void AppendDense(const Attribute& dense);
  void AppendNested(const Attribute& dense, ElementType element, size_t depth, int64_t& next);
  void AppendElement(const Attribute& dense, ElementType element, int64_t index);
  void AppendNumber(ElementType element, uint64_t bits);
  void AppendHex(const Attribute& dense);
  void AppendInts(absl::Span<const int64_t> ints, bool booleans);
  void AppendBounds(absl::Span<const int64_t> bounds);  // "<4, ?>"
  void AppendEnum(const Attribute& value);
  void AppendRecord(const Attribute& record);
  void AppendFields(const Attribute& record, const RecordRow& row);
  void AppendConvolutionNumbers(const Attribute& record);
  void AppendSdy(const Attribute& record);
  void AppendSdyItems(absl::string_view open, const Attribute* items, absl::string_view close);
  void AppendList(const Attribute& list, const Field& field);

  std::string& out_;
  const bool mhlo_;
};

// The integer of a record's field; 0 if the record does not have the field.
int64_t IntegerOf(const Attribute& record, absl::string_view field);

// Whether a name can stand without quotes.
bool IsBareName(absl::string_view name);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_PRINT_ATTRIBUTES_H_
