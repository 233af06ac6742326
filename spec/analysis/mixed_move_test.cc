// Moves of several float types as conversions and moves of one.
#include "spec/analysis/mixed_move.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace mixed_move_test {

std::unique_ptr<MixedMove> SplitRoot(absl::string_view text) {
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

// Elements are converted to the second half of the parameters, initial values to the first.
TEST(MixedMove, VariadicReductionsConvertEachArrayForItself) {
  for (const char* operation : {"reduce(a, b, x, y), dimensions={0}, to_apply=f",
                                "reduce-window(a, b, x, y), window={size=2}, to_apply=f"}) {
    const std::string result =
        absl::StartsWith(operation, "reduce(") ? "(bf16[], f32[]) " : "(f32[1], f16[1]) ";
    auto split = SplitRoot(absl::StrCat(
        "f { p = bf16[] parameter(0) q = f32[] parameter(1) u = f16[] parameter(2) "
        "v = bf16[] parameter(3) s = bf16[] convert(u) t = f32[] convert(v) "
        "ROOT r = (bf16[], f32[]) tuple(s, t) } "
        "ENTRY e { a = f32[2] parameter(0) b = bf16[2] parameter(1) x = f32[] parameter(2) "
        "y = f16[] parameter(3) ROOT r = ",
        result, operation, " }"));
    ASSERT_NE(split, nullptr) << operation;
    ASSERT_EQ(split->converts.size(), 4u);
    ASSERT_NE(split->converts[0], nullptr);
    EXPECT_EQ(split->converts[0]->shape().ToString(), "f16[2]");
    EXPECT_EQ(split->converts[1], nullptr);
    ASSERT_NE(split->converts[2], nullptr);
    EXPECT_EQ(split->converts[2]->shape().ToString(), "bf16[]");
    EXPECT_EQ(split->converts[3], nullptr);
    EXPECT_EQ(split->move->operand(0), split->converts[0].get());
    EXPECT_EQ(split->move->operand(1), split->parameters[1].get());
    EXPECT_EQ(split->move->operand(2), split->converts[2].get());
    EXPECT_EQ(split->move->operand(3), split->parameters[3].get());
    EXPECT_TRUE(split->move->shape().is_tuple());
  }
}

// Of a scatter and a select-and-scatter only what is folded into the cells is converted before.
TEST(MixedMove, UpdatesAreConverted) {
  const char* const kAdd =
      "add { p = bf16[] parameter(0) q = bf16[] parameter(1) ROOT r = bf16[] add(p, q) } ";
  auto split = SplitRoot(absl::StrCat(
      kAdd,
      "ENTRY e { x = f32[3] parameter(0) i = s32[2,1] parameter(1) u = f32[2] parameter(2) "
      "ROOT r = f32[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }"));
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(split->converts[0], nullptr);
  EXPECT_EQ(split->converts[1], nullptr);
  ASSERT_NE(split->converts[2], nullptr);
  EXPECT_EQ(split->converts[2]->shape().ToString(), "bf16[2]");

  split = SplitRoot(absl::StrCat(
      kAdd,
      "ge { p = f32[] parameter(0) q = f32[] parameter(1) "
      "ROOT r = pred[] compare(p, q), direction=GE } "
      "ENTRY e { x = f32[4] parameter(0) s = f32[2] parameter(1) i = f32[] parameter(2) "
      "ROOT r = f32[4] select-and-scatter(x, s, i), window={size=2 stride=2}, select=ge, "
      "scatter=add }"));
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(split->converts[0], nullptr);
  ASSERT_NE(split->converts[1], nullptr);
  EXPECT_EQ(split->converts[1]->shape().ToString(), "bf16[2]");
  EXPECT_EQ(split->converts[2], nullptr);
}

// A type narrows another if it lacks a number, an infinity, NaN or a sign of it.
TEST(MixedMove, NarrowTypesLackValues) {
  using T = ElementType;
  const std::pair<T, T> narrow[] = {{T::kF32, T::kBF16},
                                    {T::kF16, T::kBF16},
                                    {T::kBF16, T::kF16},
                                    {T::kF8E4M3, T::kF8E4M3FN},  // infinity
                                    {T::kF8E4M3FN, T::kF8E4M3},  // 448
                                    {T::kF8E4M3FN, T::kF8E4M3FNUZ},
                                    {T::kF8E5M2FNUZ, T::kF8E5M2},  // 2^-17
                                    {T::kF16, T::kF8E8M0FNU},
                                    {T::kF8E8M0FNU, T::kF16},
                                    {T::kF8E4M3FN, T::kF6E3M2FN},
                                    {T::kF6E3M2FN, T::kF6E2M3FN},
                                    {T::kF6E2M3FN, T::kF6E3M2FN}};
  for (const auto& [from, to] : narrow) EXPECT_TRUE(Narrows(from, to)) << Name(from) << Name(to);
  const std::pair<T, T> wide[] = {{T::kF32, T::kF32},           {T::kBF16, T::kF32},
                                  {T::kF16, T::kF32},           {T::kF8E8M0FNU, T::kBF16},
                                  {T::kF8E5M2, T::kF16},        {T::kF8E5M2FNUZ, T::kF16},
                                  {T::kF4E2M1FN, T::kF6E2M3FN}, {T::kS32, T::kBF16}};
  for (const auto& [from, to] : wide) EXPECT_FALSE(Narrows(from, to)) << Name(from) << Name(to);
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
