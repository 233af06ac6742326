// The fuzzer finds combination mutants and the easy defects of the table soon, and accuses no
// conforming variant.
#include "fuzz/score/score.h"

#include <set>
#include <vector>

#include "fuzz/score/combinations.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::fuzz {
namespace {

TEST(FuzzScoreTest, CombinationsAreManyAndOfOwnNames) {
  std::set<std::string> names;
  for (const conformance::Mutant& mutant : CombinationMutants()) {
    names.insert(mutant.name);
    EXPECT_FALSE(mutant.description.empty()) << mutant.name;
  }
  EXPECT_EQ(names.size(), CombinationMutants().size());
  EXPECT_GE(names.size(), 150);
  for (const conformance::Mutant& mutant : conformance::Mutants())
    EXPECT_FALSE(names.contains(mutant.name));
}

TEST(FuzzScoreTest, CombinationsAreFound) {
  std::vector<const conformance::Mutant*> mutants;
  for (const conformance::Mutant& mutant : CombinationMutants()) mutants.push_back(&mutant);
  FuzzScoreOptions options;
  options.programs = Scheduled(600);
  const absl::StatusOr<FuzzScores> scores = ScoreFuzzer(mutants, options);
  ASSERT_TRUE(scores.ok()) << scores.status();
  int64_t found = 0;
  for (const FuzzScore& score : scores->scores) {
    found += score.program >= 0;
    EXPECT_EQ(score.crashes, 0) << score.mutant->name;
  }
  // So few programs find those of common pairs.
  EXPECT_GE(found, kScheduleStride == 1 ? 3 : 0);
}

TEST(FuzzScoreTest, MiscompilationsOfTheHistoryAreFound) {
  EXPECT_EQ(FindCombination("history/nothing"), nullptr);
  std::vector<const conformance::Mutant*> mutants;
  for (const char* name : {"history/openxla_31063", "history/jax_4466", "history/jax_17672",
                           "history/openxla_42042", "history/tensorflow_119990"}) {
    mutants.push_back(FindCombination(name));
    ASSERT_NE(mutants.back(), nullptr) << name;
  }
  FuzzScoreOptions options;
  options.programs = Scheduled(300);
  const absl::StatusOr<FuzzScores> scores = ScoreFuzzer(mutants, options);
  ASSERT_TRUE(scores.ok()) << scores.status();
  int64_t found = 0;
  for (const FuzzScore& score : scores->scores) found += score.program >= 0;
  EXPECT_GE(found, kScheduleStride == 1 ? 4 : 0);
  // A run that goes on counts from where it begins.
  options.first = 300;
  options.programs = Scheduled(40);
  const absl::StatusOr<FuzzScores> later = ScoreFuzzer(mutants, options);
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(later->programs, options.programs);
  for (const FuzzScore& score : later->scores)
    EXPECT_TRUE(score.program < 0 || score.program >= 300);
}

// How often the programs [first, first + programs) show each conforming variant.
std::vector<int64_t> ShownBy(int64_t first, int64_t programs) {
  std::vector<const conformance::Mutant*> variants;
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (mutant.conforming()) variants.push_back(&mutant);
  }
  FuzzScoreOptions options;
  options.first = first;
  options.programs = programs;
  const absl::StatusOr<FuzzScores> scores = ScoreFuzzer(variants, options);
  EXPECT_TRUE(scores.ok()) << scores.status();
  std::vector<int64_t> shown;
  if (!scores.ok()) return shown;
  for (const FuzzScore& score : scores->scores) shown.push_back(score.shown);
  return shown;
}

// A run that goes on has the programs that a longer run would have had.
TEST(FuzzScoreTest, TwoRunsHaveTheProgramsOfOne) {
  const std::vector<int64_t> all = ShownBy(0, 50), begin = ShownBy(0, 20), end = ShownBy(20, 30);
  EXPECT_NE(begin, end);
  ASSERT_EQ(all.size(), begin.size());
  ASSERT_EQ(all.size(), end.size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(begin[i] + end[i], all[i]) << i;
}

TEST(FuzzScoreTest, ConformingVariantsAreNotAccused) {
  std::vector<const conformance::Mutant*> variants;
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (mutant.conforming()) variants.push_back(&mutant);
  }
  FuzzScoreOptions options;
  options.programs = Scheduled(150);
  options.seed = 7;
  const absl::StatusOr<FuzzScores> scores = ScoreFuzzer(variants, options);
  ASSERT_TRUE(scores.ok()) << scores.status();
  int64_t shown = 0;
  for (const FuzzScore& score : scores->scores) {
    EXPECT_EQ(score.program, -1) << score.mutant->name << ": " << score.detail;
    shown += score.shown;
  }
  EXPECT_GT(shown, 100 / kScheduleStride);
}

}  // namespace
}  // namespace assay::fuzz
