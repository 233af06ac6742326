// The terminal: colours, width and progress, and errors of writing standard output. Tests:
// run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TERMINAL_H_
#define ASSAY_TOOLS_CLI_TERMINAL_H_

#include <memory>
#include <streambuf>
#include <string>

#include "absl/strings/string_view.h"

namespace assay::cli {

enum class Colour { kGreen, kYellow, kRed, kBold };

// Returns the text in a colour if standard output is a terminal with colours and NO_COLOR is not
// set.
std::string Coloured(Colour colour, absl::string_view text);

// Returns untrusted text (of files or of a process) for a terminal: control characters other than
// line breaks and tabs are shown as \xNN.
std::string Printable(absl::string_view text);

// Returns a message without control characters and with long shapes abbreviated.
std::string ForPeople(absl::string_view message);

bool OutputIsTerminal();
bool ErrorIsTerminal();

// Wraps words to lines of at most `width` columns; lines after the first are indented.
std::string Wrapped(absl::string_view text, size_t width, size_t indent);

// Returns the width of wrapped text: that of the terminal, at most 120; without a terminal the
// environment variable COLUMNS, otherwise 80.
int TextWidth();

// Wraps every line of the text to at most `width` columns, at blanks. Continuation lines are
// indented by two more than the line, or to the second column of a table. An indented line that
// begins with "assay " is a command: it is broken only outside quotes, after a backslash, so that a
// shell accepts it. A word longer than a line is not broken.
std::string WrappedLines(absl::string_view text, size_t width);

// A scope in which standard output is wrapped by WrappedLines at TextWidth().
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

// A progress line on standard error that is overwritten. It is shown only on a terminal and if
// `wanted`.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(absl::string_view text);
  // Must be called before other output.
  void Clear();

 private:
  const bool enabled_;
  bool shown_ = false;
};

// Opens the null device for closed standard streams, so that no other file gets their descriptors.
// Must be called first in a program.
void ReserveStandardStreams();

// Flushes standard output. Returns the exit code of the program: `exit_code`, or kExitBadInput with
// a message if standard output cannot be written (a full disk).
int FinishOutput(int exit_code);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_TERMINAL_H_
