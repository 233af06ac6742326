// Types: builtin ones, tensors with bounds, StableHLO's and quantised ones; others stay text.
// Reference stablehlo_format.md 1.1.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/stablehlo/float_text.h"
#include "spec/stablehlo/scalar_types.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {
namespace {

// The end of `tensor<..>` that begins with "<" at `at`; null where it is not plain: too long, over
// several lines, or with strings in it.
const char* PlainTypeEnd(const char* at, const char* end) {
  constexpr ptrdiff_t kLongest = 160;
  end = std::min(end, at + std::min<ptrdiff_t>(end - at, kLongest));
  int depth = 0;
  for (; at != end; ++at) {
    if (*at == '<') ++depth;
    if (*at == '"' || *at == '\n' || *at == '-') return nullptr;
    if (*at == '>' && --depth == 0) return at + 1;
  }
  return nullptr;
}

}  // namespace

const Type* TextReader::OpaqueType(absl::string_view text) {
  Type type;
  type.kind = TypeKind::kOpaque;
  type.text = std::string(text);
  return program_.Intern(std::move(type));
}

bool TextReader::ReadType(const Type*& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  // Most types of a program are a few dozen spellings of tensors.
  if (lexer_.IsWord("tensor")) {
    const char* begin = lexer_.token().begin;
    const char* end = PlainTypeEnd(lexer_.token().end, lexer_.end());
    if (end != nullptr) {
      const absl::string_view spelling(begin, end - begin);
      const auto it = types_by_text_.find(spelling);
      if (it != types_by_text_.end()) {
        out = it->second;
        lexer_.MoveTo(end);
        return true;
      }
      if (!ReadTypeUncached(out)) return false;
      types_by_text_.emplace(spelling, out);
      return true;
    }
  }
  return ReadTypeUncached(out);
}

bool TextReader::ReadTypeUncached(const Type*& out) {
  if (lexer_.Is('(')) return ReadFunctionType(out);
  if (lexer_.Is(kBangId)) return ReadDialectType(out);
  if (!lexer_.Is(kBareId)) return FailExpected("a type");
  const absl::string_view word = lexer_.spelling();
  if (word == "tensor") return ReadTensorType(out, TypeKind::kTensor);
  if (word == "memref") return ReadTensorType(out, TypeKind::kMemref);
  if (word == "complex") return ReadComplexType(out);
  if (word == "tuple") return ReadWrappedTypes(out, TypeKind::kTuple);
  if (word == "vector") {
    const char* begin = lexer_.token().begin;
    lexer_.Next();
    absl::string_view spelling;
    if (!lexer_.Is('<')) return FailExpected("'<' after 'vector'");
    if (!ReadOpaqueBody(begin, spelling)) return false;
    out = OpaqueType(spelling);
    return true;
  }
  std::optional<Type> type = ScalarType(word);
  if (!type.has_value()) {
    return Fail(absl::StrCat("expected a type, found '", word, "', which is not the name of one"));
  }
  lexer_.Next();
  out = program_.Intern(*std::move(type));
  return true;
}

// "4x?x": the last x is eaten, what follows it is the element type.
bool TextReader::ReadDimensions(const char*& at, std::vector<int64_t>& dimensions, bool& unranked) {
  const char* end = lexer_.end();
  while (true) {
    at = lexer_.SkipBlanks(at);
    const char* begin = at;
    if (at == end) return FailAt(at, "the text ends within a shape");
    if (*at == '*') {
      unranked = true;
      ++at;
    } else if (*at == '?') {
      dimensions.push_back(kDynamic);
      ++at;
    } else if (absl::ascii_isdigit(static_cast<unsigned char>(*at))) {
      while (at != end && absl::ascii_isdigit(static_cast<unsigned char>(*at))) ++at;
      int64_t size;
      if (!absl::SimpleAtoi(absl::string_view(begin, at - begin), &size)) {
        return FailAt(begin, "this dimension is larger than 2^63 - 1");
      }
      dimensions.push_back(size);
    } else {
      return true;
    }
    at = lexer_.SkipBlanks(at);
    if (at == end || *at != 'x') {
      return FailAt(at, "expected 'x' between a dimension and what follows it");
    }
    ++at;
  }
}

