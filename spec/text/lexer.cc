#include "spec/text/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace assay {
namespace {

enum : uint8_t { kDigit = 1, kLetter = 2, kWordByte = 4, kBlank = 8 };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kWordByte;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kLetter | kWordByte;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter | kWordByte;
  classes['_'] = kLetter | kWordByte;
  classes['.'] = kWordByte;
  classes['-'] = kWordByte;
  for (char c : {' ', '\t', '\r', '\n'}) classes[static_cast<uint8_t>(c)] = kBlank;
  return classes;
}();

bool Has(char c, uint8_t mask) { return (kClasses[static_cast<uint8_t>(c)] & mask) != 0; }

const char* SkipDigits(const char* at, const char* end) {
  while (at != end && Has(*at, kDigit)) ++at;
  return at;
}

// The words with a meaning of their own: keywords and element types.
struct Reserved {
  TokenKind kind;
  Keyword keyword{};
  ElementType type{};
};

const absl::flat_hash_map<absl::string_view, Reserved>& ReservedWords() {
  static const auto* const words = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, Reserved>;
    constexpr absl::string_view kKeywords[] = {"HloModule",     "ENTRY",
                                               "ROOT",          "FileNames",
                                               "FunctionNames", "FileLocations",
                                               "StackFrames",   "true",
                                               "false",         "inf",
                                               "maximal",       "replicated",
                                               "manual",        "last_tile_dim_replicate",
                                               "shard_as",      "shard_like",
                                               "unknown",       "unreduced"};
    for (size_t i = 0; i < std::size(kKeywords); ++i) {
      (*map)[kKeywords[i]] = {TokenKind::kKeyword, static_cast<Keyword>(i), {}};
    }
    for (ElementType type : kArrayTypes) (*map)[Name(type)] = {TokenKind::kType, {}, type};
    for (ElementType type : {ElementType::kToken, ElementType::kOpaque}) {
      (*map)[Name(type)] = {TokenKind::kType, {}, type};
    }
    return map;
  }();
  return *words;
}

// Most words are not reserved: whether any reserved word has this first byte and length.
const Reserved* FindReserved(absl::string_view word) {
  static const auto* const lengths = [] {
    auto* table = new std::array<uint32_t, 256>{};
    for (const auto& [reserved, row] : ReservedWords()) {
      (*table)[static_cast<uint8_t>(reserved[0])] |= uint32_t{1} << reserved.size();
    }
    return table;
  }();
  if (word.size() >= 32) return nullptr;
  if (((*lengths)[static_cast<uint8_t>(word[0])] >> word.size() & 1) == 0) return nullptr;
  auto row = ReservedWords().find(word);
  return row == ReservedWords().end() ? nullptr : &row->second;
}

// The byte after the longest run of the given bytes and digits.
const char* SkipRun(const char* at, const char* end, absl::string_view bytes) {
  while (at != end && (Has(*at, kDigit) || bytes.find(*at) != absl::string_view::npos)) ++at;
  return at;
}

