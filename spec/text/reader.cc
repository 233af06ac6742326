#include "spec/text/reader.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay {
namespace {

absl::string_view Describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return "'='";
    case TokenKind::kComma:
      return "','";
    case TokenKind::kColon:
      return "':'";
    case TokenKind::kLeftBracket:
      return "'['";
    case TokenKind::kRightBracket:
      return "']'";
    case TokenKind::kLeftBrace:
      return "'{'";
    case TokenKind::kRightBrace:
      return "'}'";
    case TokenKind::kLeftParen:
      return "'('";
    case TokenKind::kRightParen:
      return "')'";
    case TokenKind::kArrow:
      return "'->'";
    case TokenKind::kLessEqual:
      return "'<='";
    case TokenKind::kEnd:
      return "the end of the text";
    default:
      return "another token";
  }
}

}  // namespace

Reader::Reader(absl::string_view text, const ParseOptions& parse_options)
    : lexer(text, parse_options.max_nesting, parse_options.file_name), options(parse_options) {
  literals.bytes_left = options.max_literal_bytes;
}

bool Reader::FailMissing(TokenKind kind, absl::string_view before) {
  return FailExpected(absl::StrCat(before, Describe(kind)));
}

bool Reader::FailField(absl::string_view what) {
  return FailExpected(absl::StrCat("a field name with '=' or '}' in ", what));
}

bool Reader::FailTwice(absl::string_view what, absl::string_view name, TextPosition first,
                       const char* again) {
  return FailAt(again, absl::StrCat(what, " '", name, "' is written twice; the first stands at ",
                                    first.line, ":", first.column));
}

bool Reader::ReadInt(int64_t* value) {
  if (!lexer.Is(TokenKind::kInt)) return FailExpected("an integer");
  *value = lexer.int_value();
  lexer.Next();
  return true;
}

bool Reader::ReadInt32(int32_t* value) {
  if (!lexer.Is(TokenKind::kInt)) return FailExpected("an integer");
  const int64_t wide = lexer.int_value();
  if (wide != static_cast<int32_t>(wide)) return Fail("this integer does not fit 32 bits");
  *value = static_cast<int32_t>(wide);
  lexer.Next();
  return true;
}

bool Reader::ReadFloat(double* value) {
  if (lexer.Is(TokenKind::kInt)) {
    *value = static_cast<double>(lexer.int_value());
  } else if (lexer.Is(TokenKind::kDecimal)) {
    *value = lexer.decimal_value();
    if (std::isinf(*value)) return Fail("a number beyond the range of a double");
  } else if (lexer.Is(Keyword::kInf) || lexer.Is(TokenKind::kNegInf)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    *value = lexer.Is(Keyword::kInf) ? kInfinity : -kInfinity;
  } else {
    return FailExpected("a number");
  }
  lexer.Next();
  return true;
}

bool Reader::ReadFloat32(double* value) {
  const char* at = here();
  if (!ReadFloat(value)) return false;
  const float narrow = static_cast<float>(*value);
  if (std::isinf(narrow)) return FailAt(at, "this number is beyond the range of f32");
  *value = narrow;
  return true;
}

bool Reader::ReadBool(bool* value) {
  if (lexer.Is(Keyword::kTrue)) {
    *value = true;
  } else if (lexer.Is(Keyword::kFalse)) {
    *value = false;
  } else {
    return FailExpected("true or false");
  }
  lexer.Next();
  return true;
}

bool Reader::ReadString(std::string* value) {
  if (!lexer.Is(TokenKind::kString)) return FailExpected("a quoted string");
  *value = lexer.string_value();
  lexer.Next();
  return true;
}

bool Reader::ReadIdent(absl::string_view* word, absl::string_view what) {
  if (!lexer.Is(TokenKind::kIdent)) return FailExpected(what);
  *word = lexer.word();
  lexer.Next();
  return true;
}

bool Reader::ReadName(absl::string_view* word, absl::string_view what) {
  if (!lexer.Is(TokenKind::kIdent) && !lexer.Is(TokenKind::kName)) return FailExpected(what);
  *word = lexer.word();
  lexer.Next();
  return true;
}

bool Reader::ReadRawAfterAttr(std::string* value) {
  if (lexer.NextRaw() != TokenKind::kString) return FailExpected("a quoted string or '{...}'");
  *value = lexer.string_value();
  lexer.Next();
  return true;
}

bool Reader::ReadInts(std::vector<int64_t>* values) {
  if (!lexer.Is(TokenKind::kLeftBrace)) return FailExpected("'{'");
  if (lexer.NextInt() == TokenKind::kRightBrace) {
    lexer.Next();
    return true;
  }
  while (true) {
    if (!lexer.Is(TokenKind::kInt)) return FailExpected("an integer");
    values->push_back(lexer.int_value());
    if (lexer.Next() != TokenKind::kComma) return Expect(TokenKind::kRightBrace);
    lexer.NextInt();
  }
}

bool Reader::ReadIntLists(std::vector<std::vector<int64_t>>* values) {
  return ReadBraceList([&] { return ReadInts(&values->emplace_back()); });
}

bool Reader::ReadSizes(TokenKind open, TokenKind close, std::vector<int64_t>* values) {
  if (!lexer.Is(open)) return FailMissing(open);
  lexer.NextInt();
  while (true) {
    if (!lexer.Is(TokenKind::kInt)) return FailExpected("an integer");
    values->push_back(lexer.int_value());
    if (lexer.Next() != TokenKind::kComma) return Expect(close);
    lexer.NextInt();
  }
}

bool Reader::ReadBools(std::vector<bool>* values) {
  return ReadBraceList([&] {
    bool value = false;
    if (!ReadBool(&value)) return false;
    values->push_back(value);
    return true;
  });
}

bool Reader::ReadShapeIndex(ShapeIndex* index) {
  return ReadList(TokenKind::kLeftBrace, TokenKind::kRightBrace, true, [&] {
    int64_t step = 0;
    if (!ReadInt(&step)) return false;
    index->push_back(step);
    return true;
  });
}

bool Reader::ReadFrontendAttributes(FrontendAttributes* attributes) {
  lexer.Next();
  return ReadBraceList([&] {
    if (!lexer.Is(TokenKind::kAttr)) return FailExpected("an attribute name with '='");
    const std::string key(lexer.word());
    return ReadRawAfterAttr(&(*attributes)[key]);
  });
}

int FindField(Reader& reader, absl::Span<const absl::string_view> names, const Token& field,
              absl::string_view what, uint32_t* seen) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != field.word) continue;
    if ((*seen >> i & 1) != 0) {
      reader.FailAt(field.begin, absl::StrCat("'", field.word, "' is given twice in ", what));
      return -1;
    }
    *seen |= uint32_t{1} << i;
    return static_cast<int>(i);
  }
  reader.FailAt(field.begin, absl::StrCat("unknown field '", field.word, "' in ", what,
                                          "; known are ", absl::StrJoin(names, ", ")));
  return -1;
}

}  // namespace assay
