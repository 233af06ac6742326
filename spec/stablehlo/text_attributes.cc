// Attributes of every dialect: numbers, strings, lists, dictionaries, symbols, types, and those
// that begin with "#". Reference stablehlo_format.md 1.2.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/element/element.h"
#include "spec/stablehlo/dense_reader.h"
#include "spec/stablehlo/float_text.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The value of a kInteger token; false where it is more than 64 bits.
bool IntegerValue(absl::string_view spelling, uint64_t& value) {
  if (absl::StartsWith(spelling, "0x")) return absl::SimpleHexAtoi(spelling, &value);
  return absl::SimpleAtoi(spelling, &value);
}

}  // namespace

const Attribute* TextReader::NewInteger(int64_t value, const Type* type) {
  Attribute* attribute = New(AttributeKind::kInteger);
  attribute->integer = value;
  attribute->type = type;
  return attribute;
}

const Attribute* TextReader::NewBool(bool value) {
  Attribute* attribute = New(AttributeKind::kBool);
  attribute->integer = value ? 1 : 0;
  attribute->type = program_.Scalar(ElementType::kPred);
  return attribute;
}

const Attribute* TextReader::NewString(absl::string_view text) {
  Attribute* attribute = New(AttributeKind::kString);
  attribute->text = text;
  return attribute;
}

const Attribute* TextReader::NewInts(std::vector<int64_t> values, const Type* element) {
  Attribute* attribute = New(AttributeKind::kInts);
  attribute->ints = std::move(values);
  attribute->type = element;
  return attribute;
}

const Attribute* TextReader::NewTensor(absl::Span<const int64_t> values, const Type* type) {
  Attribute* tensor = New(AttributeKind::kDense);
  tensor->type = type;
  tensor->byte_count = static_cast<int64_t>(values.size()) * 8;
  tensor->bytes = std::make_shared<std::byte[]>(tensor->byte_count);
  for (size_t i = 0; i < values.size(); ++i) {
    StoreElement(ElementType::kS64, {static_cast<uint64_t>(values[i]), 0}, tensor->bytes.get(),
                 static_cast<int64_t>(i));
  }
  NormalizeSplat(8, *tensor);
  return tensor;
}

const Attribute* TextReader::NewTypeAttribute(const Type* type) {
  Attribute* attribute = New(AttributeKind::kType);
  attribute->type = type;
  return attribute;
}

bool TextReader::ReadAttribute(const Attribute*& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  switch (lexer_.kind()) {
    case kInteger:
    case kFloat:
    case '-':
      return ReadNumberAttribute(out);
    case kString: {
      absl::string_view text;
      if (!ReadString(text)) return false;
      Attribute* string = New(AttributeKind::kString);
      string->text = text;
      out = string;
      return !lexer_.Eat(':') || ReadType(string->type);
    }
    case '[':
      return ReadListAttribute(out);
    case '{':
      return ReadDictionaryAttribute(out);
    case kSymbolId:
      return ReadSymbolAttribute(out);
    case kHashId:
      return ReadDialectAttribute(out);
    case kBareId:
      return ReadWordAttribute(out);
    case '(':
    case kBangId: {
      const Type* type;
      if (!ReadType(type)) return false;
      out = NewTypeAttribute(type);
      return true;
    }
    default:
      return FailExpected("an attribute");
  }
}

bool TextReader::ReadWordAttribute(const Attribute*& out) {
  const absl::string_view word = lexer_.spelling();
  if (word == "true" || word == "false") {
    lexer_.Next();
    out = NewBool(word == "true");
    return true;
  }
  if (word == "unit") {
    lexer_.Next();
    out = New(AttributeKind::kUnit);
    return true;
  }
  if (word == "dense") return ReadDense(out);
  if (word == "dense_resource") return ReadDenseResource(out);
  if (word == "array") return ReadArrayAttribute(out);
  if (word == "sparse") return ReadSparse(out);
  if (word == "loc") {
    Attribute* location = New(AttributeKind::kLocation);
    out = location;
    return ReadOptionalLocation(location->location);
  }
  if (word == "affine_map" || word == "affine_set" || word == "strided" || word == "distinct") {
    const char* begin = lexer_.token().begin;
    lexer_.Next();
    Attribute* opaque = New(AttributeKind::kOpaque);
    out = opaque;
    if (word == "distinct" && lexer_.Eat('[')) {
      int64_t number;
      if (!ReadInteger(number) || !Expect(']', "']' after the number")) return false;
    }
    if (!lexer_.Is('<')) return FailExpected(absl::StrCat("'<' after '", word, "'"));
    return ReadOpaqueBody(begin, opaque->text);
  }
  const Type* type;
  if (!ReadType(type)) return false;
  out = NewTypeAttribute(type);
  return true;
}

