// Every kind of judgement and evidence in words, written by hand from what a reader must learn:
// which element, what came and what was expected, how large the error is and what was permitted.
#include "conformance/judge/verdict_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::conformance {
namespace {

using testing::HasSubstr;
using testing::Not;

Evidence Wrong(std::optional<double> distance, std::optional<double> bound) {
  Evidence evidence;
  evidence.index = {0, 8, 5};
  evidence.actual = "1.5";
  evidence.golden = "1";
  evidence.distance = distance;
  evidence.bound = bound;
  return evidence;
}

Judgement Of(Verdict verdict, int64_t count, int64_t exact = 0) {
  Judgement judgement;
  judgement.verdict = verdict;
  judgement.counts[static_cast<int>(verdict)] += count;
  judgement.counts[static_cast<int>(Verdict::kExact)] += exact;
  return judgement;
}

TEST(VerdictTextTest, NumbersHaveCommas) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(-1234567), "-1,234,567");
  EXPECT_EQ(WithCommas(-123), "-123");
  EXPECT_EQ(Counted(1, "case"), "1 case");
  EXPECT_EQ(Counted(44000, "case"), "44,000 cases");
}

TEST(VerdictTextTest, AnElementBeyondItsBound) {
  Evidence evidence = Wrong(0.5, 0.1);
  EXPECT_EQ(InWords(evidence),
            "[0,8,5]: actual 1.5, golden 1, error 0.5 (relative 0.5), 5 times its bound");
  evidence.golden_bits = "0x3f800000";
  evidence.actual_bits = "0x3fc00000";
  evidence.operands = {"0.5", "0.25"};
  evidence.leaf = 2;
  evidence.device = 1;
  evidence.reason = "needs the permitted deviation signed_zero, which golden does not grant";
  EXPECT_EQ(InWords(evidence),
            "[0,8,5] of result 2 on device 1: actual 1.5 (0x3fc00000), golden 1 (0x3f800000), "
            "operands 0.5 and 0.25, error 0.5 (relative 0.5), 5 times its bound; needs the "
            "permitted deviation "
            "signed_zero, which golden does not grant");
}

TEST(VerdictTextTest, LargeMultiplesAreReadable) {
  EXPECT_THAT(InWords(Wrong(0.5, 0.5 / 740)), HasSubstr(", 740 times its bound"));
  EXPECT_THAT(InWords(Wrong(0.5, 0.5 / 61781)), HasSubstr(", 61,781 times its bound"));
  EXPECT_THAT(InWords(Wrong(0.5, 0.5e-12)), HasSubstr(", 1.00e+12 times its bound"));
}

TEST(VerdictTextTest, WithoutABoundTheErrorIsThatOfTheNumbers) {
  EXPECT_EQ(InWords(Wrong(std::nullopt, std::nullopt)),
            "[0,8,5]: actual 1.5, golden 1, error 0.5 (relative 0.5)");
  EXPECT_EQ(InWords(Wrong(0.5, 0)),
            "[0,8,5]: actual 1.5, golden 1, error 0.5 (relative 0.5), where no error is permitted");
}

TEST(VerdictTextTest, AnotherZeroIsNoErrorOfNothing) {
  Evidence evidence = Wrong(0, 0);
  evidence.actual = "-0";
  evidence.golden = "0";
  EXPECT_EQ(InWords(evidence), "[0,8,5]: actual -0, golden 0, the same number with other bits");
}

TEST(VerdictTextTest, NansAndComplexNumbersHaveNoErrorOfTheirOwn) {
  Evidence evidence = Wrong(std::nullopt, std::nullopt);
  evidence.actual = "nan";
  EXPECT_EQ(InWords(evidence), "[0,8,5]: actual nan, golden 1");
  evidence.actual = "(1, 2)";
  evidence.golden = "(1, 3)";
  EXPECT_EQ(InWords(evidence), "[0,8,5]: actual (1, 2), golden (1, 3)");
  evidence = Wrong(0, 1);
  evidence.actual = "(inf, 1)";
  evidence.golden = "(inf, inf)";
  EXPECT_EQ(InWords(evidence), "[0,8,5]: actual (inf, 1), golden (inf, inf)");
}

