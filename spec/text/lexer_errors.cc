// Places in the text and messages about them.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "spec/text/lexer.h"

namespace assay {
namespace {

// A line ends at LF, CRLF or a bare CR; `at` is on the byte that ends it.
bool EndsLine(const char* at, const char* end) {
  return *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] != '\n'));
}

// Long lines are shown in part.
constexpr int64_t kShownBefore = 80;
constexpr int64_t kShownAfter = 40;

}  // namespace

TextPosition Lexer::PositionOf(const char* at) const {
  for (; known_at_ < at; ++known_at_) {
    if (EndsLine(known_at_, end_)) ++known_line_;
  }
  for (; known_at_ > at; --known_at_) {
    if (EndsLine(known_at_ - 1, end_)) --known_line_;
  }
  const char* line = at;
  while (line != text_.data() && !EndsLine(line - 1, end_)) --line;
  return {known_line_, static_cast<int32_t>(at - line + 1)};
}

absl::Status Lexer::ErrorAt(const char* at, absl::string_view message) const {
  if (error_at_ != nullptr) {
    at = error_at_;
    message = error_;
  }
  const TextPosition position = PositionOf(at);
  const char* line_begin = at - (position.column - 1);
  const char* line_end = at;
  while (line_end != end_ && *line_end != '\n' && *line_end != '\r') ++line_end;
  const char* shown_begin = std::max(line_begin, at - std::min(kShownBefore, at - text_.data()));
  const char* shown_end = std::min(line_end, at + std::min(kShownAfter, end_ - at));
  std::string line = absl::StrCat(shown_begin == line_begin ? "" : "...",
                                  absl::string_view(shown_begin, shown_end - shown_begin),
                                  shown_end == line_end ? "" : "...");
  std::string caret;
  const size_t before = at - shown_begin + (shown_begin == line_begin ? 0 : 3);
  for (size_t i = 0; i < before; ++i) caret += line[i] == '\t' ? '\t' : ' ';
  std::replace(line.begin(), line.end(), '\0', '?');
  return absl::InvalidArgumentError(absl::StrCat(file_name_, file_name_.empty() ? "" : ":",
                                                 position.line, ":", position.column, ": ", message,
                                                 "\n  ", line, "\n  ", caret, "^"));
}

absl::Status Lexer::Expected(absl::string_view what) const {
  return Error(absl::StrCat("expected ", what, ", found ", DescribeToken()));
}

std::string Lexer::DescribeToken() const {
  if (Is(TokenKind::kEnd)) return "the end of the text";
  constexpr size_t kShown = 40;
  const absl::string_view shown = spelling().substr(0, kShown);
  return absl::StrCat("'", shown, shown.size() < spelling().size() ? "..." : "", "'");
}

}  // namespace assay