// "5", "5 : i32", "-1.5 : f32", "0x7FC00000 : f32".
bool TextReader::ReadNumberAttribute(const Attribute*& out) {
  const char* at = lexer_.token().begin;
  const bool negative = lexer_.Eat('-');
  const TextToken number = lexer_.token();
  if (number.kind != kInteger && number.kind != kFloat) return FailExpected("a number after '-'");
  lexer_.Next();
  const Type* type = program_.Scalar(number.kind == kFloat ? ElementType::kF64 : ElementType::kS64);
  if (lexer_.Eat(':') && !ReadType(type)) return false;
  if (type->kind == TypeKind::kScalar && IsFloat(type->element)) {
    const TextToken after = lexer_.token();
    lexer_.Restore(number);
    Attribute* value = New(AttributeKind::kFloat);
    value->type = type;
    out = value;
    if (!ReadFloatBits(*type, negative, value->integer)) return false;
    lexer_.Restore(after);
    return true;
  }
  const bool is_integer = type->kind == TypeKind::kIndex || type->kind == TypeKind::kInteger ||
                          (type->kind == TypeKind::kScalar && !IsComplex(type->element));
  if (!is_integer) return FailAt(at, "a number must have an integer or a float type");
  if (number.kind == kFloat) return FailAt(at, "this is not an integer, although its type is one");
  uint64_t value;
  if (!IntegerValue(number.spelling(), value) || (negative && value > uint64_t{1} << 63)) {
    return FailAt(at, "this number has more than 64 bits");
  }
  if (type->kind == TypeKind::kScalar) {
    const ElementType element = type->element;
    const int bits = Info(element).bits;
    const bool is_unsigned = IsUnsigned(element);
    // Without a sign, the larger half is read as the negative number of the same bits.
    const uint64_t largest = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    if (negative && is_unsigned) return FailAt(at, "an unsigned integer must not be negative");
    if (negative ? value > uint64_t{1} << (bits - 1) : value > largest) {
      return FailAt(at, absl::StrCat("this number does not fit into ", bits, " bits"));
    }
    if (element == ElementType::kPred) {
      out = NewBool((value & 1) != 0);
      return true;
    }
    if (negative) value = 0 - value;
    const uint64_t pattern = EncodeInteger(element, value);
    out = NewInteger(is_unsigned ? static_cast<int64_t>(DecodeUnsigned(element, pattern))
                                 : DecodeSigned(element, pattern),
                     type);
    return true;
  }
  out = NewInteger(static_cast<int64_t>(negative ? 0 - value : value), type);
  return true;
}

// The bits of a float type from a number that stands at the current token.
bool TextReader::ReadFloatBits(const Type& type, bool negative, int64_t& bits) {
  const absl::string_view spelling = lexer_.spelling();
  if (lexer_.Is(kInteger)) {
    if (!absl::StartsWith(spelling, "0x")) {
      return Fail("a float needs a decimal point, or hexadecimal digits that are its bits");
    }
    if (negative) return Fail("the bits of a float have no sign of their own");
    uint64_t value;
    const int width = Info(type.element).bits;
    if (!absl::SimpleHexAtoi(spelling, &value) || (width < 64 && value >> width != 0)) {
      return Fail(absl::StrCat("these bits are more than the ", width, " of the type"));
    }
    bits = static_cast<int64_t>(value);
  } else {
    double value;
    if (!lexer_.Is(kFloat) || !ReadDecimal(spelling, value)) return FailExpected("a float");
    bits = static_cast<int64_t>(EncodeDecimal(type.element, negative ? -value : value));
  }
  lexer_.Next();
  return true;
}

// array<i64: 1, 2>
bool TextReader::ReadArrayAttribute(const Attribute*& out) {
  lexer_.Next();
  if (!Expect('<', "'<' after 'array'")) return false;
  const char* at = lexer_.token().begin;
  const Type* type;
  if (!ReadType(type)) return false;
  if (type->kind != TypeKind::kScalar || IsComplex(type->element)) {
    return FailAt(at, "the elements of an array must be integers or floats");
  }
  std::vector<int64_t> values;
  if (lexer_.Eat(':')) {
    if (!ReadItems('>', "numbers", [&] {
          int64_t value;
          if (type->element == ElementType::kPred && lexer_.Is(kBareId)) {
            bool boolean;
            if (!ReadBoolean(boolean)) return false;
            value = boolean ? 1 : 0;
          } else if (IsFloat(type->element)) {
            const bool negative = lexer_.Eat('-');
            if (!ReadFloatBits(*type, negative, value)) return false;
          } else if (!ReadInteger(value)) {
            return false;
          }
          values.push_back(value);
          return true;
        })) {
      return false;
    }
  } else if (!Expect('>', "':' and numbers, or '>' at the end of the array")) {
    return false;
  }
  out = NewInts(std::move(values), type);
  return true;
}

