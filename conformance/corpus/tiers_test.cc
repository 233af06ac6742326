// Tiers, work and selection: of cases written here, and what the tiers of the corpus promise.
#include "conformance/corpus/tiers.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/all_cases.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/corpus/work.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Rows = std::vector<std::array<std::string, 3>>;  // id, tags, size

// One case to each id, with these tags and arguments of that size.
std::vector<CorpusCase> Cases(const Rows& rows) {
  std::string text;
  for (const auto& [id, tags, size] : rows) {
    absl::StrAppend(&text, "case ", id, "\ntags: ", tags, "\nmodule:\n  ENTRY e { a = s8[", size,
                    "] parameter(0) ROOT r = negate(a) }\ninputs:\n  arg0 = benign s8[", size,
                    "]\nexpect: golden\n");
  }
  absl::StatusOr<std::vector<CorpusCase>> cases = ReadCases(text, "t");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return *std::move(cases);
}

const Rows& OfOneOperation() {
  static const Rows* const rows = new Rows{
      {"negate/s8/a", "op=negate type=s8 profile=benign", "2"},
      {"negate/s8/b", "op=negate type=s8 profile=benign", "3"},
      {"negate/s8/c", "op=negate type=s8 profile=special", "4"},  // before the others
      {"negate/s8/d", "op=negate type=s8 decision=I-1", "5"},
      {"negate/s8/e", "op=negate type=s16", "5000"},  // too large for quick
      {"negate/s8/f", "op=negate type=s16", "600000"},
      {"program/s8/x", "form=program", "7"},
      {"program/s8/y", "form=program", "7"},
  };
  return *rows;
}

TEST(Tiers, QuickCoversEachTagOfAnOperationOnce) {
  const std::vector<CorpusCase> cases = Cases(OfOneOperation());
  EXPECT_THAT(TiersOf(cases),
              ElementsAre(Tier::kQuick, Tier::kStandard, Tier::kQuick, Tier::kQuick,
                          Tier::kStandard, Tier::kFull, Tier::kQuick, Tier::kQuick));
}

// Values of a profile say more of a type than a written few, and arrays with one element or none
// say nothing.
TEST(Tiers, QuickCoversTypesByElements) {
  const std::vector<CorpusCase> cases = Cases({
      {"negate/s8/a", "op=negate type=s8 profile=patterns", "1"},
      {"negate/s8/b", "op=negate type=s8 profile=patterns", "3"},
      {"negate/s8/c", "op=negate type=s8 example=8.2", "1"},
      {"negate/s8/d", "op=negate type=s8 example=8.2", "2"},
      {"negate/u8/a", "op=negate type=u8 profile=special", "0"},
      {"negate/u8/b", "op=negate type=u8 profile=patterns", "4"},
      {"negate/u8/c", "op=negate type=u8 example=8.2", "1"},
  });
  EXPECT_THAT(TiersOf(cases),
              ElementsAre(Tier::kStandard, Tier::kQuick, Tier::kQuick, Tier::kStandard,
                          Tier::kQuick, Tier::kQuick, Tier::kQuick));
}

// A form of a conversion is a type of its results: each pair of types counts.
TEST(Tiers, QuickCoversPairsOfTypesOfConversions) {
  const std::vector<CorpusCase> cases = Cases({
      {"convert/s8/a", "op=convert type=s8 form=special.u8 profile=special", "3"},
      {"convert/s8/b", "op=convert type=s8 form=special.u8 profile=special", "3"},
      {"convert/s16/a", "op=convert type=s16 form=special.u8 profile=special", "3"},
      {"negate/s8/a", "op=negate type=s8 form=special profile=special", "3"},
      {"negate/s16/a", "op=negate type=s16 form=special profile=special", "3"},
      {"negate/s16/b", "op=negate type=s16 form=special profile=special", "3"},
  });
  EXPECT_THAT(TiersOf(cases), ElementsAre(Tier::kQuick, Tier::kStandard, Tier::kQuick, Tier::kQuick,
                                          Tier::kQuick, Tier::kStandard));
}

TEST(Tiers, AreSelected) {
  const std::vector<CorpusCase> cases = Cases(OfOneOperation());
  CaseFilter filter;
  const auto count = [&] {
    const auto chosen = SelectCases(cases, filter);
    EXPECT_TRUE(chosen.ok()) << chosen.status();
    return chosen->size();
  };
  EXPECT_EQ(count(), 8u);
  filter.tier = Tier::kStandard;
  EXPECT_EQ(count(), 7u);
  filter.max_multiply_adds = 4;
  EXPECT_EQ(count(), 3u);
  filter.globs = {"negate/*"};
  filter.tier = Tier::kQuick;  // as before: a filter does not change tiers
  EXPECT_EQ(count(), 2u);
  filter.globs.push_back("add/*");
  EXPECT_THAT(std::string(SelectCases(cases, filter).status().message()),
              HasSubstr("no case matches add/*"));
  filter.globs = {"negate"};
  EXPECT_THAT(std::string(SelectCases(cases, filter).status().message()),
              HasSubstr("no case matches negate; 'negate/*' matches"));
  filter.globs = {"negated/f32/none"};  // the operation that is probably meant
  EXPECT_THAT(std::string(SelectCases(cases, filter).status().message()),
              HasSubstr("'negate/*' matches"));
  filter.globs = {"nothing"};
  EXPECT_THAT(std::string(SelectCases(cases, filter).status().message()),
              HasSubstr("`assay corpus list` prints them"));
}

