// Two runs compared: every pair of kinds of outcomes, cases that only one run has, and what is
// said.
#include "conformance/report/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CaseResult Outcoming(const std::string& id, Outcome outcome) {
  CaseResult result;
  result.id = id;
  result.op = id.substr(0, id.find('/'));
  result.type = "f32";
  result.outcome = outcome;
  if (IsFailure(outcome)) result.message = "it is broken";
  return result;
}

RunResult RunOf(std::initializer_list<CaseResult> cases) {
  RunResult run;
  run.cases = cases;
  return run;
}

std::vector<std::string> Ids(const std::vector<CaseChange>& changes) {
  std::vector<std::string> ids;
  for (const CaseChange& change : changes) ids.push_back(change.id);
  return ids;
}

// Which list each pair of outcomes belongs to, by hand from the definition of the three kinds.
TEST(CompareTest, EveryPairOfOutcomes) {
  const auto kind = [](int outcome) {
    return outcome <= static_cast<int>(Outcome::kRefused)        ? 'p'
           : outcome <= static_cast<int>(Outcome::kNotJudgeable) ? 'n'
                                                                 : 'f';
  };
  for (int before = 0; before < kOutcomes; ++before) {
    for (int after = 0; after < kOutcomes; ++after) {
      const RunComparison comparison =
          CompareRuns(RunOf({Outcoming("a/x", static_cast<Outcome>(before))}),
                      RunOf({Outcoming("a/x", static_cast<Outcome>(after))}));
      const char was = kind(before), is = kind(after);
      EXPECT_EQ(comparison.regressions.size(), is == 'f' && was != 'f') << before << " " << after;
      EXPECT_EQ(comparison.lost_coverage.size(), is == 'n' && was != 'n') << before << " " << after;
      EXPECT_EQ(comparison.fixes.size(), is == 'p' && was == 'f') << before << " " << after;
      EXPECT_EQ(comparison.new_coverage.size(), is == 'p' && was == 'n') << before << " " << after;
      EXPECT_EQ(comparison.same, is == was) << before << " " << after;
      EXPECT_EQ(comparison.still_failing, is == 'f' && was == 'f') << before << " " << after;
      EXPECT_EQ(comparison.worse(), (is == 'f' && was != 'f') || (is == 'n' && was != 'n'));
    }
  }
}

TEST(CompareTest, CasesOfOneRunAlone) {
  const RunComparison comparison = CompareRuns(
      RunOf({Outcoming("a/gone", Outcome::kExact), Outcoming("a/gone_too", Outcome::kWrong),
             Outcoming("b/never", Outcome::kNotRun)}),
      RunOf({Outcoming("c/new", Outcome::kExact), Outcoming("c/bad", Outcome::kWrong)}));
  EXPECT_THAT(Ids(comparison.lost_coverage), ElementsAre("a/gone", "a/gone_too"));
  EXPECT_THAT(Ids(comparison.new_coverage), ElementsAre("c/new"));
  EXPECT_THAT(Ids(comparison.regressions), ElementsAre("c/bad"));
  EXPECT_EQ(comparison.lost_coverage[0].after, "absent");
  EXPECT_EQ(comparison.regressions[0].before, "absent");
  EXPECT_EQ(comparison.same, 0);
}

TEST(CompareTest, Words) {
  const RunResult before =
      RunOf({Outcoming("add/a", Outcome::kExact), Outcoming("add/b", Outcome::kWrong),
             Outcoming("dot/c", Outcome::kWrong), Outcoming("dot/d", Outcome::kExact)});
  RunComparison comparison = CompareRuns(
      before, RunOf({Outcoming("add/a", Outcome::kFailed), Outcoming("add/b", Outcome::kExact),
                     Outcoming("dot/c", Outcome::kWrong), Outcoming("dot/d", Outcome::kExact)}));
  EXPECT_EQ(FormatComparison(comparison),
            "regressions: 1 (add f32 1)\n"
            "  add/a: exact, now failed; it is broken\n"
            "fixes: 1 (add f32 1)\n"
            "  add/b: wrong, now exact; it is broken\n"
            "2 cases as before\n"
            "1 case fails that did not fail before.\n");
  EXPECT_EQ(ToJson(comparison)["regressions"][0]["after"], "failed");
  EXPECT_EQ(ToJson(comparison)["still_failing"], 1);
  comparison = CompareRuns(before, before);
  EXPECT_THAT(comparison.regressions, IsEmpty());
  EXPECT_EQ(FormatComparison(comparison),
            "4 cases as before\nNo regression: 0 cases mended, 2 still failing.\n");
}

TEST(CompareTest, ThePageEscapesWhatTargetsSay) {
  CaseResult broken = Outcoming("add/a", Outcome::kFailed);
  broken.message = "<script>alert(1)</script>";
  const std::string page = ComparisonHtml(
      CompareRuns(RunOf({Outcoming("add/a", Outcome::kExact)}), RunOf({broken})), "a&b", "<c>");
  EXPECT_THAT(page, testing::Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("a&amp;b"));
  EXPECT_THAT(page, HasSubstr("1 regressions"));
}

}  // namespace
}  // namespace assay::conformance
