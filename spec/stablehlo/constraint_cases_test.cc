// Breaks every constraint of StableHLO that constraint_rows.def states, one by one: the programs of
// testdata/constraints.cases keep them all, and each has places where one breaks. The message
// begins with the constraint's name, and no constraint goes untested.
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// A program of the file, with its marks.
struct ConstraintCase {
  std::vector<std::string> operations;
  std::string text;
  int line = 0;
};

// "[%C3: 0 => -1%]"; marks with "+" break together.
struct Mark {
  std::string name;
  bool together = false;
};

// The module of a body: `!alias` and functions first.
std::string ModuleOf(absl::string_view arguments, absl::string_view body) {
  std::string front, inside;
  for (const absl::string_view line : absl::StrSplit(body, '\n')) {
    const bool is_front = absl::StartsWith(line, "!") || absl::StartsWith(line, "func.func");
    absl::StrAppend(is_front ? &front : &inside, line, "\n");
  }
  return absl::StrCat(front, "func.func @main", arguments, " {\n", inside, "return\n}\n");
}

std::vector<ConstraintCase> ReadCases() {
  std::ifstream file(ASSAY_SOURCE_DIR "/spec/stablehlo/testdata/constraints.cases");
  std::vector<ConstraintCase> cases;
  std::string arguments, body, line;
  const auto finish = [&] {
    if (!cases.empty()) cases.back().text = ModuleOf(arguments, body);
    body.clear();
  };
  for (int number = 1; std::getline(file, line); ++number) {
    absl::string_view heading = line;
    if (absl::StartsWith(line, "#")) continue;
    if (!absl::ConsumePrefix(&heading, "== ")) {
      absl::StrAppend(&body, line, "\n");
      continue;
    }
    finish();
    const size_t names = heading.find(" (");
    arguments = std::string(heading.substr(names + 1));
    cases.push_back({absl::StrSplit(heading.substr(0, names), ' '), "", number});
  }
  finish();
  return cases;
}

// The text with some of its marks broken: number `broken`, or those of its name where they break
// together; -1 breaks none. The marks are appended to `marks`.
std::string WithBroken(const std::string& text, int broken, const Mark& mark,
                       std::vector<Mark>* marks) {
  static const std::regex kMark(R"(\[%([CI]\d+)(\+?): (.*?) => (.*?)%\])");
  std::string result;
  auto rest = text.cbegin();
  int number = 0;
  for (std::smatch found; std::regex_search(rest, text.cend(), found, kMark); ++number) {
    const Mark here{found[1], found[2].length() > 0};
    const bool breaks = number == broken ||
                        (broken >= 0 && mark.together && here.together && here.name == mark.name);
    absl::StrAppend(&result, std::string(rest, found[0].first), found[breaks ? 4 : 3].str());
    marks->push_back(here);
    rest = found[0].second;
  }
  return absl::StrCat(result, std::string(rest, text.cend()));
}

// What is wrong with a program; "" where nothing is.
std::string Wrong(const std::string& text) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "f.mlir");
  if (!program.ok()) return absl::StrCat("not read: ", program.status().message());
  const std::optional<Violation> violation = FindViolation(**program);
  return violation ? violation->message : "";
}

TEST(ConstraintCases, EveryConstraintBreaksByItsName) {
  std::set<std::string> broken;
  for (const ConstraintCase& one : ReadCases()) {
    for (const std::string& operation : one.operations) {
      SCOPED_TRACE(absl::StrCat("constraints.cases:", one.line, ", ", operation));
      const std::string text = absl::StrReplaceAll(one.text, {{"$", operation}});
      std::vector<Mark> marks, ignored;
      EXPECT_EQ(Wrong(WithBroken(text, -1, {}, &marks)), "");
      for (size_t i = 0; i < marks.size(); ++i) {
        const std::string name = absl::StrCat("[", operation, " (", marks[i].name, ")] ");
        const std::string program = WithBroken(text, static_cast<int>(i), marks[i], &ignored);
        EXPECT_THAT(Wrong(program), ::testing::StartsWith(name)) << program;
        broken.insert(absl::StrCat(operation, " ", marks[i].name));
      }
    }
  }
  // Every operation of the specification that the table has, and every constraint of it.
  for (const StatedConstraint& stated : StatedConstraints()) {
    if (stated.number == 0) continue;
    const std::string name = absl::StrCat(stated.operation, " C", stated.number);
    EXPECT_TRUE(broken.contains(name)) << name << " has no program that breaks it";
  }
}

}  // namespace
}  // namespace assay::stablehlo
