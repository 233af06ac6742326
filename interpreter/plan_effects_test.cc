// What runs, in which order, and what is seen of it: observers, schedules, effects, statistics,
// errors.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/custom_call.h"
#include "interpreter/plan_testing.h"
#include "runtime/queue_host.h"
#include "spec/op_info.h"

namespace assay::plan_effects_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Observers, SeeIterationsOfLoopsOnScalars) {
  EXPECT_THAT(Observe(R"(
    body { s = s32[] parameter(0) ROOT d = s32[] add(s, s) }
    cond { c = s32[] parameter(0) m = s32[] constant(3) ROOT p = pred[] compare(c, m), direction=LT }
    ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=cond, body=body })",
                      1, "s32[] 2"),
              ElementsAre("00 x", "00 x = s32[] 2", "00 w", "01 c", "01 c = s32[] 2", "01 m",
                          "01 m = s32[] 3", "01 p", "01 p = pred[] true", "01 s", "01 s = s32[] 2",
                          "01 d", "01 d = s32[] 4", "01 c", "01 c = s32[] 4", "01 m",
                          "01 m = s32[] 3", "01 p", "01 p = pred[] false", "00 w = s32[] 4"));
}

TEST(Observers, SeeMovementThatOthersCouldReadThrough) {
  EXPECT_THAT(
      Observe(R"(
    ENTRY e { x = s32[2] parameter(0) b = s32[100,2] broadcast(x), dimensions={1}
      s = s32[100,1] slice(b), slice={[0:100], [1:2]} n = s32[100,1] negate(s)
      ROOT t = s32[1,1] slice(n), slice={[99:100], [0:1]} })",
              1, "s32[2] {3, 4}"),
      ElementsAre("00 x", "00 x = s32[2]{0} {3, 4}", "00 b", StartsWith("00 b = s32[100,2]"),
                  "00 s", StartsWith("00 s = s32[100,1]"), "00 n", StartsWith("00 n = s32[100,1]"),
                  "00 t", StartsWith("00 t = s32[1,1]{1,0} { {-4} }")));
}

// An instruction that waits for others, or whose value comes later, is seen once.
TEST(Observers, SeeOnceWhatWaits) {
  EXPECT_THAT(
      Observe(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    ENTRY e { x = s32[] parameter(0)
      y = s32[] all-reduce(x), replica_groups={}, to_apply=add ROOT z = s32[] negate(y) })",
              2, "s32[] 2"),
      ElementsAre("00 x", "00 x = s32[] 2", "00 y", "00 y = s32[] 4", "00 z", "00 z = s32[] -4",
                  "10 x", "10 x = s32[] 2", "10 y", "10 y = s32[] 4", "10 z", "10 z = s32[] -4"));
}

TEST(Catalogue, EveryOperationRuns) {
  for (const OpInfo& op : Catalogue()) EXPECT_TRUE(IsInterpreted(op.opcode)) << op.name;
}

// The arrays that a module feeds out, after `change` has been made to it.
std::string FedOut(absl::string_view text, const std::function<void(Module&)>& change) {
  const std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return "unparsed";
  change(*module);
  runtime::QueueHost host;
  RunOptions options;
  options.host = &host;
  const absl::StatusOr<Literal> result = Interpret(*module, {}, options);
  if (!result.ok()) return result.status().ToString();
  std::vector<std::string> values;
  for (const Literal& value : host.outfed({})) values.push_back(PrintLiteral(value));
  return absl::StrJoin(values, " ");
}

constexpr absl::string_view kThreeOutfeeds = R"(
    one = s32[] constant(1) two = s32[] constant(2) three = s32[] constant(3)
    now = token[] after-all()
    a = token[] outfeed(one, now), outfeed_shape=s32[]
    b = token[] outfeed(two, now), outfeed_shape=s32[]
    c = token[] outfeed(three, now), outfeed_shape=s32[]
    ROOT t = token[] after-all(a, b, c) })";

