#include "spec/stablehlo/print_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace assay::stablehlo {
namespace {

// Segment sizes are properties, although no row lists them.
bool IsInherent(const Operation& op, absl::string_view name) {
  if (op.row() == nullptr) return false;
  // What older versions do not know they would drop silently from among the properties.
  const Field* field = op.row()->FindAttribute(name);
  return field != nullptr ? field->presence != Presence::kNewer
                          : op.row()->sized && absl::EndsWith(name, "SegmentSizes");
}

}  // namespace

AttributePrinter TextPrinter::Attributes(const Operation& op) {
  return AttributePrinter(out_, absl::StartsWith(op.name(), "mhlo."));
}

std::string TextPrinter::Print(const Program& program) {
  PrintOperation(*program.module, 0);
  out_.append(location_aliases_.definitions());
  return std::move(out_);
}

void TextPrinter::PrintOperation(const Operation& op, int indent) {
  Indent(indent);
  NameResults(op);
  PrintResultNames(op);
  if (form_ == PrintForm::kPretty && HasPrettyForm(op)) {
    PrintPretty(op, *FindForm(*op.row()), indent);
  } else {
    PrintGeneric(op, indent);
  }
  PrintLocation(op.location);
  out_.push_back('\n');
}

void TextPrinter::PrintLocation(const Location* location) {
  if (locations_) absl::StrAppend(&out_, " ", location_aliases_.Reference(location));
}

// Names.

void TextPrinter::NameResults(const Operation& op) {
  if (op.results().empty()) return;
  const std::string base = absl::StrCat("%", next_result_++);
  if (op.results().size() == 1) {
    names_[op.results()[0]] = base;
    return;
  }
  for (size_t i = 0; i < op.results().size(); ++i) {
    names_[op.results()[i]] = absl::StrCat(base, "#", i);
  }
}

void TextPrinter::PrintResultNames(const Operation& op) {
  if (op.results().empty()) return;
  const std::string& first = names_[op.results()[0]];
  absl::StrAppend(&out_, absl::string_view(first).substr(0, first.find('#')));
  if (op.results().size() > 1) absl::StrAppend(&out_, ":", op.results().size());
  out_.append(" = ");
}

void TextPrinter::NameArguments(const Block& block, absl::string_view prefix) {
  for (const Value* argument : block.arguments) {
    names_[argument] = absl::StrCat(prefix, next_argument_++);
  }
}

void TextPrinter::PrintOperand(const Value* value) {
  const auto it = names_.find(value);
  // Only a tree that no reader made uses what is not defined.
  out_.append(it == names_.end() ? "%undefined" : it->second);
}

void TextPrinter::PrintOperands(absl::Span<const Ref<Value>> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out_.append(", ");
    PrintOperand(values[i]);
  }
}

void TextPrinter::PrintFunctional(const Operation& op) {
  std::vector<const Type*> operands, results;
  for (const Value* value : op.operands()) operands.push_back(value->type());
  for (const Value* value : op.results()) results.push_back(value->type());
  AttributePrinter attributes = Attributes(op);
  attributes.AppendTypeList(operands);
  out_.append(" -> ");
  attributes.AppendResultTypes(results);
}

void TextPrinter::PrintGeneric(const Operation& op, int indent) {
  AttributePrinter attributes = Attributes(op);
  attributes.AppendString(op.name());
  out_.push_back('(');
  PrintOperands(op.operands());
  out_.push_back(')');
  std::vector<NamedAttribute> properties, others;
  for (const NamedAttribute& attribute : op.attributes()) {
    (IsInherent(op, attribute.name) ? properties : others).push_back(attribute);
  }
  if (!properties.empty()) {
    out_.append(" <");
    attributes.AppendDictionary(properties);
    out_.push_back('>');
  }
  const bool function = op.name() == "func.func";
  const int64_t results = next_result_;
  const int64_t arguments = next_argument_;
  if (function) next_result_ = next_argument_ = 0;
  if (!op.regions().empty()) {
    out_.append(" (");
    for (size_t i = 0; i < op.regions().size(); ++i) {
      if (i > 0) out_.append(", ");
      PrintRegion(op.regions()[i], indent, /*label_first=*/true);
    }
    out_.push_back(')');
  }
  if (function) {
    next_result_ = results;
    next_argument_ = arguments;
  }
  if (!others.empty()) {
    out_.push_back(' ');
    attributes.AppendDictionary(others);
  }
  out_.append(" : ");
  PrintFunctional(op);
}

// "{", the blocks, "}". Without `label_first` the first block's arguments stand elsewhere already.
void TextPrinter::PrintRegion(const Region& region, int indent, bool label_first) {
  out_.append("{\n");
  for (size_t i = 0; i < region.blocks().size(); ++i) {
    const Block& block = *region.blocks()[i];
    // A block without anything in it is only there by its label.
    if (i > 0 || (label_first && (!block.arguments.empty() || block.operations.empty()))) {
      NameArguments(block, "%arg");
      PrintBlockLabel(block, i, indent);
    }
    PrintBlockBody(block, indent + 1);
  }
  Indent(indent);
  out_.push_back('}');
}

void TextPrinter::PrintBlockLabel(const Block& block, size_t number, int indent) {
  Indent(indent);
  absl::StrAppend(&out_, "^bb", number);
  if (!block.arguments.empty()) {
    out_.push_back('(');
    PrintRegionArguments(block, 0, 1);
    out_.push_back(')');
  }
  out_.append(":\n");
}

// "%a: T, %b: U": every `step`-th argument from `from` on.
void TextPrinter::PrintRegionArguments(const Block& block, size_t from, size_t step) {
  for (size_t i = from; i < block.arguments.size(); i += step) {
    if (i > from) out_.append(", ");
    PrintOperand(block.arguments[i]);
    out_.append(": ");
    AttributePrinter(out_).Append(*block.arguments[i]->type());
    PrintLocation(block.arguments[i]->location());
  }
}

void TextPrinter::PrintBlockBody(const Block& block, int indent) {
  for (const Operation* op : block.operations) PrintOperation(*op, indent);
}

void TextPrinter::PrintDictionary(absl::Span<const NamedAttribute> fields) {
  if (fields.empty()) return;
  out_.push_back(' ');
  AttributePrinter(out_).AppendDictionary(fields);
}

std::string PrintText(const Program& program, PrintForm form, PrintLocations locations) {
  return TextPrinter(form, locations).Print(program);
}

}  // namespace assay::stablehlo
