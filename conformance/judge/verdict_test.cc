// Verdicts and freedoms by their names, and judgements put together.
#include "conformance/judge/verdict.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;

TEST(Verdicts, HaveNames) {
  for (int k = 0; k < kVerdicts; ++k) {
    const Verdict verdict = static_cast<Verdict>(k);
    EXPECT_EQ(VerdictFromName(VerdictName(verdict)), verdict);
  }
  EXPECT_EQ(VerdictName(Verdict::kCorrectlyRounded), "correctly rounded");
  EXPECT_EQ(VerdictFromName("fine"), std::nullopt);
  std::string last;
  for (int k = 0; k < kFreedoms; ++k) {
    const Freedom freedom = static_cast<Freedom>(k);
    EXPECT_EQ(FreedomFromName(FreedomName(freedom)), freedom);
    EXPECT_LT(last, FreedomName(freedom)) << "sorted";
    last = std::string(FreedomName(freedom));
    EXPECT_FALSE(FreedomMeaning(freedom).empty());
  }
  EXPECT_EQ(FreedomFromName("luck"), std::nullopt);
}

TEST(Judgements, MergeToTheWorstAndTheSums) {
  Judgement one, other;
  one.verdict = Verdict::kWithinBound;
  one.counts[static_cast<int>(Verdict::kWithinBound)] = 3;
  EXPECT_EQ(one.largest_distance, 0u);
  other.counts[static_cast<int>(Verdict::kExact)] = 5;
  one.largest_fraction = 0.5;
  one.rule = "4 ulp";
  other.verdict = Verdict::kWrong;
  other.counts[static_cast<int>(Verdict::kWrong)] = 20;
  other.largest_distance = 9;
  other.rule = "exact";
  other.reasons = {"why"};
  other.deviations = {"P-2 (there)"};
  other.evidence.resize(kShownEvidence);
  one.Merge(other);
  one.Merge(other);
  EXPECT_EQ(one.verdict, Verdict::kWrong);
  EXPECT_EQ(one.elements(), 53);
  EXPECT_EQ(one.counts[static_cast<int>(Verdict::kExact)], 10);
  EXPECT_EQ(Evidence().leaf, 0);
  EXPECT_EQ(Evidence().position, 0);
  EXPECT_EQ(one.largest_fraction, 0.5);
  EXPECT_EQ(one.largest_distance, 9u);
  EXPECT_EQ(one.rule, "4 ulp, exact");
  EXPECT_EQ(one.evidence.size(), static_cast<size_t>(kShownEvidence));
  EXPECT_THAT(one.reasons, ElementsAre("why"));
  EXPECT_THAT(one.deviations, ElementsAre("P-2 (there)"));
}

}  // namespace
}  // namespace assay::conformance