bool TextReader::ReadListAttribute(const Attribute*& out) {
  lexer_.Next();
  Attribute* list = New(AttributeKind::kArray);
  out = list;
  return ReadItems(']', "attributes", [&] {
    const Attribute* element;
    if (!ReadAttribute(element)) return false;
    list->elements.push_back(element);
    return true;
  });
}

// From "{" on; sorted by name at the end.
bool TextReader::ReadDictionary(std::vector<NamedAttribute>& fields) {
  const char* at = lexer_.token().begin;
  if (!Expect('{', "'{' before attributes")) return false;
  if (!ReadItems('}', "attributes", [&] {
        NamedAttribute field;
        if (lexer_.Is(kString)) {
          if (!ReadString(field.name)) return false;
        } else if (lexer_.Is(kBareId)) {
          field.name = lexer_.spelling();
          lexer_.Next();
        } else {
          return FailExpected("the name of an attribute");
        }
        if (lexer_.Eat('=')) {
          if (!ReadAttribute(field.value)) return false;
        } else {
          field.value = New(AttributeKind::kUnit);
        }
        fields.push_back(field);
        return true;
      })) {
    return false;
  }
  std::stable_sort(
      fields.begin(), fields.end(),
      [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  for (size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].name == fields[i - 1].name) {
      return FailAt(at, absl::StrCat("the attribute '", fields[i].name, "' is given twice"));
    }
  }
  return true;
}

bool TextReader::ReadDictionaryAttribute(const Attribute*& out) {
  Attribute* dictionary = New(AttributeKind::kDictionary);
  out = dictionary;
  return ReadDictionary(dictionary->fields);
}

bool TextReader::ReadSymbolAttribute(const Attribute*& out) {
  Attribute* symbol = New(AttributeKind::kSymbol);
  out = symbol;
  return ReadSymbol(symbol->text);
}

// "#name" of an alias, "#dialect.name<..>" or "#dialect<name ..>".
bool TextReader::ReadDialectAttribute(const Attribute*& out) {
  const char* begin = lexer_.token().begin;
  absl::string_view name = lexer_.name();
  const bool has_body = lexer_.token().end != lexer_.end() && *lexer_.token().end == '<';
  if (!absl::StrContains(name, '.') && !has_body) {
    Alias* alias;
    if (!ResolveAlias('#', alias)) return false;
    if (alias->attribute == nullptr) {
      return FailAt(begin, "this alias does not stand for an attribute");
    }
    out = alias->attribute;
    return true;
  }
  std::string full(name);
  const TextToken start = lexer_.token();
  lexer_.Next();
  bool angled = false;  // #dialect<name ..>: the rest of the body is in the same brackets
  if (!absl::StrContains(full, '.') && lexer_.Is('<')) {
    lexer_.Next();
    if (lexer_.Is(kBareId)) {
      absl::StrAppend(&full, ".", lexer_.spelling());
      angled = true;
      lexer_.Next();
    }
  }
  const EnumRow* row = FindEnum(full);
  // What mhlo shares with StableHLO is one attribute here.
  if (row == nullptr && absl::StartsWith(full, "mhlo.")) {
    full = absl::StrCat("stablehlo.", full.substr(5));
    row = FindEnum(full);
  }
  if (row != nullptr) {
    if (!angled && !Expect('<', "'<' before the value of the enumeration")) return false;
    return ReadEnumWord(*row, out) && Expect('>', "'>' after the value of the enumeration");
  }
  if (full == "stablehlo.bounds" || full == "stablehlo.type_extensions") {
    Attribute* record = New(AttributeKind::kRecord);
    record->name = "stablehlo.bounds";
    out = record;
    return ReadBounds(*record);
  }
  const RecordRow* record = FindRecord(full);
  if (record != nullptr) {
    return ReadRecord(*record, out) && (!angled || Expect('>', "'>' after the attribute"));
  }
  lexer_.Restore(start);
  lexer_.Next();
  Attribute* opaque = New(AttributeKind::kOpaque);
  out = opaque;
  if (lexer_.Is('<')) return ReadOpaqueBody(begin, opaque->text);
  opaque->text = start.spelling();
  return true;
}

