// What passes leave as it is: ordered instructions, fusions that would need each other, modules of
// several partitions; and the order of the passes.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/cpu_engine.h"
#include "backends/passes/pass.h"
#include "conformance/passes/after.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::passes {
namespace {

using conformance::After;
using conformance::CountOf;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A fusion of both groups would need the sorted array, which needs a value of the fusion.
TEST(PassLimits, FusionsDoNotNeedEachOther) {
  for (const int more : {0, 70}) {
    std::string unused;
    for (int i = 0; i < more; ++i)
      absl::StrAppend(&unused, "  unread_", i, " = f32[] parameter(", i + 1, ")\n");
    const std::string text = After(Fusion(),
                                   absl::StrCat("  a = f32[64] parameter(0)\n", unused,
                                                R"(  x = f32[64] tanh(a)
  y = f32[64] sine(x)
  s = f32[64] sort(y), dimensions={0}, to_apply=less
  z = f32[64] add(y, s)
  w = f32[64] exponential(z)
  ROOT r = (f32[64], f32[64]) tuple(w, y)
)"),
                                   "less { p = f32[] parameter(0) q = f32[] parameter(1) "
                                   "ROOT c = pred[] compare(p, q), direction=LT }\n");
    EXPECT_EQ(CountOf(text, " fusion("), 2) << text;
  }
}

// What ends a fusion is elementwise or a reduction, of many elements and not ordered.
TEST(PassLimits, FusionsEndWithWhatTheyMayCompute) {
  EXPECT_EQ(CountOf(After(Fusion(), R"(  a = f32[64] parameter(0)
  x = f32[64] tanh(a)
  ROOT s = f32[64] sort(x), dimensions={0}, to_apply=less
)",
                          "less { p = f32[] parameter(0) q = f32[] parameter(1) "
                          "ROOT c = pred[] compare(p, q), direction=LT }\n"),
                    " fusion("),
            0);
  EXPECT_EQ(CountOf(After(Fusion(), R"(  a = f32[1] parameter(0)
  x = f32[1] tanh(a)
  ROOT y = f32[1] sine(x)
)"),
                    " fusion("),
            0);
  EXPECT_EQ(CountOf(After(Fusion(), R"(  a = f32[64] parameter(0)
  n = f32[64] negate(a)
  x = f32[64] tanh(a)
  ROOT y = f32[64] sine(x), control-predecessors={n}
)"),
                    " fusion("),
            0);
}

// Instructions of another accuracy are other instructions.
TEST(PassLimits, AccuraciesAreNotShared) {
  for (const auto& [accuracy, count] : {std::pair{"result_accuracy={tolerance={ulps=2,atol=0}}", 1},
                                        std::pair{"result_accuracy={tolerance={ulps=3,atol=0}}", 2},
                                        std::pair{"result_accuracy={tolerance={ulps=2,atol=1}}", 2},
                                        std::pair{"result_accuracy={tolerance={ulps=2,rtol=1}}", 2},
                                        std::pair{"result_accuracy={mode=highest}", 2}}) {
    EXPECT_EQ(CountOf(After(CommonSubexpressions(),
                            absl::StrCat("  a = f32[4] parameter(0)\n  x = f32[4] exponential(a), "
                                         "result_accuracy={tolerance={ulps=2,atol=0}}\n"
                                         "  y = f32[4] exponential(a), ",
                                         accuracy, "\n  ROOT s = f32[4] add(x, y)\n")),
                      "exponential("),
              count)
        << accuracy;
  }
}