TEST(Order, FollowsTheSchedule) {
  EXPECT_EQ(FedOut(absl::StrCat("HloModule m, is_scheduled=true ENTRY e {", kThreeOutfeeds),
                   [](Module&) {}),
            "1 2 3");
  EXPECT_EQ(FedOut(absl::StrCat("HloModule m, is_scheduled=true ENTRY e {", kThreeOutfeeds),
                   [](Module& module) {
                     Computation& entry = *module.entry();
                     std::vector<Instruction*> schedule = entry.schedule();
                     const auto place = [&](absl::string_view name) {
                       return std::find(schedule.begin(), schedule.end(), entry.Find(name));
                     };
                     std::iter_swap(place("a"), place("c"));
                     entry.set_schedule(std::move(schedule));
                   }),
            "3 2 1");
}

// Control edges may point back in the text; what follows two others runs once.
TEST(Order, FollowsControlEdges) {
  EXPECT_EQ(FedOut(absl::StrCat("HloModule m ENTRY e {", kThreeOutfeeds),
                   [](Module& module) {
                     Computation& entry = *module.entry();
                     entry.Find("a")->AddControlPredecessor(entry.Find("b"));
                     entry.Find("b")->AddControlPredecessor(entry.Find("c"));
                     entry.Find("a")->AddControlPredecessor(entry.Find("c"));
                   }),
            "3 2 1");
}

// A custom call that counts its calls and gives 7.
CustomCallRegistry Counting(int* calls) {
  CustomCallRegistry registry;
  registry.Register("count", [calls](const CustomCall&) -> absl::StatusOr<Literal> {
    ++*calls;
    return MustParseLiteral("s32[] 7");
  });
  return registry;
}

TEST(Effects, UnusedCallsRunWhereTheyHaveEffects) {
  for (const bool effect : {true, false}) {
    for (const bool called : {true, false}) {
      int calls = 0;
      const CustomCallRegistry registry = Counting(&calls);
      PlanOptions options;
      options.custom_calls = &registry;
      const std::string attributes = absl::StrCat(
          "custom_call_target=\"count\"", effect ? ", custom_call_has_side_effect=true" : "");
      EXPECT_EQ(
          RunText(absl::StrCat("f { x = s32[] parameter(0) u = s32[] custom-call(), ", attributes,
                               " ROOT y = s32[] negate(x) } ENTRY e { ", "x = s32[] constant(3) ",
                               called ? "u = s32[] call(x), to_apply=f "
                                      : absl::StrCat("u = s32[] custom-call(), ", attributes),
                               " ROOT r = s32[] add(x, x) }"),
                  {}, options),
          "s32[] 6");
      EXPECT_EQ(calls, effect ? 1 : 0);
    }
  }
}

TEST(Stats, CountDecidedElements) {
  const std::unique_ptr<Module> module =
      MustParse("ENTRY e { x = f32[3] parameter(0) y = f32[3] tanh(x) ROOT z = f32[3] tanh(y) }");
  ASSERT_NE(module, nullptr);
  RunStats stats;
  EXPECT_TRUE(Interpret(*module, {MustParseLiteral("f32[3] {0.25, 1, 2}")}, {}, &stats).ok());
  int64_t decided = 0;
  for (const int64_t count : stats.real.decided) decided += count;
  EXPECT_EQ(decided, 6);
  EXPECT_EQ(stats.real.undecided(), 0);
}

int64_t StepsOf(absl::string_view text) {
  const std::unique_ptr<Module> module = MustParse(text);
  RunStats stats;
  if (module == nullptr) return -1;
  EXPECT_TRUE(Interpret(*module, {}, {}, &stats).ok());
  return stats.steps;
}

TEST(Effects, UnusedInstructionsDoNotRun) {
  constexpr absl::string_view kText = R"(
    f { c = u32[] constant(1) r = u32[] replica-id() p = u32[] partition-id() ROOT s = u32[] add(r, p) }
    ENTRY e { x = s32[] constant(3) $unused ROOT r = s32[] add(x, x) })";
  const auto steps = [&](absl::string_view unused) {
    return StepsOf(absl::StrReplaceAll(kText, {{"$unused", unused}}));
  };
  const int64_t least = steps("");
  EXPECT_EQ(steps("y = s32[] negate(x)"), least);
  EXPECT_EQ(steps("y = u32[] replica-id()"), least);
  EXPECT_EQ(steps("y = u32[] partition-id()"), least);
  EXPECT_EQ(steps("y = u32[] call(), to_apply=f"), least);
}

