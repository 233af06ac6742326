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

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tools/cli/exit_code.h"

namespace assay {
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

int TextWidth() { return std::clamp(Columns(STDOUT_FILENO), kNarrowest, kWidest); }

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

}  // namespace assay
