// The limits on inconclusive results of a whole tier. A part of a tier has no limit.
#include "conformance/runner/judgeability.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CaseResult Single(const char* id, const char* rule, int64_t judged, int64_t not_judgeable) {
  CaseResult result;
  result.id = id;
  result.probes.resize(1);
  Judgement& judgement = result.probes[0].judgement;
  judgement.rule = rule;
  judgement.counts[static_cast<int>(Verdict::kWithinBound)] = judged;
  judgement.counts[static_cast<int>(Verdict::kNotJudgeable)] = not_judgeable;
  return result;
}

RunResult QuickTier(CaseResults cases) {
  RunResult run;
  run.tier = "quick";
  run.cases = std::move(cases);
  return run;
}

TEST(JudgeabilityTest, Limits) {
  EXPECT_THAT(JudgeabilityComplaints(QuickTier({})), IsEmpty());
  EXPECT_THAT(JudgeabilityComplaints(QuickTier({Single("a", "n u", 98, 2)})), IsEmpty());
  EXPECT_THAT(JudgeabilityComplaints(QuickTier({Single("a", "n u", 97, 3)})),
              ElementsAre("3 of the 100 elements of single operations are not judgeable, which is "
                          "over 2%"));
  EXPECT_THAT(JudgeabilityComplaints(QuickTier({Single("a", "exact", 999, 1)})),
              ElementsAre("a is exact, but 1 of its 1000 elements are not judgeable"));
  // Programs are judged by their instructions.
  CaseResult program = Single("a", "program", 0, 100);
  program.probes.resize(2);
  EXPECT_THAT(JudgeabilityComplaints(QuickTier({program})), IsEmpty());
}

TEST(JudgeabilityTest, PartsOfATierSayNothing) {
  void (*const kParts[])(RunResult&) = {
      [](RunResult& run) { run.tier = ""; },
      [](RunResult& run) { run.filter = "--op add"; },
      [](RunResult& run) { run.case_files = {"mine.cases"}; },
      [](RunResult& run) { run.shards = 2; },
      [](RunResult& run) { run.interrupted = true; },
  };
  for (const auto& make_part : kParts) {
    RunResult run = QuickTier({Single("a", "n u", 0, 100)});
    EXPECT_EQ(JudgeabilityComplaints(run).size(), 1);
    make_part(run);
    EXPECT_THAT(JudgeabilityComplaints(run), IsEmpty());
  }
}

CaseResult With(const char* id, Outcome outcome) {
  CaseResult result;
  result.id = id;
  result.outcome = outcome;
  result.message = "says nothing";
  return result;
}

TEST(JudgeabilityTest, ARunThatJudgedNothingFails) {
  using enum Outcome;
  const auto complaints = [](CaseResults cases) {
    RunResult run;
    run.cases = std::move(cases);
    return NothingJudged(run);
  };
  EXPECT_THAT(complaints({}), IsEmpty());
  EXPECT_THAT(complaints({With("a", kNotSupported), With("b", kNotRun)}),
              ElementsAre("no result was judged: of 2 cases 1 are not supported and 1 not run; the "
                          "first: says nothing"));
  EXPECT_EQ(complaints({With("a", kNotRun)}).size(), 1);
  EXPECT_THAT(complaints({With("a", kNotJudgeable), With("b", kNotSupported)}),
              ElementsAre("no result was judged: of 2 cases 1 are not supported and 0 not run, 1 "
                          "not judgeable; the first: says nothing"));
  EXPECT_EQ(complaints({With("a", kNotSupported), With("b", kRefused)}).size(), 1);
  EXPECT_THAT(complaints({With("a", kRefused), With("b", kNotRun)}), IsEmpty());
  for (const Outcome judged : {kExact, kAllowed, kWrong, kFailed, kInvalid}) {
    EXPECT_THAT(complaints({With("a", kNotSupported), With("b", judged)}), IsEmpty());
  }
}

}  // namespace
}  // namespace assay::conformance
