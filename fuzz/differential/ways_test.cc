// Random programs on the reference interpreter: kernels give the bits of the definitions, on every
// number of threads, observed or not, and from every form of the module.
#include "fuzz/differential/ways.h"

#include "fuzz/differential/relations.h"
#include "fuzz/programs/decoder.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

RunBudget SmallBudget() {
  RunBudget budget;
  budget.bytes = int64_t{1} << 28;
  budget.steps = 10'000'000;
  budget.seconds = 10;
  return budget;
}

TEST(WaysTest, AllWaysGiveTheSameBits) {
  const absl::StatusOr<Grammar> grammar = Grammar::Create();
  ASSERT_TRUE(grammar.ok());
  int64_t ran = 0;
  for (int64_t i = 0; i < Scheduled(1500); ++i) {
    const FuzzProgram program = DecodeProgram(*grammar, RandomBytes(11, i, 8));
    const absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    const auto golden = RunByKernels(*program.module, *inputs, SmallBudget());
    ASSERT_TRUE(golden.ok()) << i << ": " << golden.status() << "\n"
                             << PrintModule(*program.module);
    const std::optional<WayDifference> difference =
        FindWayThatDiffers(*program.module, *inputs, *golden, kWays, SmallBudget());
    ASSERT_FALSE(difference) << i << ": " << WayName(difference->way) << " " << difference->detail
                             << "\n"
                             << PrintModule(*program.module, PrintOptions::Lossless());
    ++ran;
  }
  EXPECT_EQ(ran, Scheduled(1500));
}

TEST(WaysTest, DifferencesAreSeen) {
  const auto outputs = [](std::vector<float> values) {
    Literal literal = Literal::Zeros(Shape(ElementType::kF32, {2}));
    for (int64_t i = 0; i < 2; ++i) {
      literal.Set(i, {EncodeFloat(ElementType::kF32, values[i]), 0});
    }
    return std::vector<DeviceOutputs>{{literal}};
  };
  EXPECT_TRUE(SameOutputs(outputs({1, 2}), outputs({1, 2})));
  EXPECT_FALSE(SameOutputs(outputs({0, 2}), outputs({-0.0f, 2})));
  EXPECT_EQ(FirstDifference(outputs({1, 2}), outputs({1, 2.5})),
            "result of device 0, array 0, element 1: 2 (0x40000000) and 2.5 (0x40200000)");
  EXPECT_EQ(FirstDifference(outputs({1, 2}), outputs({1, 2})), "");
}

// Each relation applies to some programs, however rare their form is, and changes no bit of any.
// The few programs of a shorter schedule have not every form.
TEST(RelationsTest, RewritesChangeNothing) {
  constexpr int64_t kLeast = kScheduleStride == 1 ? 4 : 0, kMost = 2000;
  const absl::StatusOr<Grammar> grammar = Grammar::Create();
  ASSERT_TRUE(grammar.ok());
  for (const Relation& relation : Relations()) {
    int64_t applied = 0;
    for (int64_t i = 0; i < Scheduled(240) || (applied < kLeast && i < kMost); ++i) {
      const FuzzProgram program = DecodeProgram(*grammar, RandomBytes(12, i, 8));
      const absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
      ASSERT_TRUE(inputs.ok()) << inputs.status();
      const std::optional<Rewritten> other = relation.rewrite(*program.module, *inputs);
      if (!other) continue;
      ++applied;
      const auto before = RunByKernels(*program.module, *inputs, SmallBudget());
      const auto after = RunByKernels(*other->module, other->inputs, SmallBudget());
      ASSERT_TRUE(before.ok()) << before.status();
      ASSERT_TRUE(after.ok()) << relation.name << " " << i << ": " << after.status() << "\n"
                              << PrintModule(*other->module);
      const std::vector<DeviceOutputs> expected = ExpectedOf(*other, *before);
      ASSERT_TRUE(SameOutputs(expected, *after))
          << relation.name << " " << i << ": " << FirstDifference(expected, *after) << "\n"
          << PrintModule(*program.module, PrintOptions::Lossless()) << "\n"
          << PrintModule(*other->module, PrintOptions::Lossless());
    }
    EXPECT_GE(applied, kLeast) << relation.name;
  }
}

TEST(RelationsTest, ARewriteIsAnotherModule) {
  const auto module = ParseModule(
      "ENTRY e { a = s32[2,3] parameter(0) b = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) "
      "ROOT c = s32[2,3] add(a, b) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<DeviceInputs> inputs = {{{Literal::Zeros(Shape(ElementType::kS32, {2, 3}))}}};
  for (const Relation& relation : Relations()) {
    const std::optional<Rewritten> other = relation.rewrite(**module, inputs);
    if (!other) continue;
    EXPECT_FALSE(CompareModules(**module, *other->module).ok()) << relation.name;
  }
}

}  // namespace
}  // namespace assay::fuzz
