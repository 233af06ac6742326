// Pretty forms that their format describes: the steps of forms.h, one after the other.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

bool TextReader::IsToken(absl::string_view text) const {
  // A word may carry the "=" behind it: out_sharding=.
  if (text.size() > 1 && text.back() == '=') text.remove_suffix(1);
  return lexer_.spelling() == text;
}

bool TextReader::ReadToken(absl::string_view text) {
  if (!IsToken(text)) return FailExpected(absl::StrCat("'", text, "'"));
  lexer_.Next();
  if (text.size() > 1 && text.back() == '=') return Expect('=', "'='");
  return true;
}

bool TextReader::ReadForm(Pending& pending) {
  const std::vector<FormItem>& items = pending.form->items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].step == FormStep::kOptional) {
      // The group is there when its first token is.
      if (!IsToken(items[i + 1].text) || (lexer_.Is(',') && items[i + 2].step == FormStep::kToken &&
                                          !NextWordIs(items[i + 2].text))) {
        i += items[i].count;
      }
      continue;
    }
    if (!ReadFormItem(pending, items[i])) return false;
  }
  return true;
}

// Whether the token behind the current one is this word.
bool TextReader::NextWordIs(absl::string_view word) const {
  const char* at = lexer_.SkipBlanks(lexer_.token().end);
  return absl::string_view(at, std::min<size_t>(lexer_.end() - at, word.size())) == word;
}

bool TextReader::ReadFormItem(Pending& pending, const FormItem& item) {
  const Attribute* value;
  switch (item.step) {
    case FormStep::kToken:
      return ReadToken(item.text);
    case FormStep::kOperands:
      if (item.count < 0 && !lexer_.Is(kValueId)) return true;
      for (int i = 0; item.count < 0 || i < item.count; ++i) {
        if (i > 0 && !Expect(',', "',' between operands")) return false;
        if (!ReadOperand(pending)) return false;
        if (item.count < 0 && !lexer_.Is(',')) break;
      }
      return true;
    case FormStep::kOperandsAndCommas:
      while (lexer_.Is(kValueId)) {
        if (!ReadOperand(pending) || !Expect(',', "',' after an operand")) return false;
      }
      return true;
    case FormStep::kAttribute:
      if (!ReadField(*item.field, value)) return false;
      AddAttribute(pending, item.field->name, value);
      return true;
    case FormStep::kSymbolName: {
      absl::string_view name;
      if (!ReadSymbol(name)) return false;
      AddAttribute(pending, item.field->name, NewString(name));
      return true;
    }
    case FormStep::kDictionary:
      return ReadOptionalDictionary(pending);
    case FormStep::kSameType:
      return ReadSameType(pending);
    case FormStep::kFunctionType:
      return ReadFunctional(pending);
    case FormStep::kArrowType:
      return ReadArrowType(pending);
    case FormStep::kOneType:
      return ReadOneType(pending, true);
    case FormStep::kOperandType:
      return ReadOneType(pending, false);
    case FormStep::kTypeToType:
      return ReadTypeToType(pending);
    case FormStep::kResultTypes:
    case FormStep::kOperandTypes: {
      TypeList types;
      do {
        const Type* type;
        if (!ReadType(type)) return false;
        types.push_back(type);
      } while (lexer_.Eat(','));
      return item.step == FormStep::kResultTypes ? SetResults(pending, types)
                                                 : CheckOperandTypes(pending, types);
    }
    case FormStep::kSpecial:
      return ReadSpecial(pending, item.special);
    case FormStep::kOptional:
      break;
  }
  return true;
}

bool TextReader::ReadOptionalDictionary(Pending& pending) {
  if (!lexer_.Is('{')) return true;
  std::vector<NamedAttribute> fields;
  if (!ReadDictionary(fields)) return false;
  pending.attributes.insert(pending.attributes.end(), fields.begin(), fields.end());
  return true;
}

// "T" for all, or a function type.
bool TextReader::ReadSameType(Pending& pending) {
  if (lexer_.Is('(')) return ReadFunctional(pending);
  return ReadOneType(pending, true);
}

bool TextReader::ReadFunctional(Pending& pending) {
  TypeList inputs, results;
  return ReadTypesInParentheses(inputs) && Expect(kArrow, "'->' between the types") &&
         ReadResultTypes(results) && CheckOperandTypes(pending, inputs) &&
         SetResults(pending, results);
}

// "T, U -> R" or "T -> (R, S)"; some printers write parentheses around the operands, too.
bool TextReader::ReadArrowType(Pending& pending) {
  if (lexer_.Is('(')) return ReadFunctional(pending);
  TypeList inputs, results;
  do {
    const Type* type;
    if (!ReadType(type)) return false;
    inputs.push_back(type);
  } while (lexer_.Eat(','));
  return Expect(kArrow, "'->' between the types") && ReadResultTypes(results) &&
         CheckOperandTypes(pending, inputs) && SetResults(pending, results);
}

bool TextReader::ReadOneType(Pending& pending, bool results) {
  const Type* type;
  if (!ReadType(type)) return false;
  const TypeList types(pending.operands.size(), type);
  return CheckOperandTypes(pending, types) && (!results || SetResults(pending, {&type, 1}));
}

bool TextReader::ReadTypeToType(Pending& pending) {
  const Type* from;
  const Type* to;
  return ReadType(from) && ExpectWord("to") && ReadType(to) &&
         CheckOperandTypes(pending, {&from, 1}) && SetResults(pending, {&to, 1});
}

}  // namespace assay::stablehlo
