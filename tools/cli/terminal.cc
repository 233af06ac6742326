#include "tools/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace assay {

std::string Coloured(Colour colour, absl::string_view text) {
  static const bool enabled = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
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

}  // namespace assay
