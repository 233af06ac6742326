// The pretty forms of operations, compiled from the column `format` of dialect_ops.def: the steps
// that the parser and the printer follow. Tests: text_parser_test.cc, text_printer_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_FORMS_H_
#define ASSAY_SPEC_STABLEHLO_FORMS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/stablehlo/dialect.h"

namespace assay::stablehlo {

enum class FormStep : uint8_t {
  kToken,              // text: punctuation or a word
  kOperands,           // count operands; -1: any number
  kOperandsAndCommas,  // any number, each followed by a comma
  kAttribute,          // field
  kSymbolName,         // field: a string, spelled as a symbol
  kOptional,           // the next `count` steps are written when their attribute is present
  kDictionary,
  // Types.
  kSameType,
  kFunctionType,
  kResultTypes,
  kArrowType,
  kOneType,
  kTypeToType,
  kOperandType,
  kOperandTypes,
  kSpecial,  // special
};

// Rules of their own, written &name in the table.
enum class SpecialForm : uint8_t {
// Keywords among the names confuse the formatter.
// clang-format off
#define SPECIAL_FORMS(X) \
  X(complex) X(regions) X(constant) X(window) X(dot_dimensions) X(barrier) X(reduce) \
  X(exponent_mantissa) X(return) X(select) X(slice) X(tuple) X(while) X(scan) X(module) \
  X(cast) X(function) X(manual_computation) X(named_computation) X(direction) X(flags) \
  X(predicate) X(boolean) X(arith_select) X(dim) X(empty) X(extract) X(elements) X(insert) \
  X(shape) X(witness)
// clang-format on
#define X(name) k_##name,
  SPECIAL_FORMS(X)
#undef X
};

struct FormItem {
  FormStep step = FormStep::kToken;
  SpecialForm special{};
  int count = 0;
  const Field* field = nullptr;
  absl::string_view text;
};

struct Form {
  std::vector<FormItem> items;
  // The attributes that the form itself writes, so that the dictionary does not.
  std::vector<absl::string_view> written;
};

// The form of a row; null where there is only the generic one.
const Form* FindForm(const DialectOp& op);

// The names of arith.cmpi's and arith.cmpf's predicates, by number.
absl::Span<const absl::string_view> PredicateNames(const DialectOp& op);
// The directions of sdy.propagation_barrier, by number.
absl::Span<const absl::string_view> DirectionNames();

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_FORMS_H_
