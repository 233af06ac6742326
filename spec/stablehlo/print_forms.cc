// Pretty forms that their format describes; an operation that its form does not fit is printed
// generic, which is legal everywhere.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/print_text.h"

namespace assay::stablehlo {
namespace {

bool HaveOneType(absl::Span<const Ref<Value>> values, const Type* type) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Value* value) { return value->type() == type; });
}

// Whether one type stands for all operands and the one result.
bool IsSame(const Operation& op) {
  return op.results().size() == 1 && HaveOneType(op.operands(), op.results()[0]->type());
}

// Whether the text of an attribute's kind is what its form reads back.
bool FitsField(const Field& field, const Attribute& value) {
  switch (field.kind) {
    case FieldKind::kInts:
    case FieldKind::kBools:
      return value.kind == AttributeKind::kInts;
    case FieldKind::kRecord:
      return value.kind == AttributeKind::kRecord;
    case FieldKind::kEnums:
      return value.kind == AttributeKind::kArray;
    case FieldKind::kString:
      return value.type == nullptr;
    default:
      return true;
  }
}

}  // namespace

bool TextPrinter::HasPrettyForm(const Operation& op) const {
  const Form* form = op.row() == nullptr ? nullptr : FindForm(*op.row());
  if (form == nullptr) return false;
  int optional = 0;  // the items of an optional group that are left
  for (const FormItem& item : form->items) {
    if (optional > 0) {
      --optional;
      const Attribute* value = item.field == nullptr ? nullptr : op.Find(item.field->name);
      if (value != nullptr && !FitsField(*item.field, *value)) return false;
      continue;
    }
    if (item.step == FormStep::kOptional) optional = item.count;
    if (!FitsItem(op, item)) return false;
  }
  const bool may_have_regions =
      std::any_of(form->items.begin(), form->items.end(),
                  [](const FormItem& item) { return item.step == FormStep::kSpecial; });
  return may_have_regions || op.regions().empty();
}

bool TextPrinter::FitsItem(const Operation& op, const FormItem& item) const {
  switch (item.step) {
    case FormStep::kAttribute:
    case FormStep::kSymbolName: {
      const Attribute* value = op.Find(item.field->name);
      return value != nullptr && FitsField(*item.field, *value);
    }
    case FormStep::kOperands:
      return item.count < 0 || static_cast<size_t>(item.count) <= op.operands().size();
    case FormStep::kSameType:
      return op.results().size() == 1 || !op.operands().empty();
    case FormStep::kResultTypes:
      return op.operands().empty() && !op.results().empty();
    case FormStep::kOneType:
      return IsSame(op);
    case FormStep::kOperandType:
      return !op.operands().empty() && op.results().empty() &&
             HaveOneType(op.operands(), op.operands()[0]->type());
    case FormStep::kOperandTypes:
      return !op.operands().empty() && op.results().empty();
    case FormStep::kArrowType:
      // A function type would read as the rest of the list.
      return !op.operands().empty() &&
             std::all_of(op.operands().begin(), op.operands().end(), [](const Value* value) {
               return value->type()->kind != TypeKind::kFunction;
             });
    case FormStep::kTypeToType:
      return op.operands().size() == 1 && op.results().size() == 1;
    case FormStep::kSpecial:
      return FitsSpecial(op, item.special);
    default:
      return true;
  }
}

std::vector<NamedAttribute> TextPrinter::Unwritten(const Operation& op, const Form& form) const {
  std::vector<NamedAttribute> rest;
  for (const NamedAttribute& attribute : op.attributes()) {
    const bool written =
        std::binary_search(form.written.begin(), form.written.end(), attribute.name) ||
        (op.row()->sized && absl::EndsWith(attribute.name, "SegmentSizes"));
    if (!written) rest.push_back(attribute);
  }
  return rest;
}

