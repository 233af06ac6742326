// What passes leave as it is: ordered instructions, fusions that would need each other, modules of
// several partitions; and the order of the passes.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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
              HasSubstr("add(i, zeros)"));
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

}  // namespace
}  // namespace assay::passes
