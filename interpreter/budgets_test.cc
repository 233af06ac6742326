// Budgets: memory, work, nesting and time end a run with an error, never with a crash.
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "interpreter/testing.h"
#include "runtime/queue_host.h"
#include "spec/testing/schedule.h"

namespace assay::budgets_test {
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

// They have no buffers of their own, and a module of nothing else was never refused.
TEST(Budgets, SmallValuesCount) {
  constexpr absl::string_view kSmall = R"(
    ENTRY e { x = f32[4] constant({1,2,3,4}) z = f32[4] multiply(x, x)
      ROOT w = f32[4] add(z, x) })";
  RunOptions options;
  for (const int64_t bytes : {0, 3, 15}) {
    options.budget.bytes = bytes;
    EXPECT_THAT(RunText(kSmall, {}, {}, options),
                AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("small values"),
                      HasSubstr(absl::StrCat("the budget of ", bytes, " bytes")),
                      HasSubstr("in computation e")));
  }
  options.budget.bytes = 48;
  EXPECT_EQ(RunText(kSmall, {}, {}, options), "f32[4]{0} {2, 6, 12, 20}");
  // Each level of calls has its own.
  options.budget.bytes = 100;
  EXPECT_THAT(RunText(R"(
    inner { p = f32[4] parameter(0) q = f32[4] negate(p) ROOT r = f32[4] add(p, q) }
    outer { p = f32[4] parameter(0) q = f32[4] call(p), to_apply=inner ROOT r = f32[4] add(p, q) }
    ENTRY e { x = f32[4] constant({1,2,3,4}) y = f32[4] call(x), to_apply=outer
      ROOT z = f32[4] add(x, y) })",
                      {}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("in computation inner")));
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
  constexpr int kLength = 1000000 / kScheduleStride;
  chain.reserve(kLength * 40);
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&chain, "a", i, " = s32[] add(a", i - 1, ", one)\n");
  }
  absl::StrAppend(&chain, "}");
  EXPECT_EQ(RunText(chain, {"s32[] 5"}), absl::StrCat("s32[] ", kLength + 5));
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

// Small values run without activations where the budget allows the depth of all levels: a branch
// in a call in a loop is three levels below the entry.
TEST(Budgets, LevelsOfSmallValues) {
  constexpr absl::string_view kText = R"(
    yes { x = s32[2] parameter(0) ROOT y = s32[2] add(x, x) }
    no { x = s32[2] parameter(0) ROOT y = s32[2] negate(x) }
    f { k = s32[] parameter(0) x = s32[2] parameter(1) two = s32[] constant(2)
      r = s32[] remainder(k, two)
      ROOT c = s32[2] conditional(r, x, x), branch_computations={yes, no} }
    body { s = (s32[], s32[2]) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = s32[2] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
      y = s32[2] call(k, x), to_apply=f ROOT t = (s32[], s32[2]) tuple(m, y) }
    cond { s = (s32[], s32[2]) parameter(0) k = s32[] get-tuple-element(s), index=0
      five = s32[] constant(5) ROOT p = pred[] compare(k, five), direction=LT }
    ENTRY e { x = s32[2] parameter(0) zero = s32[] constant(0)
      init = (s32[], s32[2]) tuple(zero, x)
      w = (s32[], s32[2]) while(init), condition=cond, body=body
      ROOT y = s32[2] get-tuple-element(w), index=1 })";
  for (const int depth : {-1, 3, 4}) {
    RunOptions options;
    options.budget.call_depth = depth;
    EXPECT_EQ(RunText(kText, {"s32[2] {3, -1}"}, {}, options), "s32[2]{0} {24, -8}") << depth;
  }
  for (const int depth : {0, 1, 2}) {
    RunOptions options;
    options.budget.call_depth = depth;
    EXPECT_THAT(RunText(kText, {"s32[2] {3, -1}"}, {}, options),
                HasSubstr(absl::StrCat("deeper than ", depth, " levels")));
  }
}