// What others wait for, or what waits for others, is neither replaced nor shared.
TEST(PassLimits, OrderedInstructionsStay) {
  EXPECT_THAT(After(AlgebraicSimplification(Exactness::kAnyNan), R"(  i = s32[4] parameter(0)
  n = s32[4] negate(i)
  zero = s32[] constant(0)
  zeros = s32[4] broadcast(zero), dimensions={}
  ROOT r = s32[4] add(i, zeros), control-predecessors={n}
)"),
              HasSubstr("add(i, zeros)"));
  EXPECT_THAT(After(AlgebraicSimplification(Exactness::kAnyNan), R"(  i = s32[4] parameter(0)
  zero = s32[] constant(0)
  zeros = s32[4] broadcast(zero), dimensions={}
  n = s32[4] add(i, zeros)
  m = s32[4] negate(n)
  ROOT r = s32[4] negate(m), control-predecessors={n}
)"),
              AllOf(HasSubstr("add(i, zeros)"), HasSubstr("negate(n)")));
  EXPECT_EQ(CountOf(After(CommonSubexpressions(), R"(  a = f32[4] parameter(0)
  x = f32[4] exponential(a)
  y = f32[4] exponential(a), control-predecessors={x}
  ROOT s = f32[4] add(x, y)
)"),
                    "exponential("),
            2);
  EXPECT_THAT(After(InlineCalls(), R"(  a = f32[4] parameter(0)
  x = f32[4] negate(a)
  ROOT y = f32[4] call(a), to_apply=f, control-predecessors={x}
)",
                    "f { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }\n"),
              HasSubstr("call(a)"));
}

TEST(PassLimits, FusionsAreInlinedButForCustomOnes) {
  const std::string callee = "f { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }\n";
  const std::string entry =
      "  a = f32[4] parameter(0)\n  ROOT y = f32[4] fusion(a), calls=f, kind=";
  EXPECT_THAT(After(InlineCalls(), entry + "kLoop\n", callee), Not(HasSubstr("fusion(")));
  EXPECT_THAT(After(InlineCalls(), entry + "kCustom\n", callee), HasSubstr("fusion("));
}

TEST(PassLimits, LeaveModulesOfSeveralPartitionsAlone) {
  for (const int partitions : {1, 2}) {
    auto module = ParseModule(
        absl::StrCat("HloModule m, num_partitions=", partitions,
                     "\nENTRY e { a = f32[4] parameter(0) unused = f32[4] exponential(a)\n"
                     "  ROOT r = f32[4] negate(a) }\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    PassList list;
    list.push_back(DeadCode());
    ASSERT_TRUE(RunPasses(list, *module).ok());
    EXPECT_EQ(CountOf(PrintModule(**module), "exponential("), partitions - 1);
  }
}

// The order of docs/passes.md.
TEST(PassLimits, OfTheCpuBackend) {
  const cpu::CpuEngine engine;
  std::vector<std::string> names;
  for (const auto& pass : CpuPipeline(engine, Exactness::kBitExact)) {
    names.emplace_back(pass->name());
  }
  EXPECT_THAT(names,
              testing::ElementsAre("inline-calls", "dead-code", "loop-constants",
                                   "algebraic-simplification", "constant-folding", "dot-operands",
                                   "common-subexpressions", "recompute", "fusion"));
}

// The inverse of the divisor has no normal number.
TEST(PassLimits, DivisionsByTheLargestPowerStay) {
  EXPECT_THAT(After(AlgebraicSimplification(Exactness::kAnyNan), R"(  x = f32[4] parameter(0)
  d = f32[] constant(1.7014118346046923e38)
  b = f32[4] broadcast(d), dimensions={}
  ROOT r = f32[4] divide(x, b)
)"),
              HasSubstr("divide("));
}

// A product with the inverse is exact where a quotient is, in types without a sign as well.
TEST(PassLimits, DivisionsByPowersOfTwoInTypesWithoutSign) {
  EXPECT_THAT(
      After(AlgebraicSimplification(Exactness::kBitExact), R"(  x = f8e8m0fnu[4] parameter(0)
  d = f8e8m0fnu[] constant(4)
  b = f8e8m0fnu[4] broadcast(d), dimensions={}
  ROOT r = f8e8m0fnu[4] divide(x, b)
)"),
      HasSubstr("multiply("));
}

// Constants of more than 4,096 bytes are not compared.
TEST(PassLimits, LargeConstantsAreNotShared) {
  for (const int count : {1024, 1025}) {
    const std::string elements = absl::StrCat(
        "f32[", count, "] constant({", absl::StrJoin(std::vector<int>(count, 7), ","), "})\n");
    EXPECT_EQ(CountOf(After(CommonSubexpressions(),
                            absl::StrCat("  a = ", elements, "  b = ", elements, "  ROOT s = f32[",
                                         count, "] add(a, b)\n")),
                      " constant("),
              count == 1024 ? 1 : 2);
  }
}

// The regions that an operation applies to elements are left as they are written.
TEST(PassLimits, LoopsInRegionsStay) {
  EXPECT_EQ(CountOf(After(LoopConstants(), R"(  a = s32[4] parameter(0)
  z = s32[] constant(0)
  ROOT r = s32[] reduce(a, z), dimensions={0}, to_apply=region
)",
                          R"(cond {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  j = s32[] add(i, n)
  ROOT t = (s32[], s32[]) tuple(j, n)
}
region {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  s = s32[] add(x, y)
  limit = s32[] constant(7)
  t = (s32[], s32[]) tuple(s, limit)
  w = (s32[], s32[]) while(t), condition=cond, body=body
  ROOT r = s32[] get-tuple-element(w), index=0
}
)"),
                    "index=1"),
            2);
}