bool TextReader::ReadTensorType(const Type*& out, TypeKind kind) {
  const absl::string_view word = lexer_.spelling();
  lexer_.Next();
  if (!lexer_.Is('<')) return FailExpected(absl::StrCat("'<' after '", word, "'"));
  Type type;
  type.kind = kind;
  const char* at = lexer_.token().end;
  bool unranked = false;
  if (!ReadDimensions(at, type.dimensions, unranked)) return false;
  lexer_.MoveTo(at);
  if (unranked) type.kind = TypeKind::kUnranked;
  const char* element_at = lexer_.token().begin;
  const Type* element;
  if (!ReadType(element)) return false;
  switch (element->kind) {
    case TypeKind::kTensor:
    case TypeKind::kUnranked:
    case TypeKind::kTuple:
    case TypeKind::kToken:
    case TypeKind::kFunction:
    case TypeKind::kFuture:
    case TypeKind::kNone:
      return FailAt(element_at, absl::StrCat("the elements of a ", word, " must be numbers"));
    default:
      break;
  }
  type.types = {element};
  if (lexer_.Is(',') && kind == TypeKind::kTensor) {
    lexer_.Next();
    if (!ReadBounds(type)) return false;
  } else if (lexer_.Is(',')) {
    // Strides and memory spaces of buffers stay text.
    const char* begin = lexer_.token().end;
    while (!lexer_.Is('>') && !lexer_.Is(kEndOfText) && !lexer_.Is(kBadToken)) {
      lexer_.Next();
      absl::string_view spelling;
      if (lexer_.Is('<') && !ReadOpaqueBody(begin, spelling)) return false;
    }
    type.text = std::string(
        absl::StripAsciiWhitespace(absl::string_view(begin, lexer_.token().begin - begin)));
  }
  if (!Expect('>', absl::StrCat("'>' at the end of the ", word, " type"))) return false;
  out = program_.Intern(std::move(type));
  return true;
}

// The encoding of a tensor: bounds of its dynamic dimensions, or anything else.
bool TextReader::ReadBounds(Type& type) {
  const char* at = lexer_.token().begin;
  const Attribute* encoding;
  if (!ReadAttribute(encoding)) return false;
  if (encoding->kind != AttributeKind::kRecord || encoding->name != "stablehlo.bounds") {
    type.encoding = encoding;
    return true;
  }
  type.bounds = encoding->Find("bounds")->ints;
  if (type.bounds.size() != type.dimensions.size()) {
    return FailAt(at, absl::StrCat("there are ", type.bounds.size(), " bounds for ",
                                   type.dimensions.size(), " dimensions"));
  }
  for (size_t i = 0; i < type.bounds.size(); ++i) {
    if (type.bounds[i] == kDynamic) continue;
    if (type.dimensions[i] != kDynamic) {
      return FailAt(at, absl::StrCat("dimension ", i, " has a bound, although its size is known"));
    }
    if (type.bounds[i] < 0) return FailAt(at, "a bound must not be negative");
  }
  return true;
}