// The loop itself is charged one step, and each iteration one for the addition, two for its
// elements and one for the iteration: 250 of them end with step 1001.
TEST(Budgets, LoopsOfSmallValuesNameTheInstruction) {
  constexpr absl::string_view kText = R"(
    body { x = s32[2] parameter(0) ROOT y = s32[2] add(x, x) }
    cond { x = s32[2] parameter(0) ROOT p = pred[] constant(true) }
    ENTRY e { x = s32[2] parameter(0) ROOT w = s32[2] while(x), condition=cond, body=body })";
  RunOptions options;
  options.budget.steps = 1000;
  EXPECT_THAT(RunText(kText, {"s32[2] {3, -1}"}, {}, options),
              HasSubstr("while running %w = s32[2] while("));
  options.budget.steps = 1001;
  EXPECT_THAT(RunText(kText, {"s32[2] {3, -1}"}, {}, options),
              HasSubstr("while running %y = s32[2] add("));
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

double SecondsOf(absl::string_view module, double budget, std::string* result) {
  RunOptions options;
  options.budget.seconds = budget;
  const auto start = std::chrono::steady_clock::now();
  *result = RunText(module, {}, {}, options);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string Ones(int64_t rows, int64_t columns) {
  std::string text = absl::StrCat("f32[", rows, ",", columns, "] {");
  for (int64_t i = 0; i < rows; ++i) {
    absl::StrAppend(&text, i == 0 ? "{" : ",{");
    for (int64_t j = 0; j < columns; ++j) absl::StrAppend(&text, j == 0 ? "1" : ",1");
    absl::StrAppend(&text, "}");
  }
  return text + "}";
}

// Each step is a call with arrays that are gone after it.
TEST(Budgets, ArgumentsOfRegionsCountWhileTheyRun) {
  RunOptions options;
  options.budget.bytes = 300000;  // the arguments are 204,800; all calls together take more
  EXPECT_EQ(RunText(R"(
      step { x = f32[128] parameter(0) c = f32[128] parameter(1) r = f32[128] reverse(c), dimensions={0}
             s = f32[128] add(r, x) ROOT t = (f32[128]) tuple(s) }
      ENTRY e { x = f32[400,128] parameter(0) z = f32[] constant(0)
        c = f32[128] broadcast(z), dimensions={}
        s = (f32[128]) scan(x, c), dimensions={0}, num_carries=1, to_apply=step
        v = f32[128] get-tuple-element(s), index=0
        ROOT r = f32[1] slice(v), slice={[0:1]} })",
                    {Ones(400, 128)}, {}, options),
            Canonical("f32[1] {400}"));
}

// `function` applied 2^doublings times to its own result.
std::string Doubled(absl::string_view function, int doublings) {
  std::string text = absl::StrCat("c0 { x = f32[] parameter(0) ROOT y = f32[] ", function, " }\n");
  for (int i = 1; i <= doublings; ++i) {
    absl::StrAppend(&text, "c", i, " { x = f32[] parameter(0) y = f32[] call(x), to_apply=c", i - 1,
                    " ROOT z = f32[] call(y), to_apply=c", i - 1, " }\n");
  }
  return text;
}

// Elements that take a millisecond, regions of 2^15 steps, and one window over everything.
TEST(Budgets, CostlyElementsEndByTime) {
  const std::string modules[] = {
      R"(ENTRY e { z = c128[] constant((1.5, 2.5)) s = c128[] constant((1e-300, 1e-300))
           x = c128[20000] broadcast(z), dimensions={} y = c128[20000] broadcast(s), dimensions={}
           ROOT r = c128[20000] power(x, y) })",
      absl::StrCat(Doubled("negate(x)", 15),
                   R"(ENTRY e { i = f32[30000] iota(), iota_dimension=0
                      ROOT r = f32[30000] map(i), dimensions={0}, to_apply=c15 })"),
      R"(add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
         ENTRY e { z = f32[] constant(1.25) x = f32[40000000] iota(), iota_dimension=0
           y = f32[40000000] tanh(x)
           ROOT r = f32[1] reduce-window(y, z), window={size=40000000}, to_apply=add })",
  };
  for (const std::string& module : modules) {
    std::string result;
    EXPECT_LT(SecondsOf(module, 0.05, &result), 4) << module;
    EXPECT_THAT(result, AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("0.05 seconds")));
  }
}