TEST(Errors, NameAViewThatIsStored) {
  RunOptions options;
  options.budget.bytes = 100000;
  EXPECT_THAT(RunText(R"(
      less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
      ENTRY e { x = f32[] parameter(0) z = f32[100,300] broadcast(x), dimensions={}
        v = f32[100,300] reverse(z), dimensions={0} s = f32[100,290] slice(v), slice={[0:100], [0:290]}
        r = f32[100,290] sort(s), dimensions={0}, to_apply=less
        ROOT t = f32[1,1] slice(r), slice={[0:1], [0:1]} })",
                      {"f32[] 1"}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("while running %s = f32[100,290]")));
}

// `depth` calls inside each other.
std::string NestedCalls(int depth) {
  std::string text = "c0 { x = s32[] parameter(0) ROOT y = s32[] negate(x) }\n";
  for (int i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "c", i, " { x = s32[] parameter(0) ROOT y = s32[] call(x), to_apply=c",
                    i - 1, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { x = s32[] constant(5) ROOT y = s32[] ",
                      depth == 0 ? "negate(x)" : absl::StrCat("call(x), to_apply=c", depth - 1),
                      " }");
}

TEST(Errors, TheDepthOfCallsIsExact) {
  RunOptions options;
  for (int depth = 0; depth < 4; ++depth) {
    options.budget.call_depth = depth;
    EXPECT_EQ(RunText(NestedCalls(depth), {}, {}, options), "s32[] -5") << depth;
    EXPECT_THAT(RunText(NestedCalls(depth + 1), {}, {}, options),
                AllOf(HasSubstr("RESOURCE_EXHAUSTED"),
                      HasSubstr(absl::StrCat("deeper than ", depth, " levels"))));
  }
  options.budget.call_depth = -1;
  EXPECT_EQ(RunText(NestedCalls(50), {}, {}, options), "s32[] -5");
}

// Regions that are not scalar programs, each applied by an operation of the one before.
std::string NestedRegions(int depth) {
  std::string text = R"(
    c0 { x = s32[] parameter(0) v = s32[2] broadcast(x), dimensions={}
      w = s32[1] slice(v), slice={[1:2]} r = s32[] reshape(w) ROOT y = s32[] negate(r) })";
  for (int i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "c", i,
                    R"( { x = s32[] parameter(0) v = s32[2] broadcast(x), dimensions={}
      m = s32[2] map(v), dimensions={0}, to_apply=c)",
                    i - 1, R"( w = s32[1] slice(m), slice={[1:2]} ROOT y = s32[] reshape(w) })");
  }
  return absl::StrCat(text, "ENTRY e { x = s32[1] constant({5}) ",
                      "ROOT y = s32[1] map(x), dimensions={0}, to_apply=c", depth - 1, " }");
}

TEST(Errors, RegionsMayNestTo32Levels) {
  EXPECT_EQ(RunText(NestedRegions(3), {}), "s32[1]{0} {-5}");
  // Two elements each: 32 levels would take 2^32 steps.
  EXPECT_THAT(RunText(NestedRegions(40), {}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("deeper than 32 levels")));
}

TEST(Observers, SeeHalvesOnce) {
  EXPECT_THAT(Observe(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    ENTRY e { x = s32[] parameter(0)
      s = s32[] all-reduce-start(x), replica_groups={}, to_apply=add
      ROOT d = s32[] all-reduce-done(s) })",
                      1, "s32[] 2"),
              ElementsAre("00 x", "00 x = s32[] 2", "00 s", StartsWith("00 s = s32[] "), "00 d",
                          "00 d = s32[] 2"));
  EXPECT_THAT(
      Observe(R"(HloModule m
    minus { a = s32[] parameter(0) ROOT r = s32[] negate(a) }
    ENTRY e { x = s32[] parameter(0)
      s = ((s32[]), s32[], s32[]) async-start(x), calls=minus
      ROOT d = s32[] async-done(s) })",
              1, "s32[] 2"),
      ElementsAre("00 x", "00 x = s32[] 2", "01 a", "01 a = s32[] 2", "01 r", "01 r = s32[] -2",
                  "00 s", "00 s = ( ( s32[] 2 ), s32[] -2, s32[] 0 )", "00 d", "00 d = s32[] -2"));
}

}  // namespace
}  // namespace assay::plan_effects_test
