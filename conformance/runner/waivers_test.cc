#include "conformance/runner/waivers.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

constexpr char kText[] = R"(# known
waivers {
  glob: "dot/*"
  reason: "bf16 accumulation"
  link: "https://example.com/1"
  expires: "2026-12-31"
}
waivers { glob: "add/f32/?" reason: "r" link: "l" expires: "2026-01-31" }
)";

TEST(WaiversTest, Read) {
  const absl::StatusOr<std::vector<Waiver>> waivers = ReadWaivers(kText, "w.textproto");
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  ASSERT_EQ(waivers->size(), 2);
  EXPECT_EQ((*waivers)[0].glob, "dot/*");
  EXPECT_EQ((*waivers)[0].reason, "bf16 accumulation");
  EXPECT_EQ((*waivers)[0].expires, "2026-12-31");
  EXPECT_EQ((*waivers)[1].where, "w.textproto:8");
  EXPECT_TRUE(ReadWaivers("", "w")->empty());
}

TEST(WaiversTest, Refused) {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"waivers {\n  globe: \"a\" }", "w:2:8: "},
      {"waivers {", "w:1:"},
      {"\nwaivers { reason: \"r\" link: \"l\" expires: \"2026-01-31\" }", "w:2: the waiver has no"},
      {"waivers { glob: \"g\" link: \"l\" expires: \"2026-01-31\" }", "has no reason"},
      {"waivers { glob: \"g\" reason: \"r\" expires: \"2026-01-31\" }", "has no link"},
      {"waivers { glob: \"g\" reason: \"r\" link: \"l\" }", "not a date"},
      {"waivers { glob: \"g\" reason: \"r\" link: \"l\" expires: \"31.1.2026\" }", "not a date"},
      {"waivers { glob: \"g\" reason: \"r\" link: \"l\" expires: \"2026-02-30\" }", "not a date"},
      {"waivers { glob: \"g\" reason: \"r\" link: \"l\" expires: \"2026-2-3\" }", "not a date"},
      {"waivers { glob: \"g\" reason: \"r\" link: \"l\" expires: \"2026-02-03T00:00:00\" }",
       "not a date"},
  };
  for (const Row& row : rows) {
    const absl::Status status = ReadWaivers(row.text, "w").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_TRUE(absl::StrContains(status.message(), row.message)) << status;
  }
}

CaseResult Result(const char* id, Outcome outcome) {
  CaseResult result;
  result.id = id;
  result.outcome = outcome;
  return result;
}

TEST(WaiversTest, Apply) {
  const std::vector<Waiver> waivers = {
      {"a/*", "known", "link", "2026-06-30", "w:1"},
      {"b", "old", "link", "2026-06-29", "w:2"},
      {"c?", "too much", "link", "2026-06-30", "w:3"},
      {"elsewhere", "not selected", "link", "2027-01-01", "w:4"},
      {"nowhere", "typing error", "link", "2027-01-01", "w:5"},
      {"d", "not run", "link", "2027-01-01", "w:6"},
  };
  CaseResults results = {
      Result("a/1", Outcome::kWrong),      Result("a/2", Outcome::kNotJudgeable),
      Result("b", Outcome::kWrong),        Result("c1", Outcome::kExact),
      Result("c2", Outcome::kFailed),      Result("c3", Outcome::kRefused),
      Result("d", Outcome::kNotSupported),
  };
  const absl::string_view ids[] = {"a/1", "a/2", "b", "c1", "c2", "c3", "d", "elsewhere"};
  const std::vector<std::string> complaints = ApplyWaivers(waivers, "2026-06-30", ids, &results);
  const std::vector<std::string> wanted = {
      "w:2: the waiver for b expired on 2026-06-29",
      "w:3: the waiver for c? is for failures, but c1 and 1 more pass",
      "w:5: the waiver for nowhere matches no case",
  };
  EXPECT_EQ(complaints, wanted);
  const char* reasons[] = {"known (link)", "known (link)", "", "", "too much (link)", "", ""};
  for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].waiver, reasons[i]) << i;
}

TEST(WaiversTest, TodayIsADate) {
  const absl::StatusOr<std::vector<Waiver>> waivers = ReadWaivers(
      absl::StrCat("waivers { glob: 'g' reason: 'r' link: 'l' expires: '", Today(), "' }"), "w");
  EXPECT_TRUE(waivers.ok()) << waivers.status();
}

}  // namespace
}  // namespace assay::conformance