TEST(Budgets, StepsOfRegionsCount) {
  RunOptions options;
  options.budget.steps = 1000000;
  EXPECT_THAT(RunText(absl::StrCat(Doubled("negate(x)", 12),
                                   R"(ENTRY e { i = f32[1000] iota(), iota_dimension=0
                                      ROOT r = f32[1000] map(i), dimensions={0}, to_apply=c12 })"),
                      {}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("1000000 element steps")));
}

TEST(Budgets, TimesWithoutEndAreNoLimit) {
  for (double seconds : {1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    RunOptions options;
    options.budget.seconds = seconds;
    EXPECT_EQ(
        RunText("ENTRY e { x = s32[] constant(5) ROOT y = s32[] negate(x) }", {}, {}, options),
        "s32[] -5");
  }
}

// Many users of one large region compile it once; planning keeps to the time it is given.
TEST(Budgets, PlanningIsBounded) {
  std::string text = absl::StrCat(Doubled("negate(x)", 16), "ENTRY e { a0 = f32[4] parameter(0)\n");
  for (int i = 1; i <= 100; ++i) {
    absl::StrAppend(&text, "a", i, " = f32[4] map(a", i - 1, "), dimensions={0}, to_apply=c16\n");
  }
  absl::StrAppend(&text, "}");
  const std::unique_ptr<Module> module = MustParse(text);
  ASSERT_NE(module, nullptr);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(PlannedModule::Create(*module).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  PlanOptions hurried;
  hurried.seconds = 0;
  EXPECT_THAT(PlannedModule::Create(*module, hurried).status().ToString(),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("0 seconds")));
}

TEST(Budgets, NothingIsAllocatedForEmptyResults) {
  const std::string less =
      "l { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), "
      "direction=LT }\n";
  EXPECT_EQ(RunText(less + "ENTRY e { z = f32[] constant(1) "
                           "x = f32[1000000000000,0] broadcast(z), dimensions={} ROOT s = "
                           "f32[1000000000000,0] sort(x), dimensions={0}, to_apply=l }",
                    {})
                .substr(0, 22),
            "f32[1000000000000,0]{1");
  EXPECT_THAT(RunText("ENTRY e { z = f32[] constant(1) x = f32[0,1000000000000] broadcast(z), "
                      "dimensions={} ROOT s = (f32[0,2], s32[0,2]) topk(x), k=2 }",
                      {}),
              HasSubstr("f32[0,2]"));
}

TEST(Budgets, ScratchCounts) {
  const std::string module = R"(
    l { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LE }
    ENTRY e { i = f32[100000] iota(), iota_dimension=0
      s = f32[100000] sort(i), dimensions={0}, to_apply=l ROOT r = f32[1] slice(s), slice={[7:8]} })";
  RunOptions options;
  options.budget.bytes = 1000000;  // 800000 live, 400000 of scratch
  EXPECT_THAT(RunText(module, {}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("scratch (400000 bytes)"),
                    HasSubstr("sort")));
  options.budget.bytes = 1250000;
  EXPECT_EQ(RunText(module, {}, {}, options), "f32[1]{0} {7}");
}

