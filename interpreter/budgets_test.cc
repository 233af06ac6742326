// Budgets: memory, work, nesting and time end a run with an error, never with a crash.
#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "interpreter/testing.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::string_view kEndless = R"(
  body { ROOT s = s32[] parameter(0) }
  cond { s = s32[] parameter(0) ROOT c = pred[] constant(true) }
  ENTRY e { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body })";
constexpr absl::string_view kEndlessOnArrays = R"(
  body { ROOT s = s32[100] parameter(0) }
  cond { s = s32[100] parameter(0) ROOT c = pred[] constant(true) }
  ENTRY e { x = s32[] constant(0) y = s32[100] broadcast(x), dimensions={}
    ROOT w = s32[100] while(y), condition=cond, body=body })";

TEST(Budgets, EndlessLoopsEndByTime) {
  for (absl::string_view module : {kEndless, kEndlessOnArrays}) {
    RunOptions options;
    options.budget.seconds = 0.2;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(
        RunText(module, {}, {}, options),
        AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("0.2 seconds"), HasSubstr("while")));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

TEST(Budgets, EndlessLoopsEndBySteps) {
  for (absl::string_view module : {kEndless, kEndlessOnArrays}) {
    RunOptions options;
    options.budget.steps = 10000;
    EXPECT_THAT(RunText(module, {}, {}, options),
                AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("10000 element steps")));
  }
}

TEST(Budgets, HugeShapesAreRefusedBeforeTheyAreMade) {
  EXPECT_THAT(RunText("ENTRY e { z = f32[] constant(0) "
                      "ROOT b = f32[1099511627776] broadcast(z), dimensions={} }",
                      {}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("f32[1099511627776]"),
                    HasSubstr("4398046511104 bytes")));
  EXPECT_THAT(RunText("ENTRY e { z = f32[] constant(0) ROOT b = "
                      "f32[4294967296,4294967296] broadcast(z), dimensions={} }",
                      {}),
              HasSubstr("overflows"));
}

TEST(Budgets, BytesCountLiveValuesOnly) {
  // A chain of a hundred megabytes in all, two values of it alive at a time.
  std::string chain =
      "ENTRY e { z = f32[] constant(1) a0 = f32[262144] broadcast(z), dimensions={} ";
  for (int i = 1; i < 100; ++i) {
    absl::StrAppend(&chain, "a", i, " = f32[262144] negate(a", i - 1, ") ");
  }
  absl::StrAppend(&chain, "ROOT r = f32[1] slice(a99), slice={[0:1]} }");
  RunOptions options;
  options.budget.bytes = 3 << 20;
  EXPECT_EQ(RunText(chain, {}, {}, options), "f32[1]{0} {-1}");
  options.budget.bytes = 1 << 19;
  EXPECT_THAT(RunText(chain, {}, {}, options), HasSubstr("RESOURCE_EXHAUSTED"));
}

TEST(Budgets, LoopsDoNotGrow) {
  constexpr absl::string_view module = R"(
    body { s = (s32[], f32[100000]) parameter(0)
      i = s32[] get-tuple-element(s), index=0  x = f32[100000] get-tuple-element(s), index=1
      one = s32[] constant(1)  n = s32[] add(i, one)  y = f32[100000] negate(x)
      z = f32[100000] abs(y)  ROOT t = (s32[], f32[100000]) tuple(n, z) }
    cond { s = (s32[], f32[100000]) parameter(0) i = s32[] get-tuple-element(s), index=0
      m = s32[] constant(500) ROOT c = pred[] compare(i, m), direction=LT }
    ENTRY e { z = s32[] constant(0) f = f32[] constant(-2)
      b = f32[100000] broadcast(f), dimensions={}
      w = (s32[], f32[100000]) while((s32[], f32[100000]) tuple(z, b)), condition=cond, body=body
      x = f32[100000] get-tuple-element(w), index=1  ROOT r = f32[1] slice(x), slice={[7:8]} })";
  RunOptions options;
  options.budget.bytes = 3 * 400000;
  EXPECT_EQ(RunText(module, {}, {}, options), "f32[1]{0} {2}");
}

TEST(Budgets, AMillionInstructionsInAChain) {
  std::string chain = "ENTRY e { a0 = s32[] parameter(0) one = s32[] constant(1)\n";
  constexpr int kLength = 1000000;
  chain.reserve(kLength * 40);
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&chain, "a", i, " = s32[] add(a", i - 1, ", one)\n");
  }
  absl::StrAppend(&chain, "}");
  EXPECT_EQ(RunText(chain, {"s32[] 5"}), "s32[] 1000005");
}

TEST(Budgets, TenThousandNestedCalls) {
  std::string text = "call0 { x = s32[] parameter(0) ROOT y = s32[] negate(x) }\n";
  constexpr int kDepth = 10000;
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&text, "call", i,
                    " { x = s32[] parameter(0) ROOT y = s32[] call(x), to_apply=call", i - 1,
                    " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = s32[] parameter(0) ROOT y = s32[] call(x), to_apply=call",
                  kDepth, " }");
  EXPECT_EQ(RunText(text, {"s32[] 5"}), "s32[] -5");
  RunOptions options;
  options.budget.call_depth = 100;
  EXPECT_THAT(RunText(text, {"s32[] 5"}, {}, options), HasSubstr("deeper than 100"));
}

TEST(Budgets, TwoThousandNestedTuples) {
  std::string text = "ENTRY e { t0 = s32[] parameter(0)\n";
  constexpr int kDepth = 2000;
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&text, "t", i, " = tuple(t", i - 1, ")\n");
  }
  absl::StrAppend(&text, "g0 = get-tuple-element(t", kDepth, "), index=0\n");
  for (int i = 1; i < kDepth; ++i) {
    absl::StrAppend(&text, "g", i, " = get-tuple-element(g", i - 1, "), index=0\n");
  }
  absl::StrAppend(&text, "ROOT n = s32[] negate(g", kDepth - 1, ") }");
  EXPECT_EQ(RunText(text, {"s32[] 5"}), "s32[] -5");
}

}  // namespace
}  // namespace assay