// The text of balanced brackets from the current "<" on; `spelling` begins at `begin`. Strings and
// arrows are units.
bool TextReader::ReadOpaqueBody(const char* begin, absl::string_view& spelling) {
  const char* open_at = lexer_.token().begin;
  std::string closers;
  const char* at = open_at;
  for (; at != lexer_.end(); ++at) {
    switch (*at) {
      case '<':
        closers.push_back('>');
        break;
      case '(':
        closers.push_back(')');
        break;
      case '[':
        closers.push_back(']');
        break;
      case '{':
        closers.push_back('}');
        break;
      case '-':
        if (at + 1 != lexer_.end() && at[1] == '>') ++at;
        break;
      case '"':
        for (++at; at != lexer_.end() && *at != '"' && *at != '\n'; ++at) {
          if (*at == '\\' && at + 1 != lexer_.end()) ++at;
        }
        if (at == lexer_.end() || *at != '"') return FailAt(open_at, "a string in here has no end");
        break;
      case '>':
      case ')':
      case ']':
      case '}':
        if (closers.back() != *at) {
          return FailAt(at, absl::StrCat("expected '", std::string(1, closers.back()), "' here"));
        }
        closers.pop_back();
        break;
      default:
        break;
    }
    if (closers.empty()) break;
    if (closers.size() > kMaxDepth) return FailDepth();
  }
  if (at == lexer_.end()) return FailAt(open_at, "the bracket that opens here is not closed");
  spelling = absl::string_view(begin, at + 1 - begin);
  lexer_.MoveTo(at + 1);
  return true;
}

bool TextReader::ReadInteger(int64_t& value) {
  const char* at = lexer_.token().begin;
  const bool negative = lexer_.Eat('-');
  if (!lexer_.Is(kInteger)) return FailExpected("an integer");
  uint64_t magnitude;
  if (!IntegerValue(lexer_.spelling(), magnitude) ||
      magnitude > (uint64_t{1} << 63) - (negative ? 0 : 1)) {
    return FailAt(at, "this number does not fit into 64 bits");
  }
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  lexer_.Next();
  return true;
}

bool TextReader::ReadUnsigned(uint64_t& value) {
  if (!lexer_.Is(kInteger)) return FailExpected("an integer without a sign");
  if (!IntegerValue(lexer_.spelling(), value)) {
    return FailAt(lexer_.token().begin, "this number does not fit into 64 bits");
  }
  lexer_.Next();
  return true;
}

bool TextReader::ReadIntegerList(std::vector<int64_t>& values) {
  if (!Expect('[', "'[' before a list of integers")) return false;
  return ReadItems(']', "integers", [&] {
    int64_t value;
    if (!ReadInteger(value)) return false;
    values.push_back(value);
    return true;
  });
}

bool TextReader::ReadBoolean(bool& value) {
  if (!lexer_.IsWord("true") && !lexer_.IsWord("false")) return FailExpected("true or false");
  value = lexer_.spelling() == "true";
  lexer_.Next();
  return true;
}

bool TextReader::ReadString(absl::string_view& value) {
  if (!lexer_.Is(kString)) return FailExpected("a string");
  const TextToken token = lexer_.token();
  lexer_.Next();
  return DecodeString(token.spelling(), token.begin, value);
}

// The text of a quoted string, its escapes replaced: \" \\ \n \t and two hexadecimal digits.
bool TextReader::DecodeString(absl::string_view quoted, const char* at, absl::string_view& value) {
  absl::string_view inner = quoted.substr(1, quoted.size() - 2);
  if (!absl::StrContains(inner, '\\')) {
    value = inner;
    return true;
  }
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      out.push_back(inner[i]);
      continue;
    }
    const char c = ++i < inner.size() ? inner[i] : '\0';
    const int low = i + 1 < inner.size() ? HexDigit(inner[i + 1]) : -1;
    if (c == '"' || c == '\\') {
      out.push_back(c);
    } else if (c == 'n' || c == 't') {
      out.push_back(c == 'n' ? '\n' : '\t');
    } else if (HexDigit(c) >= 0 && low >= 0) {
      out.push_back(static_cast<char>(HexDigit(c) * 16 + low));
      ++i;
    } else {
      return FailAt(at,
                    absl::StrCat("a backslash must be followed by n, t, a quote, a backslash or ",
                                 "two hexadecimal digits"));
    }
  }
  value = program_.Intern(out);
  return true;
}

bool TextReader::ReadSymbol(absl::string_view& value) {
  std::string nested;
  bool first = true;
  do {
    if (!lexer_.Is(kSymbolId)) return FailExpected("a symbol, as @name");
    const TextToken token = lexer_.token();
    absl::string_view part = lexer_.name();
    lexer_.Next();
    if (part[0] == '"' && !DecodeString(part, token.begin, part)) return false;
    if (first && !lexer_.Is(kColonColon)) {
      value = part;
      return true;
    }
    absl::StrAppend(&nested, first ? "" : "::", part);
    first = false;
  } while (lexer_.Eat(kColonColon));
  value = program_.Intern(nested);
  return true;
}

}  // namespace assay::stablehlo
