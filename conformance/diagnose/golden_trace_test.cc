// The excerpts of a golden run: iterations of loops, and groups of instructions.
#include "conformance/diagnose/golden_trace.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A loop that adds 1 to a number so many times, from 0, and doubles what comes out.
std::unique_ptr<Module> CountingLoop(int64_t iterations) {
  return MustParse(absl::StrCat(
      "body { i = s32[] parameter(0) one = s32[] constant(1) ROOT next = add(i, one) } "
      "condition { i = s32[] parameter(0) end = s32[] constant(",
      iterations,
      ") ROOT more = compare(i, end), direction=LT } "
      "ENTRY e { start = s32[] constant(0) "
      "loop = s32[] while(start), condition=condition, body=body ROOT twice = add(loop, loop) }"));
}

std::vector<Excerpt> Trace(const Module& module, const TraceDepth& depth) {
  std::vector<Excerpt> excerpts;
  const auto results =
      TraceGolden(module, {{}}, PlanOptions(), RunBudget(), depth, [&](Excerpt excerpt) {
        excerpts.push_back(std::move(excerpt));
        return absl::OkStatus();
      });
  EXPECT_TRUE(results.ok()) << results.status();
  return excerpts;
}

std::vector<std::string> NamesOf(const std::vector<Excerpt>& excerpts) {
  std::vector<std::string> names;
  for (const Excerpt& each : excerpts) names.push_back(each.Name());
  return names;
}

TEST(TraceGoldenTest, FirstIterationUnlessAsked) {
  EXPECT_THAT(NamesOf(Trace(*CountingLoop(7), {})), ElementsAre("more", "next", "twice"));
  EXPECT_THAT(NamesOf(Trace(*CountingLoop(0), {})), ElementsAre("more", "twice"));
}

// The condition runs once more than the body: 1, 4 and 8 of its runs, 1, 4 and 7 of the body's.
TEST(TraceGoldenTest, FirstLastAndBetween) {
  EXPECT_THAT(NamesOf(Trace(*CountingLoop(7), {.iterations = 3, .subgraphs = 0})),
              ElementsAre("more", "next", "more@4", "next@4", "next@7", "more@8", "twice"));
  EXPECT_THAT(NamesOf(Trace(*CountingLoop(7), {.iterations = 2, .subgraphs = 0})),
              ElementsAre("more", "next", "next@7", "more@8", "twice"));
}

// As many iterations as wanted, or all; the first, the last, and steps that differ by one at most.
// The operands are those of the iteration.
TEST(TraceGoldenTest, IterationsAreSpreadEvenly) {
  for (int64_t iterations = 1; iterations <= 14; ++iterations) {
    const std::unique_ptr<Module> loop = CountingLoop(iterations);
    for (int64_t wanted = 1; wanted <= 16; ++wanted) {
      SCOPED_TRACE(absl::StrCat(wanted, " of ", iterations));
      std::vector<int64_t> seen;
      for (const Excerpt& each : Trace(*loop, {.iterations = wanted, .subgraphs = 0})) {
        if (each.members.front()->name() != "next") continue;
        seen.push_back(each.iteration);
        EXPECT_EQ(static_cast<int64_t>(each.arguments[0].Get(0).bits), each.iteration - 1);
        EXPECT_EQ(static_cast<int64_t>(each.golden.Get(0).bits), each.iteration);
      }
      ASSERT_EQ(static_cast<int64_t>(seen.size()), std::min(iterations, wanted));
      EXPECT_EQ(seen.front(), 1);
      EXPECT_EQ(seen.back(), wanted > 1 ? iterations : 1);
      int64_t shortest = iterations, longest = 0;
      for (size_t i = 1; i < seen.size(); ++i) {
        shortest = std::min(shortest, seen[i] - seen[i - 1]);
        longest = std::max(longest, seen[i] - seen[i - 1]);
      }
      EXPECT_LE(longest - shortest, 1);
    }
  }
}

// Each excerpt is a module whose golden value is the one that was seen; scalars stay known, and
// what is taken outside of a group is a result.
TEST(TraceGoldenTest, GroupsAreModules) {
  const auto module = MustParse(
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = add(a, b) } "
      "twice { x = f32[3] parameter(0) two = f32[] constant(2) "
      "w = f32[3] broadcast(two), dimensions={} m = multiply(x, w) ROOT e = exponential(m) } "
      "ENTRY e { x = f32[3] constant({1, 0.5, -1}) a = f32[3] call(x), to_apply=twice "
      "b = f32[3] call(a), to_apply=twice z = f32[] constant(0) n = negate(b) "
      "t = f32[] reduce(n, z), dimensions={0}, to_apply=add ROOT r = (f32[3], f32[]) tuple(n, t) "
      "}");
  const std::vector<Excerpt> excerpts = Trace(*module, {.iterations = 2, .subgraphs = 4});
  EXPECT_THAT(NamesOf(excerpts),
              ElementsAre("w", "m", "e", "w+m+e", "w@2", "m@2", "e@2", "w+m+e@2", "n", "t", "n+t"));
  for (const Excerpt& each : excerpts) {
    SCOPED_TRACE(each.Name());
    const auto value = Interpret(*each.module, each.arguments);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(Literal::BitEqual(*value, each.golden));
  }
  EXPECT_EQ(excerpts[3].arguments.size(), 1u);
  EXPECT_TRUE(excerpts.back().golden.is_tuple());
}

TEST(TraceGoldenTest, TheObserverEndsTheRun) {
  int64_t seen = 0;
  const auto results =
      TraceGolden(*CountingLoop(7), {{}}, PlanOptions(), RunBudget(), {}, [&](const Excerpt&) {
        ++seen;
        return absl::ResourceExhaustedError("enough");
      });
  EXPECT_THAT(results.status().message(), HasSubstr("enough"));
  EXPECT_EQ(seen, 1);
}

TEST(TraceGoldenTest, Depths) {
  for (const int64_t iterations : {1, 2, 64}) {
    for (const int64_t subgraphs : {0, 2, 8}) EXPECT_TRUE(CheckDepth({iterations, subgraphs}).ok());
  }
  EXPECT_THAT(CheckDepth({0, 0}).message(), HasSubstr("from 1 to 64"));
  EXPECT_THAT(CheckDepth({65, 0}).message(), HasSubstr("from 1 to 64"));
  for (const int64_t subgraphs : {-1, 1, 9}) {
    EXPECT_THAT(CheckDepth({1, subgraphs}).message(), HasSubstr("from 2 to 8"));
  }
}

}  // namespace
}  // namespace assay::conformance
