// Colours, on a terminal only.
#ifndef ASSAY_TOOLS_CLI_TERMINAL_H_
#define ASSAY_TOOLS_CLI_TERMINAL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace assay {

enum class Colour { kGreen, kYellow, kRed, kBold };

// The text in a colour when standard output is a terminal and NO_COLOR is not set.
std::string Coloured(Colour colour, absl::string_view text);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_TERMINAL_H_
