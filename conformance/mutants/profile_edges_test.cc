// Under each profile a target may go as far as the profile says, on every case of the quick tier,
// and not a little further.
#include "conformance/mutants/profile_edges.h"

#include <cstdlib>
#include <fstream>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/mutants/score.h"
#include "gtest/gtest.h"
#include "spec/testing/test_folder.h"

namespace assay::conformance {
namespace {

std::vector<CorpusCase> CasesOf(Tier tier) {
  CaseFilter filter;
  filter.tier = tier;
  return *SelectCorpusCases(filter);
}

const std::vector<CorpusCase>& QuickTier() {
  static const auto* const cases = new std::vector<CorpusCase>(CasesOf(Tier::kQuick));
  return *cases;
}

// One case of three of each operation, beginning with its first, or with ASSAY_ALL_CASES in the
// environment all of them, and with ASSAY_ALL_CASES=standard those of the standard tier: what is
// legal goes through every case that it is given.
const std::vector<CorpusCase>& SomeOfQuickTier() {
  static const std::vector<CorpusCase>* const cases = [] {
    const char* const all = std::getenv("ASSAY_ALL_CASES");
    if (all != nullptr && absl::string_view(all) == "standard") {
      return new std::vector<CorpusCase>(CasesOf(Tier::kStandard));
    }
    const size_t step = all != nullptr ? 1 : 3;
    auto* const some = new std::vector<CorpusCase>();
    std::map<std::string, size_t> met;
    for (const CorpusCase& each : QuickTier()) {
      if (met[std::string(each.Tag("op"))]++ % step == 0) some->push_back(each);
    }
    return some;
  }();
  return *cases;
}

std::vector<MutantScore> Scores(const std::vector<Mutant>& mutants,
                                const std::vector<CorpusCase>& cases) {
  std::vector<const Mutant*> each;
  for (const Mutant& mutant : mutants) each.push_back(&mutant);
  auto scores = ScoreMutants(each, cases, {});
  EXPECT_TRUE(scores.ok()) << scores.status();
  return scores.ok() ? *std::move(scores) : std::vector<MutantScore>();
}

std::string Describe(const MutantScore& score) {
  return absl::StrCat(score.profile, ": ", score.mutant->name, ", ", score.mutant->description,
                      ", ", score.cases, " cases: ", score.caught_by, " ", score.reason,
                      score.broken);
}

void ExpectSilence(const std::vector<Mutant>& legal) {
  for (const MutantScore& score : Scores(legal, SomeOfQuickTier())) {
    EXPECT_TRUE(score.broken.empty() && !score.caught()) << Describe(score);
    EXPECT_GT(score.cases, 0) << Describe(score);
  }
}

// Of those that stand in some case.
void ExpectCaught(const std::vector<Mutant>& illegal, int64_t at_least) {
  int64_t caught = 0;
  for (const MutantScore& score : Scores(illegal, QuickTier())) {
    caught += score.caught();
    EXPECT_TRUE(score.broken.empty() && (score.caught() || score.cases == 0)) << Describe(score);
  }
  EXPECT_GE(caught, at_least);
}

// Both kinds of all profiles, so that each case gets its golden results once.
template <typename Edges>
ProfileEdges OfAllProfiles(Edges edges) {
  ProfileEdges all;
  for (const std::string& name : TargetProfile::BuiltIn()) {
    ProfileEdges own = edges(*TargetProfile::Find(name));
    for (Mutant& each : own.within) all.within.push_back(std::move(each));
    for (Mutant& each : own.beyond) all.beyond.push_back(std::move(each));
  }
  return all;
}

TEST(ProfileEdgesTest, ThereAreTenProfiles) { EXPECT_EQ(TargetProfile::BuiltIn().size(), 10); }

TEST(ProfileEdgesTest, BudgetsMayBeUsedUp) { ExpectSilence(OfAllProfiles(BudgetEdges).within); }

TEST(ProfileEdgesTest, WhatIsBeyondABudgetIsFound) {
  ExpectCaught(OfAllProfiles(BudgetEdges).beyond, 1000);
}

TEST(ProfileEdgesTest, SumsMayBeAsFarOffAsTheirBound) {
  ExpectSilence(OfAllProfiles(SumEdges).within);
}

TEST(ProfileEdgesTest, WhatIsBeyondABoundIsFound) {
  ExpectCaught(OfAllProfiles(SumEdges).beyond, 24);
}

// Where a profile admits a decision point, it does not admit more.
TEST(ProfileEdgesTest, WhatIsBeyondADecisionPointIsFound) {
  ExpectCaught(OfAllProfiles(FoldDecisionEdges).beyond, 9);
}

// Without contraction a sum with a contracted product is right where excess precision gives it, and
// nowhere else.
TEST(ProfileEdgesTest, ContractedSumsAreThoseOfExcessPrecision) {
  std::vector<Mutant> by_excess, withheld;
  for (const FreedomTaker& taker : FreedomTakers()) {
    if (taker.variant.name != "programs/multiply_add_contracted") continue;
    for (const std::string& name : TargetProfile::BuiltIn()) {
      Mutant variant = taker.variant;
      variant.profile = TestPath(absl::StrCat("uncontracted_", name, ".textproto"));
      std::ofstream(variant.profile) << "extends: '" << name << "' revoke: 'contraction'";
      const bool excess = TargetProfile::Find(name)->Grants(Freedom::kExcessPrecision);
      (excess ? by_excess : withheld).push_back(variant);
    }
  }
  EXPECT_EQ(by_excess.size(), 4);  // xla-cpu, gpu, tpu-like, cuda-libraries
  ExpectSilence(by_excess);
  ExpectCaught(withheld, 4);
}

// Each freedom under each profile, which grants it or does not; where it does, under one that is
// the same without it, too.
TEST(ProfileEdgesTest, AFreedomCountsExactlyWhereItIsGranted) {
  std::vector<Mutant> granted, withheld;
  int files = 0;
  for (const FreedomTaker& taker : FreedomTakers()) {
    for (const std::string& name : TargetProfile::BuiltIn()) {
      Mutant variant = taker.variant;
      variant.profile = name;
      const bool legal = taker.granted(*TargetProfile::Find(name));
      (legal ? granted : withheld).push_back(variant);
      if (!legal || taker.revoke.empty()) continue;
      variant.profile = TestPath(absl::StrCat("without_", ++files, ".textproto"));
      std::ofstream(variant.profile) << "extends: '" << name << "' " << taker.revoke;
      withheld.push_back(variant);
    }
  }
  ExpectSilence(granted);
  ExpectCaught(withheld, 230);
}

}  // namespace
}  // namespace assay::conformance
