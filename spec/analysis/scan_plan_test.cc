// The parameters of scans of one and of no input, whose result is an array or a tuple.
#include "spec/analysis/scan_plan.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace {

ScanPlan PlanOf(const std::string& text) {
  auto module = ParseModule(absl::StrCat("HloModule m\n", text));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? ScanPlan::Of(*(*module)->entry()->root()) : ScanPlan{};
}

TEST(ScanPlan, OfOneInputThatOnlyChangesACarry) {
  const ScanPlan plan = PlanOf(
      "f { a = s32[2] parameter(0) c = s32[2] parameter(1) ROOT s = s32[2] add(a, c) }\n"
      "ENTRY e { x = s32[2,5] parameter(0) i = s32[2] parameter(1) "
      "ROOT r = s32[2] scan(x, i), dimensions={1}, num_carries=1, to_apply=f }\n");
  EXPECT_EQ(plan.inputs, 1);
  EXPECT_EQ(plan.carries, 1);
  EXPECT_EQ(plan.outputs, 0);
  EXPECT_EQ(plan.dimension, 1);
  EXPECT_EQ(plan.steps, 5);
  EXPECT_FALSE(plan.reverse);
  EXPECT_EQ(plan.Position(1), 1);
}

TEST(ScanPlan, OfOneInputBackwards) {
  const ScanPlan plan = PlanOf(
      "f { a = s32[2] parameter(0) c = s32[2] parameter(1) s = s32[2] add(a, c) "
      "ROOT t = (s32[2], s32[2]) tuple(s, s) }\n"
      "ENTRY e { x = s32[2,5] parameter(0) i = s32[2] parameter(1) ROOT r = (s32[2,5], s32[2]) "
      "scan(x, i), dimensions={1}, num_carries=1, is_reverse=true, to_apply=f }\n");
  EXPECT_EQ(plan.inputs, 1);
  EXPECT_EQ(plan.outputs, 1);
  EXPECT_EQ(plan.steps, 5);
  EXPECT_EQ(plan.Position(1), 3);
}

TEST(ScanPlan, WithoutInputsTheOutputsHaveTheSteps) {
  const ScanPlan plan = PlanOf(
      "f { c = s32[2] parameter(0) ROOT t = (s32[2], s32[2]) tuple(c, c) }\n"
      "ENTRY e { i = s32[2] parameter(0) ROOT r = (s32[2,7], s32[2]) "
      "scan(i), dimensions={1}, num_carries=1, to_apply=f }\n");
  EXPECT_EQ(plan.inputs, 0);
  EXPECT_EQ(plan.outputs, 1);
  EXPECT_EQ(plan.steps, 7);
}

}  // namespace
}  // namespace assay::analysis