// An element that the body only returns stays, one that is an operand of another tuple does not.
TEST(PassLimits, LoopConstantsThatAreOnlyReturnedStay) {
  for (const bool is_read : {false, true}) {
    const std::string body =
        is_read ? "  u = (s32[]) tuple(n)\n  m = s32[] get-tuple-element(u), index=0\n"
                  "  j = s32[] add(i, m)\n"
                : "  j = s32[] add(i, i)\n";
    const std::string text = After(LoopConstants(), R"(  a = s32[] parameter(0)
  limit = s32[] constant(7)
  t = (s32[], s32[]) tuple(a, limit)
  w = (s32[], s32[]) while(t), condition=cond, body=body
  ROOT r = s32[] get-tuple-element(w), index=0
)",
                                   absl::StrCat(R"(cond {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  k = s32[] constant(50)
  ROOT c = pred[] compare(i, k), direction=LT
}
body {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
)",
                                                body, R"(  ROOT t = (s32[], s32[]) tuple(j, n)
}
)"));
    EXPECT_EQ(CountOf(text, "index=1"), is_read ? 0 : 1) << text;
  }
}

// Of a way of 16 operations, the reduction among them.
TEST(PassLimits, RecomputeFollowsShortWays) {
  for (const int length : {15, 16}) {
    std::string entry =
        "  a = f32[2,4] parameter(0)\n  zero = f32[] constant(0)\n"
        "  d = f32[2,4] negate(a)\n  x0 = f32[2,4] tanh(d)\n";
    for (int i = 1; i < length; ++i) {
      absl::StrAppend(&entry, "  x", i, " = f32[2,4] tanh(x", i - 1, ")\n");
    }
    absl::StrAppend(&entry, "  v = f32[2] reduce(x", length - 1,
                    ", zero), dimensions={1}, to_apply=sum\n"
                    "  ROOT r = (f32[2,4], f32[2]) tuple(d, v)\n");
    EXPECT_EQ(CountOf(After(Recompute(8), entry,
                            "sum { x = f32[] parameter(0) y = f32[] parameter(1) "
                            "ROOT s = f32[] add(x, y) }\n"),
                      "d.1 = "),
              length == 15 ? 1 : 0);
  }
}

// What nothing changes is not copied.
TEST(PassLimits, SayWhetherTheyChangeAnything) {
  for (const bool unused : {false, true}) {
    auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e { a = f32[4] parameter(0) ",
                                           unused ? "b = f32[4] exponential(a) " : "",
                                           "ROOT r = f32[4] negate(a) }\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<bool> shared = CommonSubexpressions()->Run(*module);
    ASSERT_TRUE(shared.ok()) << shared.status();
    EXPECT_FALSE(*shared);
    const absl::StatusOr<bool> changed = DeadCode()->Run(*module);
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(*changed, unused);
  }
}

}  // namespace
}  // namespace assay::passes