TEST(VerdictTextTest, EveryVerdict) {
  EXPECT_EQ(InWords(Of(Verdict::kExact, 1)), "the only element is exact");
  Judgement within = Of(Verdict::kWithinBound, 3, 13);
  within.rule = "7 ulp";
  within.largest_fraction = 0.5;
  within.largest_distance = 3;
  EXPECT_EQ(InWords(within),
            "3 of 16 elements are within bound (rule: 7 ulp; at most 0.5 of the bound; at most 3 "
            "ulp)");
  within.largest_distance = 6178160;
  EXPECT_THAT(InWords(within), Not(HasSubstr("ulp)")));
  EXPECT_EQ(InWords(Of(Verdict::kCorrectlyRounded, 16)), "all 16 elements are correctly rounded");
  Judgement allowed = Of(Verdict::kAllowed, 1, 1);
  allowed.freedoms[static_cast<int>(Freedom::kSignedZero)] = 1;
  EXPECT_EQ(InWords(allowed), "1 of 2 elements is allowed by signed_zero");
  EXPECT_EQ(InWords(Of(Verdict::kKnownDeviation, 2, 3)), "2 of 5 elements are known deviations");
  EXPECT_EQ(InWords(Of(Verdict::kKnownDeviation, 1, 3)), "1 of 4 elements is a known deviation");
  EXPECT_EQ(InWords(Of(Verdict::kNotJudgeable, 2)), "all 2 elements are not judgeable");
}

// The elements inside their bounds say nothing about the wrong ones.
TEST(VerdictTextTest, AWrongResultHasNoFractionOfABoundThatItKeeps) {
  Judgement wrong = Of(Verdict::kWrong, 37, 987);
  wrong.rule = "1 ulp";
  wrong.largest_fraction = 0.99;
  wrong.largest_distance = 1;
  EXPECT_EQ(InWords(wrong), "37 of 1,024 elements are wrong (rule: 1 ulp)");
}

TEST(VerdictTextTest, TheWorstIsKeptAndFound) {
  Judgement judgement;
  EXPECT_EQ(WorstOf(judgement), nullptr);
  for (int i = 0; i < 40; ++i) {
    Evidence evidence = Wrong(i == 30 ? 9 : 1 + i * 0.01, 1);
    evidence.position = i;
    KeepEvidence(evidence, &judgement);
  }
  ASSERT_EQ(judgement.evidence.size(), kShownEvidence);
  ASSERT_NE(WorstOf(judgement), nullptr);
  EXPECT_EQ(WorstOf(judgement)->position, 30);
  EXPECT_EQ(judgement.evidence.front().position, 0);
  // One without a distance is worse than every number.
  Evidence nan = Wrong(std::nullopt, std::nullopt);
  nan.position = 77;
  KeepEvidence(nan, &judgement);
  EXPECT_EQ(WorstOf(judgement)->position, 77);
  // A zero of the other sign is less than a wrong number, also where it comes first.
  Judgement zeros;
  for (const char* actual : {"-0", "1e-45", "2"}) {
    Evidence evidence = Wrong(std::nullopt, std::nullopt);
    evidence.golden = "0";
    evidence.actual = actual;
    zeros.evidence.push_back(evidence);
  }
  EXPECT_EQ(WorstOf(zeros)->actual, "1e-45");
  // What cannot be judged is not wrong.
  Evidence open = Wrong(100, 1);
  open.verdict = Verdict::kNotJudgeable;
  Judgement other;
  KeepEvidence(open, &other);
  EXPECT_EQ(WorstOf(other), nullptr);
}

}  // namespace
}  // namespace assay::conformance