void TextPrinter::PrintRest(const Operation& op, const Form& form) {
  const std::vector<NamedAttribute> rest = Unwritten(op, form);
  if (rest.empty()) return;
  out_.push_back(' ');
  Attributes(op).AppendDictionary(rest);
}

void TextPrinter::PrintPretty(const Operation& op, const Form& form, int indent) {
  // The dialect of functions is understood in their own blocks.
  const bool in_function = op.parent != nullptr && op.parent->parent != nullptr &&
                           op.parent->parent->name() == "func.func";
  absl::string_view name = op.name();
  if (name == "builtin.module" || (in_function && absl::StartsWith(name, "func."))) {
    name = op.row()->short_name();
  }
  absl::StrAppend(&out_, name);
  for (size_t i = 0; i < form.items.size(); ++i) {
    const FormItem& item = form.items[i];
    if (item.step == FormStep::kOptional) {
      if (item.field == nullptr || op.Find(item.field->name) == nullptr) i += item.count;
      continue;
    }
    PrintFormItem(op, form, item, indent);
  }
}

void TextPrinter::PrintFormItem(const Operation& op, const Form& form, const FormItem& item,
                                int indent) {
  AttributePrinter attributes = Attributes(op);
  // Blanks: none before closing punctuation and behind opening one.
  const auto blank = [this] {
    const char last = out_.back();
    const bool joined = last == '=' && out_[out_.size() - 2] != ' ';  // out_sharding=<..>
    if (last != '(' && last != '[' && last != '{' && !joined) out_.push_back(' ');
  };
  // The operands of the form stand in it one list after the other.
  const auto& operands = op.operands();
  switch (item.step) {
    case FormStep::kToken:
      if (item.text == "(" && absl::EndsWith(op.name(), "convolution")) {
        out_.push_back('(');
      } else if (item.text == "," || item.text == ")" || item.text == "]" || item.text == "}" ||
                 item.text == "[" || item.text == "(") {
        absl::StrAppend(&out_, item.text);
      } else {
        blank();
        absl::StrAppend(&out_, item.text);
      }
      return;
    case FormStep::kOperands: {
      if (operands.empty()) return;
      blank();
      const size_t count = item.count < 0 ? operands.size() : static_cast<size_t>(item.count);
      PrintOperands(absl::MakeConstSpan(operands).first(count));
      return;
    }
    case FormStep::kOperandsAndCommas:
      for (const Value* operand : operands) {
        blank();
        PrintOperand(operand);
        out_.push_back(',');
      }
      return;
    case FormStep::kAttribute:
      blank();
      attributes.AppendField(*item.field, *op.Find(item.field->name));
      return;
    case FormStep::kSymbolName:
      blank();
      attributes.AppendSymbol(op.Find(item.field->name)->text);
      return;
    case FormStep::kDictionary:
      return PrintRest(op, form);
    case FormStep::kSameType:
      blank();
      if (!IsSame(op)) return PrintFunctional(op);
      attributes.Append(*op.results()[0]->type());
      return;
    case FormStep::kFunctionType:
      blank();
      return PrintFunctional(op);
    case FormStep::kResultTypes:
      blank();
      return PrintTypes(op.results());
    case FormStep::kOneType:
    case FormStep::kOperandType:
      blank();
      attributes.Append(*operands[0]->type());
      return;
    case FormStep::kOperandTypes:
      blank();
      return PrintTypes(operands);
    case FormStep::kArrowType: {
      blank();
      PrintTypes(operands);
      out_.append(" -> ");
      std::vector<const Type*> results;
      for (const Value* value : op.results()) results.push_back(value->type());
      attributes.AppendResultTypes(results);
      return;
    }
    case FormStep::kTypeToType:
      blank();
      attributes.Append(*operands[0]->type());
      out_.append(" to ");
      attributes.Append(*op.results()[0]->type());
      return;
    case FormStep::kSpecial:
      return PrintSpecial(op, form, item.special, indent);
    case FormStep::kOptional:
      return;
  }
}

}  // namespace assay::stablehlo
