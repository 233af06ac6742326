// Cuts HLO text into tokens, one at a time, without copying. The rules are those of reference
// hlo_text_format.md 1; errors carry line, column, the line itself and a caret.
//
// The lexer always stands on a current token; Next() moves on. Whoever needs to look further saves
// the token and restores it. After a lexical error the current token is kError and stays so;
// Error() and ErrorAt() then give the lexical error in place of the caller's message. Tests:
// lexer_test.cc.
#ifndef ASSAY_SPEC_TEXT_LEXER_H_
#define ASSAY_SPEC_TEXT_LEXER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/element/element_type.h"
#include "spec/ir/module.h"

namespace assay {

enum class TokenKind : uint8_t {
  kEnd,
  kError,
  // Words.
  kName,       // "word:" or "%word"; word() is without % and :
  kAttr,       // "word="; word() is without =
  kType,       // an element type; type()
  kKeyword,    // keyword()
  kIdent,      // word()
  kDimLabels,  // b01f_01io->b01f; word()
  // Numbers and what looks like them.
  kInt,      // int_value()
  kDecimal,  // decimal_value(), also nan and -nan with their payload
  kNegInf,
  kDxD,  // 3x3; word()
  kPad,  // 0_0x1_1_2; word()
  // "..." or '...', or brace text taken raw by NextRaw(); string_value().
  kString,
  // Punctuation.
  kEqual,
  kComma,
  kColon,
  kAsterisk,
  kQuestion,
  kHash,
  kPlus,
  kTilde,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kArrow,      // ->
  kLessEqual,  // <=
  kDots,       // ...
};

enum class Keyword : uint8_t {
  kHloModule,
  kEntry,
  kRoot,
  kFileNames,
  kFunctionNames,
  kFileLocations,
  kStackFrames,
  kTrue,
  kFalse,
  kInf,
  kMaximal,
  kReplicated,
  kManual,
  kLastTileDimReplicate,
  kShardAs,
  kShardLike,
  kUnknown,
  kUnreduced,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword{};            // of kKeyword
  ElementType type{};           // of kType
  bool is_raw = false;          // of kString: brace text
  const char* begin = nullptr;  // the spelling is [begin, end)
  const char* end = nullptr;
  absl::string_view word;    // without decoration
  int64_t int_value = 0;     // of kInt: -2^63 to 2^64-1 as a 64-bit pattern
  double decimal_value = 0;  // of kDecimal: infinite when too large, or a NaN with the sign written
  uint64_t nan_payload = 0;  // of a NaN: the value in parentheses, 0 when there is none
};

class Lexer {
 public:
  // `text` must outlive the lexer. Stands on the first token.
  explicit Lexer(absl::string_view text, int max_nesting = 3000, std::string file_name = "");

  const Token& token() const { return token_; }
  TokenKind kind() const { return token_.kind; }
  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsWord(absl::string_view text) const { return Is(TokenKind::kIdent) && word() == text; }
  bool Is(Keyword keyword) const {
    return token_.kind == TokenKind::kKeyword && token_.keyword == keyword;
  }
  absl::string_view word() const { return token_.word; }
  ElementType type() const { return token_.type; }
  int64_t int_value() const { return token_.int_value; }
  double decimal_value() const { return token_.decimal_value; }
  // A string with its escapes replaced; brace text as it is.
  std::string string_value() const;
  // The token as it is written.
  absl::string_view spelling() const {
    return absl::string_view(token_.begin, token_.end - token_.begin);
  }

  // Moves to the next token and returns its kind.
  TokenKind Next() {
    LexToken();
    return token_.kind;
  }
  // As Next, but digits are always a kInt: for lists of integers, where 0x1 is no DxD.
  TokenKind NextInt();
  // As Next, but a value that begins with '{' is taken whole up to its '}' as a raw kString.
  TokenKind NextRaw();
  // Moves on if the current token is of that kind.
  bool Eat(TokenKind kind) {
    if (token_.kind != kind) return false;
    LexToken();
    return true;
  }
  bool Eat(Keyword keyword) {
    if (!Is(keyword)) return false;
    LexToken();
    return true;
  }
  // What follows the current token. Whoever reads on in it by himself moves the token's end and
  // calls Next().
  absl::string_view rest() const { return absl::string_view(token_.end, end_ - token_.end); }
  // Returns to a token that was the current one earlier.
  void Restore(const Token& token) { token_ = token; }
  // The first byte of what follows the current token, blanks and comments skipped; 0 at the end.
  char PeekByte() const;

  // The place of a byte of the text (cheap when asked in roughly ascending order).
  TextPosition PositionOf(const char* at) const;
  TextPosition position() const { return PositionOf(token_.begin); }

  // INVALID_ARGUMENT "file:line:column: message", the offending line and a caret. At the current
  // token, or elsewhere. A lexical error goes before the message.
  absl::Status Error(absl::string_view message) const { return ErrorAt(token_.begin, message); }
  absl::Status ErrorAt(const char* at, absl::string_view message) const;
  // "expected <what>, found <the current token>".
  absl::Status Expected(absl::string_view what) const;
  // The current token for messages: "'add'", "the number 3", "the end of the text".
  std::string DescribeToken() const;

  // Levels of nesting: shapes, literals, operand lists, inline bodies together. Enter fails past
  // the limit; every success is paired with a Leave. What takes more of the stack counts for
  // several.
  absl::Status Enter(int levels = 1);
  void Leave(int levels = 1) { depth_ -= levels; }

 private:
  void LexToken();
  // Moves cursor past blanks and comments; null and sets the error where a comment does not end.
  const char* SkipBlanks(const char* at);
  void LexWord(const char* at);
  void LexPercentName(const char* at);
  void LexNumber(const char* at);
  void LexString(const char* at);
  void LexInteger(const char* begin, const char* end);
  void LexDecimal(const char* begin, const char* end);
  // `at` is where a payload may stand, after "nan".
  void LexNan(const char* begin, const char* at, bool negative);
  bool LexDimLabels(const char* at);
  void Set(TokenKind kind, const char* begin, const char* end);
  void SetWord(TokenKind kind, const char* begin, const char* end);
  void SetError(const char* at, std::string message);

  absl::string_view text_;
  const char* end_;
  Token token_;
  int depth_ = 0;
  int max_nesting_;
  std::string file_name_;
  const char* error_at_ = nullptr;
  std::string error_;
  // The last place asked for.
  mutable const char* known_at_;
  mutable int32_t known_line_ = 1;
};

// Leaves a level of nesting at the end of a scope.
class NestingScope {
 public:
  explicit NestingScope(Lexer& lexer, int levels = 1)
      : lexer_(lexer), levels_(levels), status_(lexer.Enter(levels)) {}
  ~NestingScope() {
    if (status_.ok()) lexer_.Leave(levels_);
  }
  NestingScope(const NestingScope&) = delete;
  NestingScope& operator=(const NestingScope&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  Lexer& lexer_;
  int levels_;
  absl::Status status_;
};

// Whether `text`, blanks and comments around it apart, is one brace text from its first to its last
// byte: what the printer may write without quotes.
bool LexesAsDict(absl::string_view text);

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_LEXER_H_
