// The terminal: colours, its width, progress; and standard output that cannot be written. Tests:
// run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TERMINAL_H_
#define ASSAY_TOOLS_CLI_TERMINAL_H_

#include <memory>
#include <streambuf>
#include <string>

#include "absl/strings/string_view.h"

namespace assay {

enum class Colour { kGreen, kYellow, kRed, kBold };

// The text in a colour when standard output is a terminal that has colours and NO_COLOR is not set.
std::string Coloured(Colour colour, absl::string_view text);

// Text of others (files, what a process printed) for a terminal: control characters other than
// line breaks and tabs as \xNN, so that none takes effect.
std::string Printable(absl::string_view text);

// A message without control characters, and without the middle of a shape of a million dimensions.
std::string ForPeople(absl::string_view message);

bool OutputIsTerminal();
bool ErrorIsTerminal();

// Words in lines of at most `width` columns; the lines after the first are indented.
std::string Wrapped(absl::string_view text, size_t width, size_t indent);

// Columns for texts that are wrapped: those of the terminal, at most 120; where there is none, what
// the environment variable COLUMNS says, else 80.
int TextWidth();

// Every line of the text in lines of at most `width` columns. A line is broken at a blank; what
// follows is indented by two more than the line, or stands under the second column of a table. An
// indented line that begins with "assay " is a command: it is broken outside quotes alone, after a
// backslash, so that a shell takes what was printed. A word that is longer than a line stays whole.
std::string WrappedLines(absl::string_view text, size_t width);

// While it lives, standard output is wrapped by WrappedLines at TextWidth().
class WrappedOutput {
 public:
  WrappedOutput();
  ~WrappedOutput();
  WrappedOutput(const WrappedOutput&) = delete;
  WrappedOutput& operator=(const WrappedOutput&) = delete;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::streambuf* const before_;
};

// A line on standard error that is overwritten, when that is a terminal and `wanted`; else nothing.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(absl::string_view text);
  // Before anything else is printed.
  void Clear();

 private:
  const bool enabled_;
  bool shown_ = false;
};

// Opens the null device for those of the standard streams that are closed, so that no file of ours
// takes their numbers. The first thing a program does.
void ReserveStandardStreams();

// Writes out what is buffered. The exit code of the program: `exit_code`, or kExitBadInput with a
// message where standard output cannot be written (a full disk).
int FinishOutput(int exit_code);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_TERMINAL_H_