bool TextReader::ReadComplexType(const Type*& out) {
  lexer_.Next();
  if (!Expect('<', "'<' after 'complex'")) return false;
  const char* at = lexer_.token().begin;
  const Type* part;
  if (!ReadType(part)) return false;
  if (part->kind != TypeKind::kScalar ||
      (part->element != ElementType::kF32 && part->element != ElementType::kF64)) {
    // MLIR has more complex types than StableHLO and HLO.
    return FailAt(at, "the parts of a complex type must be f32 or f64");
  }
  out =
      program_.Scalar(part->element == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
  return Expect('>', "'>' at the end of the complex type");
}

// tuple<..> and !stablehlo.future<..>: the word was not yet eaten.
bool TextReader::ReadWrappedTypes(const Type*& out, TypeKind kind) {
  lexer_.Next();
  if (!Expect('<', "'<' before the list of types")) return false;
  Type type;
  type.kind = kind;
  if (!ReadItems('>', "types", [&] {
        const Type* part;
        if (!ReadType(part)) return false;
        type.types.push_back(part);
        return true;
      })) {
    return false;
  }
  out = program_.Intern(std::move(type));
  return true;
}

bool TextReader::ReadDialectType(const Type*& out) {
  const char* begin = lexer_.token().begin;
  const absl::string_view name = lexer_.name();
  if (!absl::StrContains(name, '.') && lexer_.PeekCharacter() != '<') {
    Alias* alias;
    if (!ResolveAlias('!', alias)) return false;
    if (alias->type == nullptr) return FailAt(begin, "this alias does not stand for a type");
    out = alias->type;
    return true;
  }
  // !stablehlo<token> is the old spelling of !stablehlo.token.
  if (name == "stablehlo.token" || name == "mhlo.token") {
    lexer_.Next();
    Type type;
    type.kind = TypeKind::kToken;
    out = program_.Intern(std::move(type));
    return true;
  }
  if (name == "stablehlo.future") return ReadWrappedTypes(out, TypeKind::kFuture);
  if (name == "quant.uniform") return ReadQuantizedType(out);
  absl::string_view spelling = lexer_.spelling();
  lexer_.Next();
  if (lexer_.Is('<') && lexer_.token().begin == spelling.data() + spelling.size() &&
      !ReadOpaqueBody(begin, spelling)) {
    return false;
  }
  out = OpaqueType(spelling);
  return true;
}

// !quant.uniform<i8<-128:127>:f32:1, {0.1:5, 0.2}>. The type keeps one spelling of all that mean
// the same.
bool TextReader::ReadQuantizedType(const Type*& out) {
  lexer_.Next();
  if (!Expect('<', "'<' after '!quant.uniform'")) return false;
  const absl::string_view storage = lexer_.spelling();
  std::optional<Type> storage_type = ScalarType(absl::StartsWith(storage, "u8") ? "ui8" : storage);
  if (!lexer_.Is(kBareId) || !storage_type.has_value() || storage_type->kind != TypeKind::kScalar ||
      !IsInteger(storage_type->element)) {
    return FailExpected("the integer type in which the values are stored");
  }
  std::string text = absl::StrCat("!quant.uniform<", storage);
  lexer_.Next();
  if (lexer_.Eat('<')) {
    int64_t low, high;
    if (!ReadInteger(low) || !Expect(':', "':' between the limits of the stored values") ||
        !ReadInteger(high) || !Expect('>', "'>' after the limits of the stored values")) {
      return false;
    }
    const ElementType element = storage_type->element;
    const bool full = IsSigned(element)
                          ? low == MinSigned(element) && high == MaxSigned(element)
                          : low == 0 && static_cast<uint64_t>(high) == MaxUnsigned(element);
    if (!full) absl::StrAppend(&text, "<", low, ":", high, ">");
  }
  if (!Expect(':', "':' before the type that the values stand for")) return false;
  const Type* expressed;
  const absl::string_view expressed_text = lexer_.spelling();
  if (!ReadType(expressed)) return false;
  absl::StrAppend(&text, ":", expressed_text);
  if (lexer_.Eat(':')) {
    int64_t axis;
    if (!ReadInteger(axis)) return false;
    absl::StrAppend(&text, ":", axis);
  }
  if (!Expect(',', "',' before the scale")) return false;
  absl::StrAppend(&text, ", ");
  if (!ReadQuantizedValues(text)) return false;
  absl::StrAppend(&text, ">");
  if (!Expect('>', "'>' at the end of the quantized type")) return false;
  Type type;
  type.kind = TypeKind::kQuantized;
  type.text = std::move(text);
  type.types = {program_.Intern(*std::move(storage_type)), expressed};
  out = program_.Intern(std::move(type));
  return true;
}

// "S", "S:Z", "{S:Z, S}", or nested braces of blocks: appended to the text in one spelling.
bool TextReader::ReadQuantizedValues(std::string& text) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (lexer_.Eat('{')) {
    text.push_back('{');
    bool first = true;
    if (!ReadItems('}', "scales", [&] {
          if (!first) text.append(", ");
          first = false;
          return ReadQuantizedValues(text);
        })) {
      return false;
    }
    text.push_back('}');
    return true;
  }
  const bool negative = lexer_.Eat('-');
  double scale;
  if (!lexer_.Is(kFloat) || !ReadDecimal(lexer_.spelling(), scale)) {
    return FailExpected("a scale with a decimal point");
  }
  lexer_.Next();
  text.append(
      FloatText(ElementType::kF64, EncodeFloat(ElementType::kF64, negative ? -scale : scale)));
  if (lexer_.Eat(':')) {
    int64_t zero;
    if (!ReadInteger(zero)) return false;
    if (zero != 0) absl::StrAppend(&text, ":", zero);
  }
  return true;
}

bool TextReader::ReadTypesInParentheses(TypeList& types) {
  if (!Expect('(', "'(' before a list of types")) return false;
  return ReadItems(')', "types", [&] {
    const Type* type;
    if (!ReadType(type)) return false;
    types.push_back(type);
    return true;
  });
}

bool TextReader::ReadResultTypes(TypeList& types) {
  if (lexer_.Is('(')) return ReadTypesInParentheses(types);
  const Type* type;
  if (!ReadType(type)) return false;
  types.push_back(type);
  return true;
}

bool TextReader::ReadFunctionType(const Type*& out) {
  TypeList inputs, results;
  if (!ReadTypesInParentheses(inputs) || !Expect(kArrow, "'->' in a function type") ||
      !ReadResultTypes(results)) {
    return false;
  }
  Type type;
  type.kind = TypeKind::kFunction;
  type.input_count = static_cast<int32_t>(inputs.size());
  type.types.assign(inputs.begin(), inputs.end());
  type.types.insert(type.types.end(), results.begin(), results.end());
  out = program_.Intern(std::move(type));
  return true;
}

}  // namespace assay::stablehlo
