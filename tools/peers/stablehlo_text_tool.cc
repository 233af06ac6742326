// Reads StableHLO texts and prints them: the half of stablehlo_text.py that is ours.
//
// usage: stablehlo_text_tool   with frames on standard input
// A frame is the number of its bytes on a line, then the bytes. Each is a text; the answer is one
// line "ok A B", followed by A bytes of the generic form and B bytes of the pretty form, or "error
// A" followed by the message.
#include <cstdio>
#include <iostream>
#include <string>

#include "spec/stablehlo/text.h"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string text(std::stoul(line), '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    auto program = assay::stablehlo::ParseText(text, "text");
    if (!program.ok()) {
      const absl::string_view message = program.status().message();
      std::cout << "error " << message.size() << "\n" << message << std::flush;
      continue;
    }
    using assay::stablehlo::PrintForm;
    const std::string generic = PrintText(**program, PrintForm::kGeneric);
    const std::string pretty = PrintText(**program, PrintForm::kPretty);
    std::cout << "ok " << generic.size() << " " << pretty.size() << "\n"
              << generic << pretty << std::flush;
  }
  return 0;
}
