#include "spec/stablehlo/text_lexer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace assay::stablehlo {
namespace {

enum CharacterClass : uint8_t {
  kLetterClass = 1,   // letters and _
  kDigitClass = 2,    //
  kSuffixClass = 4,   // $ . -, which names after % ^ # ! may begin with
  kNameClass = 8,     // $ ., which other names may hold
  kBlankClass = 16,   //
  kPunctuation = 32,  // tokens of one character
};

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes = {};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kLetterClass;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kLetterClass;
  classes['_'] = kLetterClass;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigitClass;
  classes['$'] = classes['.'] = kSuffixClass | kNameClass;
  classes['-'] = kSuffixClass | kPunctuation;
  for (const char c : {' ', '\t', '\r', '\n'}) classes[static_cast<uint8_t>(c)] = kBlankClass;
  for (const char c : {'{', '}', '(', ')', '[', ']', '<', '>', ',', '=', '?', '+', '*', '|', ':'}) {
    classes[static_cast<uint8_t>(c)] = kPunctuation;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

bool HasClass(char c, int classes) { return (kClasses[static_cast<uint8_t>(c)] & classes) != 0; }

bool IsHexDigit(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }

// The longest part of a line that a message shows.
constexpr size_t kShownLine = 120;

}  // namespace

bool IsNameCharacter(char c) { return HasClass(c, kLetterClass | kDigitClass | kNameClass); }

TextLexer::TextLexer(absl::string_view text, std::string file_name)
    : begin_(text.data()),
      end_(text.data() + text.size()),
      file_name_(std::move(file_name)),
      known_at_(begin_),
      known_line_(begin_) {
  MoveTo(begin_);
}

const char* TextLexer::SkipBlanks(const char* at) const {
  while (at != end_) {
    if (HasClass(*at, kBlankClass)) {
      ++at;
    } else if (*at == '/' && end_ - at > 1 && at[1] == '/') {
      const void* newline = std::memchr(at, '\n', end_ - at);
      at = newline == nullptr ? end_ : static_cast<const char*>(newline);
    } else {
      break;
    }
  }
  return at;
}

char TextLexer::PeekCharacter() const {
  const char* at = SkipBlanks(token_.end);
  return at == end_ ? '\0' : *at;
}

void TextLexer::MoveTo(const char* at) {
  token_.kind = kEndOfText;
  token_.end = at;
  Next();
}

void TextLexer::Next() {
  if (token_.kind == kBadToken) return;
  const char* at = SkipBlanks(token_.end);
  if (at == end_) return Set(kEndOfText, at, at);
  const char c = *at;
  if (HasClass(c, kLetterClass)) {
    const char* end = at + 1;
    while (end != end_ && IsNameCharacter(*end)) ++end;
    return Set(kBareId, at, end);
  }
  if (HasClass(c, kDigitClass)) return LexNumber(at);
  switch (c) {
    case '%':
    case '^':
    case '!':
      return LexPrefixed(c, at);
    case '#':
      if (end_ - at > 2 && at[1] == '-' && at[2] == '}') return Set(kCloseFile, at, at + 3);
      return LexPrefixed(c, at);
    case '@':
      if (end_ - at > 1 && at[1] == '"') return LexString(kSymbolId, at, at + 1);
      if (end_ - at > 1 && HasClass(at[1], kLetterClass)) {
        const char* end = at + 2;
        while (end != end_ && IsNameCharacter(*end)) ++end;
        return Set(kSymbolId, at, end);
      }
      return SetBad(at, "expected a name or a string after '@'");
    case '"':
      return LexString(kString, at, at);
    default:
      return LexPunctuation(at);
  }
}

void TextLexer::LexPunctuation(const char* at) {
  const absl::string_view rest(at, std::min<ptrdiff_t>(end_ - at, 3));
  if (rest.substr(0, 2) == "->") return Set(kArrow, at, at + 2);
  if (rest.substr(0, 2) == "::") return Set(kColonColon, at, at + 2);
  if (rest == "...") return Set(kEllipsis, at, at + 3);
  if (rest == "{-#") return Set(kOpenFile, at, at + 3);
  if (HasClass(*at, kPunctuation)) return Set(*at, at, at + 1);
  if (*at == '/') return SetBad(at, "expected a second '/' here, as comments begin with \"//\"");
  const auto byte = static_cast<unsigned char>(*at);
  if (byte < 0x80 && absl::ascii_isprint(byte)) {
    return SetBad(
        at, absl::StrCat("the character '", absl::string_view(at, 1), "' has no meaning here"));
  }
  SetBad(at, absl::StrCat("the byte 0x", absl::Hex(byte, absl::kZeroPad2),
                          " has no meaning outside of strings"));
}

void TextLexer::LexNumber(const char* at) {
  const char* end = at + 1;
  if (*at == '0' && end_ - at > 2 && at[1] == 'x' && IsHexDigit(at[2])) {
    end = at + 3;
    while (end != end_ && IsHexDigit(*end)) ++end;
    return Set(kInteger, at, end);
  }
  while (end != end_ && HasClass(*end, kDigitClass)) ++end;
  if (end == end_ || *end != '.') return Set(kInteger, at, end);
  ++end;
  while (end != end_ && HasClass(*end, kDigitClass)) ++end;
  if (end != end_ && (*end == 'e' || *end == 'E')) {
    const char* exponent = end + 1;
    if (exponent != end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (exponent != end_ && HasClass(*exponent, kDigitClass)) {
      end = exponent;
      while (end != end_ && HasClass(*end, kDigitClass)) ++end;
    }
  }
  Set(kFloat, at, end);
}

void TextLexer::LexString(TokenKind kind, const char* begin, const char* quote) {
  for (const char* at = quote + 1; at != end_; ++at) {
    if (*at == '"') return Set(kind, begin, at + 1);
    if (*at == '\n') break;
    if (*at == '\\' && at + 1 != end_) ++at;
  }
  SetBad(quote, "the string that begins here does not end on its line");
}

// %x ^x #x !x: digits, or a name that may hold a minus; %x#3 with the number of a result.
void TextLexer::LexPrefixed(TokenKind kind, const char* at) {
  const char* end = at + 1;
  if (end != end_ && HasClass(*end, kDigitClass)) {
    while (end != end_ && HasClass(*end, kDigitClass)) ++end;
  } else {
    while (end != end_ && HasClass(*end, kLetterClass | kDigitClass | kSuffixClass)) ++end;
  }
  if (end == at + 1) {
    return SetBad(at, absl::StrCat("expected a name after '", absl::string_view(at, 1), "'"));
  }
  if (kind == kValueId && end != end_ && *end == '#' && end_ - end > 1 &&
      HasClass(end[1], kDigitClass)) {
    ++end;
    while (end != end_ && HasClass(*end, kDigitClass)) ++end;
  }
  Set(kind, at, end);
}

void TextLexer::SetBad(const char* at, std::string message) {
  bad_ = std::move(message);
  Set(kBadToken, at, at);
}

TextPosition TextLexer::PositionOf(const char* at) const {
  if (at < known_at_) {
    known_at_ = known_line_ = begin_;
    known_number_ = 1;
  }
  const char* from = known_at_;
  while (from < at) {
    const void* newline = std::memchr(from, '\n', at - from);
    if (newline == nullptr) break;
    from = static_cast<const char*>(newline) + 1;
    known_line_ = from;
    ++known_number_;
  }
  known_at_ = at;
  return {known_number_, static_cast<int32_t>(at - known_line_ + 1)};
}

absl::Status TextLexer::ErrorAt(const char* at, absl::string_view message) const {
  if (token_.kind == kBadToken && at >= token_.begin) {
    at = token_.begin;
    message = bad_;
  }
  const TextPosition position = PositionOf(at);
  const char* line = known_line_;
  const void* newline = std::memchr(line, '\n', end_ - line);
  const char* line_end = newline == nullptr ? end_ : static_cast<const char*>(newline);
  // Of a long line the part around the place.
  const char* from =
      at - line > static_cast<ptrdiff_t>(kShownLine / 2) ? at - kShownLine / 2 : line;
  const size_t length = std::min<size_t>(line_end - from, kShownLine);
  std::string shown(from, length);
  std::string caret;
  for (char& c : shown) {
    if (static_cast<size_t>(&c - shown.data()) < static_cast<size_t>(at - from)) {
      caret.push_back(c == '\t' ? '\t' : ' ');
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = '?';
  }
  return absl::InvalidArgumentError(absl::StrCat(file_name_, file_name_.empty() ? "" : ":",
                                                 position.line, ":", position.column, ": ", message,
                                                 "\n  ", shown, "\n  ", caret, "^"));
}

std::string TextLexer::DescribeToken() const {
  if (token_.kind == kEndOfText) return "the end of the text";
  absl::string_view spelling = token_.spelling();
  if (spelling.size() > 40) {
    return absl::StrCat("'", spelling.substr(0, 37), "...'");
  }
  return absl::StrCat("'", spelling, "'");
}

}  // namespace assay::stablehlo
