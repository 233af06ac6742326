#include "tools/cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/cli/exit_code.h"

namespace assay::cli {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kNarrowest = 40;
constexpr int kWidest = 120;  // longer lines are hard to read

bool IsDumb() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
}

int Columns(int stream) {
  winsize size = {};
  if (ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return size.ws_col;
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string printable;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    // U+0080 to U+009F are controls as well.
    const bool wide = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || wide) {
      absl::StrAppendFormat(&printable, "\\x%02x", byte);
      if (wide) absl::StrAppendFormat(&printable, "\\x%02x", text[++i] & 0xff);
    } else {
      printable += text[i];
    }
  }
  return printable;
}

bool OutputIsTerminal() { return isatty(STDOUT_FILENO) != 0; }
bool ErrorIsTerminal() { return isatty(STDERR_FILENO) != 0; }

std::string Coloured(Colour colour, absl::string_view text) {
  static const bool enabled = OutputIsTerminal() && std::getenv("NO_COLOR") == nullptr && !IsDumb();
  if (!enabled) return std::string(text);
  const char* code = "1";
  switch (colour) {
    case Colour::kGreen:
      code = "32";
      break;
    case Colour::kYellow:
      code = "33";
      break;
    case Colour::kRed:
      code = "31";
      break;
    case Colour::kBold:
      break;
  }
  return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
}

int TextWidth() {
  int width = 0;
  const char* wanted = std::getenv("COLUMNS");
  if (!OutputIsTerminal() && wanted != nullptr && absl::SimpleAtoi(wanted, &width) &&
      width >= kNarrowest) {
    return width;
  }
  return std::clamp(Columns(STDOUT_FILENO), kNarrowest, kWidest);
}

Progress::Progress(bool wanted) : enabled_(wanted && isatty(STDERR_FILENO) != 0 && !IsDumb()) {}

void Progress::Show(absl::string_view text) {
  if (!enabled_) return;
  // One column stays free: a full line would move the cursor on.
  std::cerr << "\r\x1b[K" << text.substr(0, Columns(STDERR_FILENO) - 1) << std::flush;
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_) return;
  std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

void ReserveStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // Read-only, so that writing to a closed output still fails. open() takes the lowest number.
    if (open("/dev/null", O_RDONLY) != stream) std::abort();
  }
}

int FinishOutput(int exit_code) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (flushed) return exit_code;
  std::cerr << "assay: standard output: cannot be written"
            << (errno != 0 ? absl::StrCat(": ", std::strerror(errno)) : "") << "\n";
  return std::max<int>(exit_code, kExitBadInput);
}

std::string ForPeople(absl::string_view message) {
  constexpr size_t kBeginning = 1500, kEnd = 500;
  if (message.size() <= kBeginning + kEnd + 100) return Printable(message);
  return Printable(absl::StrCat(message.substr(0, kBeginning), " [... ",
                                message.size() - kBeginning - kEnd, " bytes ...] ",
                                message.substr(message.size() - kEnd)));
}

std::string Wrapped(absl::string_view text, size_t width, size_t indent) {
  std::string result;
  size_t column = 0;
  for (absl::string_view word : absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (column > 0 && column + 1 + word.size() > width) {
      absl::StrAppend(&result, "\n", std::string(indent, ' '));
      column = 0;
    }
    absl::StrAppend(&result, column > 0 ? " " : "", word);
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return result;
}

namespace {

// The number of bytes that one column of a terminal shows: an escape sequence and the bytes of a
// character after its first take no column of their own.
size_t BytesOfColumn(absl::string_view text, bool* is_column) {
  *is_column = text[0] != '\x1b';
  size_t end = 1;
  if (!*is_column) {
    end = text.find('m');
    return end == absl::string_view::npos ? text.size() : end + 1;
  }
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return end;
}

// Where the second column of a table begins; 0 if the line has none.
size_t SecondColumn(absl::string_view line, size_t indent) {
  constexpr size_t kFarthest = 44;
  const size_t gap = line.find("  ", indent);
  if (gap == absl::string_view::npos) return 0;
  const size_t column = line.find_first_not_of(' ', gap);
  return column == absl::string_view::npos || column > kFarthest ? 0 : column;
}

// How a line goes on after a break.
struct Continuation {
  size_t indent = 0;
  bool is_command = false;
};

Continuation ContinuationOf(absl::string_view line) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > 0 && absl::StartsWith(line.substr(indent), "assay ")) return {indent + 4, true};
  const size_t column = SecondColumn(line, indent);
  return {column > 0 ? column : indent + 2, false};
}

