// Every pair of testdata/*.cases: the first module is accepted by both rule sets, the second is
// refused with the clause (by strict rules alone where the pair says so). testdata/README.md has
// the format. Expected values: the clauses of the reference; tools/peers/verify_peer_test.py holds
// the same pairs against XLA.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/verify/near_misses.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

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

void Expect(const NearMiss& test) {
  SCOPED_TRACE(test.entry);
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
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    std::stringstream content;
    content << file.rdbuf();
    const std::vector<NearMiss> cases = ReadNearMisses(content.str());
    for (const NearMiss& test : cases) Expect(test);
    count += cases.size();
    ++files;
  }
  EXPECT_EQ(files, 8);
  EXPECT_GT(count, 350u);
}

}  // namespace
}  // namespace assay
