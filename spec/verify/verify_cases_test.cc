// Every pair of testdata/*.cases: the first module is accepted by both rule sets, the second is
// refused with the clause (by strict rules alone where the pair says so). testdata/README.md has
// the format. Expected values: the clauses of the reference; tools/peers/verify_peer_test.py holds
// the same pairs against XLA.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

struct Case {
  std::string where;
  std::string clause;
  bool strict = false;
  bool reader = false;
  std::string accepted;
  std::string refused;
};

// The body with the left or the right side of every <<left => right>>.
std::string Resolve(absl::string_view body, bool left) {
  std::string text;
  while (true) {
    const size_t begin = body.find("<<");
    text.append(body.data(), std::min(begin, body.size()));
    if (begin == absl::string_view::npos) return text;
    const size_t arrow = body.find(" => ", begin), end = body.find(">>", begin);
    const absl::string_view side =
        left ? body.substr(begin + 2, arrow - begin - 2) : body.substr(arrow + 4, end - arrow - 4);
    text.append(side.data(), side.size());
    body.remove_prefix(end + 2);
  }
}

std::string ModuleText(const std::string& body, const std::string& computations) {
  if (absl::StartsWith(body, "HloModule")) return body;
  const std::pair<std::string, std::string> parts = absl::StrSplit(body, absl::MaxSplits('|', 1));
  std::string text = absl::StrCat("HloModule rule\n", computations, "\nENTRY entry {\n");
  int number = 0;
  for (absl::string_view shape : absl::StrSplit(parts.first, ';', absl::SkipWhitespace())) {
    absl::StrAppend(&text, "  p", number, " = ", absl::StripAsciiWhitespace(shape), " parameter(",
                    number, ")\n");
    ++number;
  }
  absl::StrAppend(&text, "  ROOT r = ", parts.second, "\n}\n");
  return text;
}

std::vector<Case> ReadCases(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  std::vector<Case> cases;
  std::string computations;
  const std::vector<std::string> blocks = absl::StrSplit(content.str(), "\n== ");
  for (size_t i = 1; i < blocks.size(); ++i) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(blocks[i], absl::MaxSplits('\n', 1));
    const std::vector<std::string> words = absl::StrSplit(parts.first, ' ', absl::SkipWhitespace());
    const std::string body(absl::StripAsciiWhitespace(parts.second));
    if (words[0] == "computations") {
      computations = body;
      continue;
    }
    Case test;
    test.where = absl::StrCat(path.filename().string(), ", ", blocks[i]);
    test.clause = words[0];
    test.strict = words.back() == "strict";
    test.reader = words.back() == "reader";
    test.accepted = ModuleText(Resolve(body, true), computations);
    test.refused = ModuleText(Resolve(body, false), computations);
    cases.push_back(std::move(test));
  }
  return cases;
}

// The clauses that a module violates; a reader's refusal counts by the clause in its message.
std::string Clauses(const std::string& text, Rules rules) {
  const auto module = ParseModule(text);
  if (!module.ok()) return std::string(module.status().message());
  VerifyOptions options;
  options.rules = rules;
  const Verification result = VerifyModule(**module, options);
  return absl::StrJoin(result.findings, " ", [](std::string* out, const Finding& finding) {
    EXPECT_FALSE(finding.expected.empty()) << finding.message;
    absl::StrAppend(out, "[", finding.clause, "]");
  });
}

void Expect(const Case& test) {
  SCOPED_TRACE(test.where);
  if (test.reader) {
    EXPECT_TRUE(ParseModule(test.accepted).ok());
  } else {
    EXPECT_EQ(Clauses(test.accepted, Rules::kXla), "");
    EXPECT_EQ(Clauses(test.accepted, Rules::kStrict), "");
  }
  const std::string clause = absl::StrCat("[", test.clause, "]");
  EXPECT_TRUE(absl::StrContains(Clauses(test.refused, Rules::kStrict), clause));
  if (test.strict) {
    EXPECT_EQ(Clauses(test.refused, Rules::kXla), "");
  } else {
    EXPECT_TRUE(absl::StrContains(Clauses(test.refused, Rules::kXla), clause));
  }
}

TEST(VerifyCases, EveryPair) {
  int files = 0;
  size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/spec/verify/testdata")) {
    if (entry.path().extension() != ".cases") continue;
    const std::vector<Case> cases = ReadCases(entry.path());
    for (const Case& test : cases) Expect(test);
    count += cases.size();
    ++files;
  }
  EXPECT_EQ(files, 8);
  EXPECT_GT(count, 350u);
}

}  // namespace
}  // namespace assay
