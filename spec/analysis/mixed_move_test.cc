// Moves of several float types as conversions and moves of one.
#include "spec/analysis/mixed_move.h"

#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace mixed_move_test {

std::unique_ptr<MixedMove> SplitRoot(const char* text) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? SplitMixedMove(*(*module)->entry()->root()) : nullptr;
}

TEST(MixedMove, OperandsOfOtherTypesAreConverted) {
  auto split = SplitRoot(
      "ENTRY e { a = bf16[2] parameter(0) b = f32[] parameter(1) "
      "ROOT r = f32[4] pad(a, b), padding=1_1 }");
  ASSERT_NE(split, nullptr);
  ASSERT_NE(split->converts[0], nullptr);
  EXPECT_EQ(split->converts[0]->shape().ToString(), "f32[2]");
  EXPECT_EQ(split->converts[1], nullptr);
  EXPECT_EQ(split->move->operand(0), split->converts[0].get());
  EXPECT_EQ(split->move->operand(1), split->parameters[1].get());
  EXPECT_EQ(split->move->padding().dimensions[0].low, 1);

  split = SplitRoot(
      "ENTRY e { a = bf16[4] parameter(0) b = f32[2] parameter(1) i = s32[] parameter(2) "
      "ROOT r = bf16[4] dynamic-update-slice(a, b, i) }");
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(split->converts[0], nullptr);
  EXPECT_EQ(split->converts[1]->shape().ToString(), "bf16[2]");
  EXPECT_EQ(split->converts[2], nullptr);
}

TEST(MixedMove, OthersStay) {
  for (const char* text :
       {"ENTRY e { a = f32[2] parameter(0) b = f32[] parameter(1) "
        "ROOT r = f32[4] pad(a, b), padding=1_1 }",
        "ENTRY e { a = f32[4] parameter(0) b = f32[2] parameter(1) i = s32[] parameter(2) "
        "ROOT r = f32[4] dynamic-update-slice(a, b, i) }",
        "ENTRY e { a = bf16[2] parameter(0) ROOT r = f32[2] convert(a) }"}) {
    EXPECT_EQ(SplitRoot(text), nullptr) << text;
  }
}

}  // namespace mixed_move_test
}  // namespace assay::analysis
