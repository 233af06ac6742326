// Prints the operations of a program, pretty or generic. Private to the printer (text.h is its
// interface). Tests: text_printer_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_PRINT_TEXT_H_
#define ASSAY_SPEC_STABLEHLO_PRINT_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/stablehlo/forms.h"
#include "spec/stablehlo/print_attributes.h"
#include "spec/stablehlo/print_locations.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {

class TextPrinter {
 public:
  TextPrinter(PrintForm form, PrintLocations locations)
      : form_(form), locations_(locations == PrintLocations::kYes) {}
  std::string Print(const Program& program);

 private:
  // print_text.cc
  void PrintOperation(const Operation& op, int indent);
  void PrintGeneric(const Operation& op, int indent);
  void PrintRegion(const Region& region, int indent, bool label_first);
  void PrintBlockBody(const Block& block, int indent);
  void PrintBlockLabel(const Block& block, size_t number, int indent);
  void PrintResultNames(const Operation& op);
  void PrintOperand(const Value* value);
  // " loc(..)", if locations are written.
  void PrintLocation(const Location* location);
  void PrintOperands(absl::Span<const Ref<Value>> values);
  // "T, U"
  template <typename Values>
  void PrintTypes(const Values& values) {
    AttributePrinter attributes(out_);
    absl::string_view separator;
    for (const Value* value : values) {
      out_.append(separator.data(), separator.size());
      attributes.Append(*value->type());
      separator = ", ";
    }
  }
  void PrintFunctional(const Operation& op);
  void PrintDictionary(absl::Span<const NamedAttribute> fields);
  void NameResults(const Operation& op);
  void NameArguments(const Block& block, absl::string_view prefix);
  void Indent(int indent) { out_.append(static_cast<size_t>(indent) * 2, ' '); }
  AttributePrinter Attributes(const Operation& op);

  // print_forms.cc
  // Whether the pretty form says all that there is of the operation.
  bool HasPrettyForm(const Operation& op) const;
  bool FitsItem(const Operation& op, const FormItem& item) const;
  void PrintPretty(const Operation& op, const Form& form, int indent);
  void PrintFormItem(const Operation& op, const Form& form, const FormItem& item, int indent);
  void PrintRest(const Operation& op, const Form& form);  // " {..}" of what the form does not say
  std::vector<NamedAttribute> Unwritten(const Operation& op, const Form& form) const;

  // print_special_forms.cc
  bool FitsSpecial(const Operation& op, SpecialForm form) const;
  void PrintSpecial(const Operation& op, const Form& form, SpecialForm special, int indent);
  void PrintWindow(const Operation& op);
  void PrintDotDimensions(const Operation& op);
  void PrintReduce(const Operation& op, const Form& form, int indent);
  void PrintWhile(const Operation& op, const Form& form, int indent);
  void PrintScan(const Operation& op, const Form& form, int indent);
  void PrintModule(const Operation& op, const Form& form, int indent);
  void PrintFunction(const Operation& op, const Form& form, int indent);
  void PrintShardedRegion(const Operation& op, const Form& form, bool named, int indent);
  void PrintRegionArguments(const Block& block, size_t from, size_t step);

  PrintForm form_;
  bool locations_;
  LocationAliases location_aliases_;
  std::string out_;
  absl::flat_hash_map<const Value*, std::string> names_;
  // Of the function that is printed.
  int64_t next_result_ = 0;
  int64_t next_argument_ = 0;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_PRINT_TEXT_H_