// Cases of some groups alone are those of the whole corpus, with their tiers: also where refused
// cases, which other operations have too, are written beside others (abs), and of programs.
TEST(Tiers, AreThoseOfTheWholeCorpusForSomeGroups) {
  for (const std::vector<std::string>& globs :
       std::vector<std::vector<std::string>>{{"abs/*"},
                                             {"pad/refused/*"},
                                             {"fft/f32/*", "all-gather/*"},
                                             {"all-reduce*"},
                                             {"program/bf16/*"}}) {
    for (const Tier tier : {Tier::kQuick, Tier::kFull}) {
      CaseFilter filter;
      filter.globs = globs;
      filter.tier = tier;
      const auto some = SelectCorpusCases(filter), of_all = SelectCases(AllCases(), filter);
      ASSERT_TRUE(some.ok() && of_all.ok()) << some.status() << of_all.status();
      EXPECT_GT(some->size(), 0u) << globs[0];
      EXPECT_EQ(Manifest(*some), Manifest(*of_all)) << globs[0];
    }
  }
}

TEST(Tiers, GroupsFollowFromTheFilter) {
  CaseFilter filter;
  EXPECT_EQ(GroupsOf(filter), std::nullopt);
  filter.globs = {"add/*", "dot/f32/x"};
  EXPECT_EQ(GroupsOf(filter), CaseGroups({"add", "dot"}));
  filter.globs = {"add/*", "all-*/f32/*"};  // any operation that begins so
  EXPECT_EQ(GroupsOf(filter), std::nullopt);
  filter.ops = {"sort"};
  EXPECT_EQ(GroupsOf(filter), CaseGroups({"sort"}));
  // The hint names what the whole corpus has.
  filter = {};
  filter.globs = {"ad/f32/*"};
  EXPECT_THAT(std::string(SelectCorpusCases(filter).status().message()),
              HasSubstr("'add/*' matches"));
}

// The tier of the corpus that everybody runs is small, and leaves nothing uncovered that has a
// small case.
TEST(Tiers, OfTheCorpus) {
  const std::vector<Tier> tiers = TiersOf(AllCases());
  std::map<Tier, int64_t> count;
  std::set<std::string> all, quick;
  for (size_t i = 0; i < AllCases().size(); ++i) {
    ++count[tiers[i]];
    const CorpusCase& each = AllCases()[i];
    if (each.Tag("form") == "program") continue;  // long ones are left out
    for (const CaseTag& tag : each.tags) {
      if (tag.key == "form") continue;
      const std::string what = absl::StrCat(each.Tag("op"), " ", tag.key, " ", tag.value);
      all.insert(what);
      if (tiers[i] == Tier::kQuick) quick.insert(what);
    }
  }
  EXPECT_GT(count[Tier::kQuick], 3000);
  EXPECT_LT(count[Tier::kQuick], 11000);
  EXPECT_GT(count[Tier::kStandard], 20000);
  std::vector<std::string> missing;
  for (const std::string& what : all) {
    if (quick.count(what) == 0 && what.find(" profile all") == std::string::npos) {
      missing.push_back(what);
    }
  }
  EXPECT_THAT(missing, ElementsAre());
}

TEST(Work, IsCountedByHand) {
  const struct {
    const char* module;
    int64_t work;
  } kModules[] = {
      {"ENTRY e { a = f32[3,4] parameter(0) ROOT r = negate(a) }", 12},
      {"ENTRY e { a = f32[3,4] parameter(0) b = f32[4,5] parameter(1) ROOT r = f32[3,5] dot(a, b), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
       60},
      // Three products of windows of two, and their sums.
      {"add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = add(x, y) }\nENTRY e { a = "
       "f32[4] parameter(0) z = f32[] constant(0) ROOT r = f32[3] reduce-window(a, z), "
       "window={size=2}, to_apply=add }",
       6},
      // Ten times an addition and a comparison.
      {"body { i = s32[] parameter(0) one = s32[] constant(1) ROOT n = add(i, one) }\ncond { i = "
       "s32[] parameter(0) n = s32[] constant(10) ROOT c = compare(i, n), direction=LT }\nENTRY e "
       "{ z = s32[] constant(0) ROOT w = s32[] while(z), condition=cond, body=body }",
       20},
  };
  for (const auto& row : kModules) {
    const auto module = ParseModule(row.module);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(WorkOf(**module), row.work) << row.module;
  }
}

TEST(Sweep, HasEveryPatternOnce) {
  const auto cases = SweepCases("tanh");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 4096u);
  EXPECT_EQ((*cases)[1016].id, "tanh/f32/sweep/3f800000");
  EXPECT_EQ((*cases)[1016].inputs[0].use.offset, 0x3f800000u);
  EXPECT_EQ(cases->back().inputs[0].use.offset + (1u << 20), uint64_t{1} << 32);
  for (const char* other : {"add", "tan h", "convert", "not", "all-reduce"}) {
    EXPECT_THAT(std::string(SweepCases(other).status().message()), HasSubstr(other));
  }
}

}  // namespace
}  // namespace assay::conformance
