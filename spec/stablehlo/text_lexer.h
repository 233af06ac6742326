// Cuts the text of a StableHLO program into MLIR's tokens, one at a time, without copying. The
// lexer stands on a current token; Next() moves on. Errors carry file, line, column, the line
// itself and a caret. Rules: reference stablehlo_format.md 1. Private to the text reader. Tests:
// text_parser_test.cc, text_errors_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_TEXT_LEXER_H_
#define ASSAY_SPEC_STABLEHLO_TEXT_LEXER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay::stablehlo {

// Punctuation of one character is its own kind, as Is('(').
using TokenKind = char;
inline constexpr TokenKind kEndOfText = 0;
inline constexpr TokenKind kBadToken = 1;  // Error() says why
inline constexpr TokenKind kBareId = 'a';
inline constexpr TokenKind kValueId = '%';  // %name or %name#3
inline constexpr TokenKind kBlockId = '^';
inline constexpr TokenKind kSymbolId = '@';  // @name or @"name"
inline constexpr TokenKind kHashId = '#';
inline constexpr TokenKind kBangId = '!';
inline constexpr TokenKind kInteger = '0';  // decimal or hexadecimal, without a sign
inline constexpr TokenKind kFloat = '1';
inline constexpr TokenKind kString = '"';
inline constexpr TokenKind kArrow = 2;       // ->
inline constexpr TokenKind kColonColon = 3;  // ::
inline constexpr TokenKind kEllipsis = 4;    // ...
inline constexpr TokenKind kOpenFile = 5;    // {-#
inline constexpr TokenKind kCloseFile = 6;   // #-}

struct TextToken {
  TokenKind kind = kEndOfText;
  const char* begin = nullptr;  // the spelling is [begin, end)
  const char* end = nullptr;

  absl::string_view spelling() const {
    return absl::string_view(begin, static_cast<size_t>(end - begin));
  }
};

class TextLexer {
 public:
  // `text` must outlive the lexer. Stands on the first token.
  TextLexer(absl::string_view text, std::string file_name);

  const TextToken& token() const { return token_; }
  TokenKind kind() const { return token_.kind; }
  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsWord(absl::string_view word) const {
    return token_.kind == kBareId && token_.spelling() == word;
  }
  absl::string_view spelling() const { return token_.spelling(); }
  // The spelling without its first character: of %x, ^x, #x, !x and @x.
  absl::string_view name() const { return token_.spelling().substr(1); }

  void Next();
  bool Eat(TokenKind kind) {
    if (token_.kind != kind) return false;
    Next();
    return true;
  }
  bool EatWord(absl::string_view word) {
    if (!IsWord(word)) return false;
    Next();
    return true;
  }
  // The first character of what follows the current token, blanks and comments skipped; 0 at the
  // end.
  char PeekCharacter() const;
  // Goes on with the token that starts at `at` or after it.
  void MoveTo(const char* at);
  // Returns to a token that was the current one earlier.
  void Restore(const TextToken& token) { token_ = token; }
  const char* end() const { return end_; }
  // The first character at or after `at` that is no blank and in no comment.
  const char* SkipBlanks(const char* at) const;

  // The place of a byte of the text; cheap when asked in ascending order.
  TextPosition PositionOf(const char* at) const;

  // "file:line:column: message", the line and a caret. Of a kBadToken the lexer's own message.
  absl::Status ErrorAt(const char* at, absl::string_view message) const;
  absl::Status Error(absl::string_view message) const { return ErrorAt(token_.begin, message); }
  // The current token for messages: "'add'", "the end of the text".
  std::string DescribeToken() const;

 private:
  void Set(TokenKind kind, const char* begin, const char* end) { token_ = {kind, begin, end}; }
  void SetBad(const char* at, std::string message);
  void LexNumber(const char* at);
  void LexString(TokenKind kind, const char* begin, const char* quote);
  void LexPrefixed(TokenKind kind, const char* at);
  void LexPunctuation(const char* at);

  const char* begin_;
  const char* end_;
  std::string file_name_;
  TextToken token_;
  std::string bad_;
  mutable const char* known_at_;
  mutable const char* known_line_;  // where the line of known_at_ begins
  mutable int32_t known_number_ = 1;
};

// Characters of names, by class.
bool IsNameCharacter(char c);  // letters, digits, _ $ .

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TEXT_LEXER_H_
