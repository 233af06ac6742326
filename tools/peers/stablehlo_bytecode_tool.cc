// Reads StableHLO in any form, prints it and writes artifacts: the half of stablehlo_bytecode.py
// that is ours.
//
// usage: stablehlo_bytecode_tool   with frames on standard input
// A frame is a line "print N" or "write VERSION N", then N bytes of text or bytecode. The answer is
// a line "ok A" and A bytes, the generic form or the artifact; or "error A" and the message.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/text.h"

namespace {

using assay::stablehlo::LooksLikeBytecode;
using assay::stablehlo::Version;

absl::StatusOr<std::string> Answer(const std::string& command, const std::string& version,
                                   const std::string& bytes) {
  auto program = LooksLikeBytecode(bytes) ? assay::stablehlo::ParseBytecode(bytes, "input")
                                          : assay::stablehlo::ParseText(bytes, "input");
  if (!program.ok()) return program.status();
  if (command == "print") return PrintText(**program, assay::stablehlo::PrintForm::kGeneric);
  return WriteArtifact(**program, Version::Parse(version).value_or(Version()));
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command, version;
    size_t size = 0;
    words >> command;
    if (command == "write") words >> version;
    words >> size;
    std::string bytes(size, '\0');
    std::cin.read(bytes.data(), static_cast<std::streamsize>(size));
    const absl::StatusOr<std::string> answer = Answer(command, version, bytes);
    const absl::string_view body = answer.ok() ? *answer : answer.status().message();
    std::cout << (answer.ok() ? "ok " : "error ") << body.size() << "\n" << body << std::flush;
  }
  return 0;
}