// The bytes of the next piece of a line: up to the last blank at which it may be broken, or up to
// the first one behind `width` columns.
size_t PieceOf(absl::string_view line, size_t width, bool is_command) {
  size_t columns = 0, last = 0;
  char quote = 0;
  bool begun = false;
  for (size_t at = 0; at < line.size();) {
    const char byte = line[at];
    const bool quotes = is_command && (byte == '\'' || byte == '"');
    if (quotes && (quote == 0 || quote == byte)) quote = quote == 0 ? byte : 0;
    if (byte == ' ' && begun && quote == 0) {
      if (columns > width && last > 0) return last;
      last = at;
      if (columns > width) return last;
    }
    begun = begun || byte != ' ';
    bool is_column = true;
    at += BytesOfColumn(line.substr(at), &is_column);
    columns += is_column ? 1 : 0;
  }
  return columns <= width || last == 0 ? line.size() : last;
}

void AppendWrapped(absl::string_view line, size_t width, std::string* text) {
  constexpr size_t kLeastRoom = 24;
  const Continuation next = ContinuationOf(line);
  const size_t indent = std::min(next.indent, width - kLeastRoom);
  size_t room = next.is_command ? width - 2 : width;
  while (true) {
    const size_t piece = PieceOf(line, room, next.is_command);
    absl::StrAppend(text, absl::StripTrailingAsciiWhitespace(line.substr(0, piece)));
    line = absl::StripLeadingAsciiWhitespace(line.substr(piece));
    if (line.empty()) return;
    absl::StrAppend(text, next.is_command ? " \\\n" : "\n", std::string(indent, ' '));
    room = width - indent - (next.is_command ? 2 : 0);
  }
}

}  // namespace

std::string WrappedLines(absl::string_view text, size_t width) {
  std::string wrapped;
  bool first = true;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!std::exchange(first, false)) wrapped += '\n';
    if (line.size() <= width) {
      absl::StrAppend(&wrapped, line);
    } else {
      AppendWrapped(line, width, &wrapped);
    }
  }
  return wrapped;
}

// Hands on whole lines.
class WrappedOutput::Buffer : public std::streambuf {
 public:
  explicit Buffer(std::streambuf* sink) : sink_(sink), width_(TextWidth()) {}
  ~Buffer() override { Emit(""); }

 protected:
  int_type overflow(int_type next) override {
    if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
    if (traits_type::to_char_type(next) != '\n') {
      line_ += traits_type::to_char_type(next);
      return next;
    }
    return Emit("\n") ? next : traits_type::eof();
  }
  int sync() override { return sink_->pubsync(); }

 private:
  bool Emit(absl::string_view end) {
    const std::string text = absl::StrCat(WrappedLines(std::exchange(line_, {}), width_), end);
    const auto size = static_cast<std::streamsize>(text.size());
    return sink_->sputn(text.data(), size) == size;
  }

  std::streambuf* const sink_;
  const size_t width_;
  std::string line_;
};

WrappedOutput::WrappedOutput()
    : buffer_(std::make_unique<Buffer>(std::cout.rdbuf())), before_(std::cout.rdbuf()) {
  std::cout.rdbuf(buffer_.get());
}

WrappedOutput::~WrappedOutput() {
  // rdbuf() clears the state of the stream, which says whether all of it could be written.
  const std::ios::iostate state = std::cout.rdstate();
  std::cout.rdbuf(before_);
  std::cout.setstate(state);
}

}  // namespace assay::cli