// A parameter that nobody reads, and the operand of a branch that is not taken, are let go.
TEST(Budgets, NothingUnreadIsKept) {
  const absl::string_view body =
      R"({ a = f32[100000] parameter(0) b = f32[100000] iota(), iota_dimension=0
      c = f32[100000] reverse(b), dimensions={0} d = f32[100000] add(b, c)
      ROOT s = f32[1] slice(d), slice={[0:1]} })";
  RunOptions options;
  options.budget.bytes = 2 * 400000 + 10000;  // b and d, not a
  EXPECT_EQ(RunText(absl::StrCat("f ", body, R"(
    ENTRY e { a = f32[100000] iota(), iota_dimension=0 a2 = f32[100000] negate(a)
      ROOT r = f32[1] call(a2), to_apply=f })"),
                    {}, {}, options),
            "f32[1]{0} {99999}");
  const std::string branches = absl::StrCat(
      "f { a = f32[100000] parameter(0) ROOT s = f32[1] slice(a), slice={[0:1]} }\ng ", body,
      R"(ENTRY e { k = pred[] parameter(0) a = f32[100000] iota(), iota_dimension=0
           a2 = f32[100000] negate(a) ROOT r = f32[1] conditional(k, a2, a2), )");
  EXPECT_EQ(RunText(branches + "true_computation=f, false_computation=g }", {"pred[] false"}, {},
                    options),
            "f32[1]{0} {99999}");
  EXPECT_EQ(
      RunText(branches + "true_computation=g, false_computation=f }", {"pred[] true"}, {}, options),
      "f32[1]{0} {99999}");
}

TEST(Budgets, WhatTheHostHasReadyCounts) {
  constexpr absl::string_view kModule = R"(ENTRY e { t = token[] after-all()
    i = (f32[1000], token[]) infeed(t) x = f32[1000] get-tuple-element(i), index=0
    ROOT n = f32[1000] negate(x) })";
  runtime::QueueHost host;
  const Literal array = Literal::Zeros(Shape(ElementType::kF32, {1000}));
  // Storage that three items share, and that of one more: 8000 bytes, and 4000 of the result.
  for (int i = 0; i < 3; ++i) host.PutInfeed({}, array);
  host.PutReceive({}, "key", Literal::Zeros(Shape(ElementType::kF32, {1000})));
  EXPECT_EQ(host.held_bytes(), 8000);
  RunOptions options;
  options.host = &host;
  options.budget.bytes = 7999;
  EXPECT_THAT(RunText(kModule, {}, {}, options), HasSubstr("what the host has ready"));
  options.budget.bytes = 11999;
  EXPECT_THAT(RunText(kModule, {}, {}, options), HasSubstr("RESOURCE_EXHAUSTED"));
  options.budget.bytes = 13000;
  EXPECT_THAT(RunText(kModule, {}, {}, options), HasSubstr("f32[1000]{0} {-0.0, -0.0"));
}

TEST(Budgets, ElementsOfAValue) {
  RunOptions options;
  options.budget.elements = 1000;
  constexpr absl::string_view module =
      "ENTRY e { i = f32[1001] iota(), iota_dimension=0 r = f32[1001] negate(i) ROOT s = f32[1] "
      "slice(r), slice={[3:4]} }";
  EXPECT_THAT(RunText(module, {}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("more than 1000 elements")));
  options.budget.elements = 1;  // small values live elsewhere, and count as well
  const std::unique_ptr<Module> small =
      MustParse("ENTRY e { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }");
  const Literal two[] = {MustParseLiteral("f32[2] {1, 2}")};
  EXPECT_THAT(Interpret(*small, two, options).status().ToString(),
              HasSubstr("more than 1 elements"));
  options.budget.elements = 0;
  EXPECT_THAT(RunText("f { p = f32[] parameter(0) ROOT n = f32[] negate(p) } "
                      "ENTRY e { c = f32[] parameter(0) ROOT r = f32[] call(c), to_apply=f }",
                      {"f32[] 1"}, {}, options),
              HasSubstr("more than 0 elements"));
  options.budget.elements = 1001;
  EXPECT_EQ(RunText(module, {}, {}, options), "f32[1]{0} {-3}");
}