// From the '{' at `at` past its matching '}', or null where there is none.
const char* SkipBraceText(const char* at, const char* end) {
  int64_t depth = 0;
  bool quoted = false;
  for (; at != end; ++at) {
    if (quoted) {
      if (*at == '\\' && at + 1 != end) {
        ++at;
      } else if (*at == '"') {
        quoted = false;
      }
    } else if (*at == '"') {
      quoted = true;
    } else if (*at == '{') {
      ++depth;
    } else if (*at == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return nullptr;
}

// Past blanks and comments; null where a comment does not end, *comment is then its start.
const char* SkipBlanksAndComments(const char* at, const char* end, const char** comment) {
  while (at != end) {
    if (Has(*at, kBlank)) {
      ++at;
    } else if (*at == '/' && at + 1 != end && at[1] == '*') {
      *comment = at;
      const absl::string_view rest(at + 2, end - at - 2);
      const size_t close = rest.find("*/");
      if (close == absl::string_view::npos) return nullptr;
      at = rest.data() + close + 2;
    } else if (*at == '/' && at + 1 != end && at[1] == '/') {
      while (at != end && *at != '\n' && *at != '\r') ++at;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

Lexer::Lexer(absl::string_view text, int max_nesting, std::string file_name)
    : text_(text.data() == nullptr ? absl::string_view("") : text),
      end_(text_.data() + text_.size()),
      max_nesting_(max_nesting),
      file_name_(std::move(file_name)),
      known_at_(text_.data()) {
  token_.begin = token_.end = text_.data();
  LexToken();
}

const char* Lexer::SkipBlanks(const char* at) {
  const char* comment = nullptr;
  at = SkipBlanksAndComments(at, end_, &comment);
  if (at == nullptr) SetError(comment, "unterminated comment: '*/' is missing");
  return at;
}

char Lexer::PeekByte() const {
  const char* comment = nullptr;
  const char* at = SkipBlanksAndComments(token_.end, end_, &comment);
  return at == nullptr || at == end_ ? '\0' : *at;
}

void Lexer::Set(TokenKind kind, const char* begin, const char* end) {
  token_.kind = kind;
  token_.begin = begin;
  token_.end = end;
}

void Lexer::SetWord(TokenKind kind, const char* begin, const char* end) {
  Set(kind, begin, end);
  token_.word = absl::string_view(begin, end - begin);
}

void Lexer::SetError(const char* at, std::string message) {
  if (error_at_ == nullptr) {
    error_at_ = at;
    error_ = std::move(message);
  }
  Set(TokenKind::kError, at, at);
}

void Lexer::LexToken() {
  if (error_at_ != nullptr) return Set(TokenKind::kError, error_at_, error_at_);
  const char* at = SkipBlanks(token_.end);
  if (at == nullptr) return;
  if (at == end_) return Set(TokenKind::kEnd, at, at);
  const char c = *at;
  if (Has(c, kLetter)) return LexWord(at);
  if (Has(c, kDigit)) return LexNumber(at);
  auto single = [&](TokenKind kind) { Set(kind, at, at + 1); };
  const char next = at + 1 == end_ ? '\0' : at[1];
  switch (c) {
    case '%':
      return LexPercentName(at);
    case ',':
      return single(TokenKind::kComma);
    case '=':
      return single(TokenKind::kEqual);
    case '(':
      return single(TokenKind::kLeftParen);
    case ')':
      return single(TokenKind::kRightParen);
    case '{':
      return single(TokenKind::kLeftBrace);
    case '}':
      return single(TokenKind::kRightBrace);
    case '[':
      return single(TokenKind::kLeftBracket);
    case ']':
      return single(TokenKind::kRightBracket);
    case '"':
    case '\'':
      return LexString(at);
    case '-':
      if (next == '>') return Set(TokenKind::kArrow, at, at + 2);
      return LexNumber(at);
    case '?':
      if (!LexDimLabels(at)) single(TokenKind::kQuestion);
      return;
    case ':':
      return single(TokenKind::kColon);
    case '*':
      return single(TokenKind::kAsterisk);
    case '#':
      return single(TokenKind::kHash);
    case '+':
      return single(TokenKind::kPlus);
    case '~':
      return single(TokenKind::kTilde);
    case '<':
      if (next == '=') return Set(TokenKind::kLessEqual, at, at + 2);
      break;
    case '.':
      if (next == '.' && end_ - at >= 3 && at[2] == '.') return Set(TokenKind::kDots, at, at + 3);
      break;
    default:
      break;
  }
  if (c == '\0') return SetError(at, "a NUL byte outside a string");
  if (static_cast<signed char>(c) > 0x20 && c != 0x7f) {
    return SetError(at, absl::StrCat("'", absl::string_view(at, 1), "' begins no token"));
  }
  SetError(at, absl::StrCat("byte 0x", absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad2),
                            " begins no token"));
}

void Lexer::LexWord(const char* at) {
  const char* end = at + 1;
  while (end != end_ && Has(*end, kWordByte)) ++end;
  const char next = end == end_ ? '\0' : *end;
  if (next == ':' || next == '=') {
    SetWord(next == ':' ? TokenKind::kName : TokenKind::kAttr, at, end);
    token_.end = end + 1;
    return;
  }
  const absl::string_view word(at, end - at);
  if (const Reserved* reserved = FindReserved(word)) {
    SetWord(reserved->kind, at, end);
    token_.keyword = reserved->keyword;
    token_.type = reserved->type;
    return;
  }
  if (word == "nan") return LexNan(at, end, /*negative=*/false);
  if ((*at == 'b' || *at == 'f') && (next == '>' || next == '?') && LexDimLabels(at)) return;
  SetWord(TokenKind::kIdent, at, end);
}

void Lexer::LexPercentName(const char* at) {
  const char* end = at + 1;
  if (end == end_ || !Has(*end, kLetter)) return SetError(at, "'%' without a name after it");
  while (end != end_ && Has(*end, kWordByte)) ++end;
  Set(TokenKind::kName, at, end);
  token_.word = absl::string_view(at + 1, end - at - 1);
}

bool Lexer::LexDimLabels(const char* at) {
  const char* lhs = SkipRun(at, end_, "bf?");
  if (lhs - at < 2 || lhs == end_ || *lhs != '_') return false;
  const char* rhs = SkipRun(lhs + 1, end_, "io?");
  if (rhs - lhs < 3 || end_ - rhs < 2 || rhs[0] != '-' || rhs[1] != '>') return false;
  const char* out = SkipRun(rhs + 2, end_, "bf?");
  if (out - rhs < 4) return false;
  SetWord(TokenKind::kDimLabels, at, out);
  return true;
}

namespace {

// The end of a decimal that begins at `at`, or null: -?(D+ | D+.D* | .D+)[eE][+-]?D+ or
// -?(D+.D* | .D+). `digits` is the end of the digits that follow the sign.
const char* MatchDecimal(const char* begin, const char* digits, const char* end) {
  const char* at = digits;
  bool point = false;
  if (at != end && *at == '.') {
    const char* fraction = SkipDigits(at + 1, end);
    if (at == begin && fraction == at + 1) return nullptr;
    at = fraction;
    point = true;
  } else if (at == begin) {
    return nullptr;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    const char* exponent = at + 1;
    if (exponent != end && (*exponent == '+' || *exponent == '-')) ++exponent;
    const char* exponent_end = SkipDigits(exponent, end);
    if (exponent_end != exponent) return exponent_end;
  }
  return point ? at : nullptr;
}

// The end of one entry -?D+_-?D+(_D+)? of a pad, or null.
const char* MatchPadEntry(const char* at, const char* end) {
  auto integer = [end](const char* from, bool sign) -> const char* {
    if (sign && from != end && *from == '-') ++from;
    const char* stop = SkipDigits(from, end);
    return stop == from ? nullptr : stop;
  };
  at = integer(at, true);
  if (at == nullptr || at == end || *at != '_') return nullptr;
  at = integer(at + 1, true);
  if (at == nullptr) return nullptr;
  if (at != end && *at == '_') {
    if (const char* interior = integer(at + 1, false)) return interior;
  }
  return at;
}

}  // namespace

void Lexer::LexNumber(const char* at) {
  const char* magnitude = *at == '-' ? at + 1 : at;
  const char* digits = SkipDigits(magnitude, end_);
  // The common case first: an integer that nothing else can begin with.
  const char next = digits == end_ ? '\0' : *digits;
  if (digits != magnitude && (next == ',' || next == '}' || next == ']' || next == ')')) {
    return LexInteger(at, digits);
  }
  if (const char* end = MatchDecimal(magnitude, digits, end_)) return LexDecimal(at, end);
  if (magnitude == at && LexDimLabels(at)) return;
  if (magnitude == at && next == 'x') {
    const char* end = digits;
    while (end != end_ && *end == 'x') {
      const char* factor = SkipDigits(end + 1, end_);
      if (factor == end + 1) break;
      end = factor;
    }
    if (end != digits) return SetWord(TokenKind::kDxD, at, end);
  }
  if (const char* end = MatchPadEntry(at, end_)) {
    while (end != end_ && *end == 'x') {
      const char* entry = MatchPadEntry(end + 1, end_);
      if (entry == nullptr) break;
      end = entry;
    }
    return SetWord(TokenKind::kPad, at, end);
  }
  if (digits != magnitude) return LexInteger(at, digits);
  const absl::string_view rest(magnitude, std::min<ptrdiff_t>(3, end_ - magnitude));
  if (rest == "inf") return Set(TokenKind::kNegInf, at, magnitude + 3);
  if (rest == "nan") return LexNan(at, magnitude + 3, /*negative=*/true);
  SetError(at, "'-' without a number after it");
}

void Lexer::LexInteger(const char* begin, const char* end) {
  Set(TokenKind::kInt, begin, end);
  if (end - begin < 18) {
    const bool negative = *begin == '-';
    int64_t value = 0;
    for (const char* at = begin + (negative ? 1 : 0); at != end; ++at) {
      value = value * 10 + (*at - '0');
    }
    token_.int_value = negative ? -value : value;
    return;
  }
  if (std::from_chars(begin, end, token_.int_value).ec == std::errc()) return;
  uint64_t large;
  if (std::from_chars(begin, end, large).ec == std::errc()) {
    token_.int_value = static_cast<int64_t>(large);
    return;
  }
  SetError(begin, "an integer outside -2^63 to 2^64-1");
}

void Lexer::LexDecimal(const char* begin, const char* end) {
  Set(TokenKind::kDecimal, begin, end);
  token_.nan_payload = 0;
  const std::from_chars_result result = std::from_chars(begin, end, token_.decimal_value);
  if (result.ec == std::errc()) return;
  // Too large, or too small: strtod tells which, and rounds the latter.
  token_.decimal_value = std::strtod(std::string(begin, end).c_str(), nullptr);
}

void Lexer::LexNan(const char* begin, const char* at, bool negative) {
  uint64_t payload = 0;
  if (at != end_ && *at == '(') {
    std::from_chars_result result{at, std::errc::invalid_argument};
    if (end_ - at > 3 && at[1] == '0' && at[2] == 'x') {
      result = std::from_chars(at + 3, end_, payload, 16);
    }
    const bool closed = result.ptr != end_ && *result.ptr == ')';
    constexpr uint64_t kLimit = uint64_t{1} << 52;
    if (result.ec != std::errc() || !closed || payload == 0 || payload >= kLimit) {
      return SetError(begin, "a NaN payload is (0xH...), from 0x1 to 0xfffffffffffff");
    }
    at = result.ptr + 1;
  }
  Set(TokenKind::kDecimal, begin, at);
  token_.nan_payload = payload;
  token_.decimal_value = std::copysign(std::numeric_limits<double>::quiet_NaN(), negative ? -1 : 1);
}

void Lexer::LexString(const char* at) {
  const char quote = *at;
  bool escapes = false;
  const char* end = at + 1;
  for (; end != end_ && *end != quote; ++end) {
    if (*end != '\\') continue;
    escapes = true;
    if (end + 1 == end_ || end[1] == '\n') break;
    ++end;
  }
  if (end == end_ || *end != quote) return SetError(at, "unterminated string");
  SetWord(TokenKind::kString, at, end + 1);
  token_.word = absl::string_view(at + 1, end - at - 1);
  token_.is_raw = false;
  std::string value, problem;
  if (escapes && !absl::CUnescape(token_.word, &value, &problem)) {
    SetError(at, absl::StrCat("bad escape in a string: ", problem));
  }
}

std::string Lexer::string_value() const {
  std::string value;
  if (token_.is_raw || token_.word.find('\\') == absl::string_view::npos) {
    value.assign(token_.word.data(), token_.word.size());
  } else {
    absl::CUnescape(token_.word, &value);
  }
  return value;
}

TokenKind Lexer::NextInt() {
  if (error_at_ != nullptr) return Next();
  const char* at = SkipBlanks(token_.end);
  if (at == nullptr) return token_.kind;
  const char* magnitude = at != end_ && *at == '-' ? at + 1 : at;
  const char* digits = SkipDigits(magnitude, end_);
  if (digits == magnitude) return Next();
  LexInteger(at, digits);
  return token_.kind;
}

TokenKind Lexer::NextRaw() {
  if (error_at_ != nullptr) return Next();
  const char* at = SkipBlanks(token_.end);
  if (at == nullptr) return token_.kind;
  if (at == end_ || *at != '{') return Next();
  const char* end = SkipBraceText(at, end_);
  if (end == nullptr) {
    SetError(at, "unterminated brace text: the '}' that matches this '{' is missing");
  } else {
    SetWord(TokenKind::kString, at, end);
    token_.is_raw = true;
  }
  return token_.kind;
}

absl::Status Lexer::Enter(int levels) {
  if (depth_ + levels > max_nesting_) {
    return Error(absl::StrCat("nested more than ", max_nesting_, " levels deep"));
  }
  depth_ += levels;
  return absl::OkStatus();
}

bool LexesAsDict(absl::string_view text) {
  const char* end = text.data() + text.size();
  const char* comment = nullptr;
  const char* at = SkipBlanksAndComments(text.data(), end, &comment);
  if (at == nullptr || at == end || *at != '{') return false;
  at = SkipBraceText(at, end);
  if (at == nullptr) return false;
  return SkipBlanksAndComments(at, end, &comment) == end;
}

}  // namespace assay
