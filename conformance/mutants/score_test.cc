// The suite examined: every planted defect is found in the quick tier, no innocent variant is
// accused there under its profile, and each is seen under profile golden.
#include "conformance/mutants/score.h"

#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

std::vector<CorpusCase> QuickTier() {
  CaseFilter quick;
  quick.tier = Tier::kQuick;
  auto all = CorpusCases();
  EXPECT_TRUE(all.ok()) << all.status();
  auto cases = SelectCases(*std::move(all), quick);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return *std::move(cases);
}

std::vector<const Mutant*> Those(bool innocent) {
  std::vector<const Mutant*> those;
  for (const Mutant& mutant : Mutants()) {
    if (mutant.innocent() == innocent) those.push_back(&mutant);
  }
  return those;
}

TEST(ScoreTest, EveryDefectIsFound) {
  const auto scores = ScoreMutants(Those(/*innocent=*/false), QuickTier(), {});
  ASSERT_TRUE(scores.ok()) << scores.status();
  for (const MutantScore& score : *scores) {
    EXPECT_TRUE(score.caught()) << score.mutant->target() << ": " << score.mutant->description;
    EXPECT_EQ(score.broken, "") << score.mutant->target();
  }
}

TEST(ScoreTest, InnocentVariantsAreNotAccused) {
  const auto scores = ScoreMutants(Those(/*innocent=*/true), QuickTier(), {});
  ASSERT_TRUE(scores.ok()) << scores.status();
  for (const MutantScore& score : *scores) {
    EXPECT_EQ(score.caught_by, "")
        << score.mutant->target() << " under " << score.profile << ": " << score.reason;
    EXPECT_EQ(score.broken, "") << score.mutant->target();
  }
}

TEST(ScoreTest, InnocentVariantsAreSeenByTheGoldenProfile) {
  ScoreOptions options;
  options.profile = "golden";
  const auto scores = ScoreMutants(Those(/*innocent=*/true), QuickTier(), options);
  ASSERT_TRUE(scores.ok()) << scores.status();
  for (const MutantScore& score : *scores) {
    EXPECT_EQ(score.caught(), score.mutant->profile != "golden")
        << score.mutant->target() << ": " << score.mutant->description;
  }
}

TEST(ScoreTest, AnUnknownProfileIsAnError) {
  ScoreOptions options;
  options.profile = "nobody's";
  EXPECT_EQ(ScoreMutants(Those(false), {}, options).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace assay