// 262143^(3 + 2^-1074 i): the real part is below a midpoint by less than 1536 bits tell
// (complex_functions_test.cc), and the enclosure says between which neighbours.
TEST(Budgets, UndecidedElementsKeepTheirEnclosure) {
  const std::unique_ptr<Module> module = MustParse(R"(ENTRY e { z = c128[3] parameter(0)
    s = c128[3] parameter(1) p = c128[3] power(z, s) ROOT n = c128[3] negate(p) })");
  ASSERT_NE(module, nullptr);
  RunStats stats;
  const Literal arguments[] = {
      MustParseLiteral("c128[3] {(2, 0), (262143, 0), (3, 0)}"),
      MustParseLiteral("c128[3] {(3, 0), (3, 4.94065645841246544e-324), (2, 0)}")};
  ASSERT_TRUE(Interpret(*module, arguments, {}, &stats).ok());
  // The instruction that follows has none.
  ASSERT_EQ(stats.undecided.size(), 1u);
  EXPECT_EQ(stats.undecided[0].instruction, module->entry()->root()->operand(0));
  EXPECT_EQ(stats.undecided[0].element.position, 1);
  EXPECT_EQ(DecodeFloat(ElementType::kF64, stats.undecided[0].element.low.bits),
            18014192351838206.0);
  EXPECT_EQ(DecodeFloat(ElementType::kF64, stats.undecided[0].element.high.bits),
            18014192351838208.0);
}

// Elements whose rounding is not proven are noted with their instructions, 1000 at most of a run.
TEST(Budgets, UndecidedElementsAreNotedUpToALimit) {
  const auto noted = [](absl::string_view entry, int64_t replicas) {
    const std::unique_ptr<Module> module = MustParse(absl::StrCat(
        R"(HloModule m
           f { x = c128[] parameter(0) y = c128[] parameter(1)
             ROOT in_call = c128[] power(x, y) }
           ENTRY e { b = c128[] constant((262143, 0))
             s = c128[] constant((3, 4.94065645841246544e-324)) )",
        entry, " }"));
    std::vector<std::string> instructions;
    if (module == nullptr) return instructions;
    module->replica_count = replicas;
    auto planned = PlannedModule::Create(*module);
    EXPECT_TRUE(planned.ok()) << planned.status();
    if (!planned.ok()) return instructions;
    Program program;
    program.module = planned->get();
    program.grid = {replicas, 1};
    program.arguments.resize(replicas);
    RunStats stats;
    EXPECT_TRUE(RunPrograms(absl::MakeConstSpan(&program, 1), {}, &stats).ok());
    for (const UndecidedResult& each : stats.undecided) {
      instructions.push_back(each.instruction->name());
    }
    return instructions;
  };
  const auto two = noted(R"(p = c128[] power(b, s) q = c128[] power(b, s)
      ROOT t = (c128[], c128[]) tuple(p, q))",
                         1);
  EXPECT_EQ(two, (std::vector<std::string>{"p", "q"}));
  const auto called = noted(R"(l = c128[] call(b, s), to_apply=f q = c128[] power(b, s)
      ROOT r = c128[] add(l, q))",
                            1);
  EXPECT_EQ(called, (std::vector<std::string>{"in_call", "q"}));
  const absl::string_view kMany = R"(v = c128[$N] broadcast(b), dimensions={}
      w = c128[$N] broadcast(s), dimensions={} ROOT p = c128[$N] power(v, w))";
  const auto many = [&](int count) {
    return absl::StrReplaceAll(kMany, {{"$N", absl::StrCat(count)}});
  };
  EXPECT_EQ(noted(many(1100), 1).size(), 1000u);
  EXPECT_EQ(noted(many(550), 2).size(), 1000u);
}

}  // namespace
}  // namespace assay::budgets_test
