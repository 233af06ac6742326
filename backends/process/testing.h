// Test helpers: misbehaving targets, and backends for them. Used by process_test.cc and
// containment_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_TESTING_H_
#define ASSAY_BACKENDS_PROCESS_TESTING_H_

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/process/process_backend.h"
#include "gtest/gtest.h"
#include "spec/testing/test_folder.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::process {

inline constexpr char kEcho[] = "ENTRY e { ROOT x = f32[3] parameter(0) }";

inline std::string Misbehaving(absl::string_view how, absl::string_view argument = "") {
  // -I and -S make Python start faster; a test starts it a hundred times.
  return absl::StrCat("python3 -IS ", ASSAY_SOURCE_DIR,
                      "/backends/process/testdata/misbehaving_target.py ", how, " ", argument);
}

inline std::unique_ptr<ProcessBackend> Backend(const std::string& command, double seconds = 30) {
  ProcessOptions options;
  options.command = command;
  options.start_seconds = options.compile_seconds = options.execute_seconds = seconds;
  return std::make_unique<ProcessBackend>(options);
}

// Returns the result as text, or the error.
inline std::string RunText(ProcessBackend& backend, absl::string_view text,
                           const std::vector<std::string>& arguments) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<Literal> literals;
  for (const std::string& argument : arguments) {
    literals.push_back(*ParseTypedLiteral(argument));
  }
  auto result = RunOnce(backend, **module, literals);
  return result.ok() ? PrintTypedLiteral(*result) : result.status().ToString();
}

inline std::string RunEcho(const std::string& command, double seconds = 30) {
  return RunText(*Backend(command, seconds), kEcho, {"f32[3]{0} {1, 2, 3}"});
}

// Returns the command of a target that sends the JSON objects, one for each request
// (misbehaving_target.py).
inline std::string Scripted(absl::string_view answers) {
  static int number = 0;
  const std::string path = TestPath(absl::StrCat("script_", number++));
  std::ofstream(path) << answers;
  return Misbehaving("by_hand", path);
}

inline constexpr char kHello[] = R"({"type":"hello","protocol":1,"formats":["hlo-text"]})";
inline constexpr char kCompiled[] = R"({"type":"compiled","handle":1})";

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_TESTING_H_
