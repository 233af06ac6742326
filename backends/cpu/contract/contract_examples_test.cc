// Contractions against the worked examples of reference ops_structural.md 7 and 8.
#include <string>
#include <vector>

#include "backends/cpu/contract/contract_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::cpu {
namespace {

using contract_testing::Compute;
using contract_testing::One;
using contract_testing::RootOf;
using contract_testing::Value;

struct Example {
  std::string opcode;
  std::vector<std::string> operands;
  std::string attributes;
  std::string expected;
};

void Check(const Example& example) {
  std::vector<Literal> operands;
  std::vector<std::string> shapes;
  for (const std::string& operand : example.operands) {
    operands.push_back(Value(operand));
    shapes.push_back(operands.back().shape().ToString());
  }
  const Literal expected = Value(example.expected);
  const auto module = One(shapes, expected.shape().ToString(), example.opcode, example.attributes);
  ASSERT_NE(module, nullptr);
  const absl::StatusOr<Literal> result = Compute(RootOf(*module), operands);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(PrintTypedLiteral(*result), PrintTypedLiteral(expected))
      << RootOf(*module).Describe() << example.attributes;
}

constexpr char kVectors[] = ", lhs_contracting_dims={0}, rhs_contracting_dims={0}";
constexpr char kMatrices[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
// Those of reference ops_structural.md 7.
TEST(Dot, WorkedExamples) {
  const std::vector<Example> examples = {
      {"dot", {"s32[3] {1,2,3}", "s32[3] {4,5,6}"}, kVectors, "s32[] 32"},
      {"dot", {"f32[2,2] {{1,2},{3,4}}", "f32[2] {5,6}"}, kMatrices, "f32[2] {17,39}"},
      {"dot", {"f32[2] {5,6}", "f32[2,2] {{1,2},{3,4}}"}, kVectors, "f32[2] {23,34}"},
      {"dot",
       {"f64[2,2] {{1,2},{3,4}}", "f64[2,2] {{5,6},{7,8}}"},
       kMatrices,
       "f64[2,2] {{19,22},{43,50}}"},
      {"dot", {"f32[2,0] {{},{}}", "f32[0,3] {}"}, kMatrices, "f32[2,3] {{0,0,0},{0,0,0}}"},
      {"dot",
       {"f32[2,0] {{},{}}", "f32[2,0] {{},{}}"},
       ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
       "rhs_contracting_dims={1}",
       "f32[2] {0,0}"},
      {"dot",
       {"f32[2,3] {{1,2,3},{4,5,6}}", "f32[2,3] {{1,1,1},{2,2,2}}"},
       ", lhs_contracting_dims={1}, rhs_contracting_dims={1}",
       "f32[2,2] {{6,12},{15,30}}"},
      {"dot",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[2,3] {{1,2,3},{4,5,6}}"},
       ", lhs_batch_dims={1,0}, rhs_batch_dims={1,0}",
       "s32[3,2] {{1,16},{4,25},{9,36}}"},
      {"dot", {"c64[2] {(1,2),(0,1)}", "c64[2] {(3,-1),(0,1)}"}, kVectors, "c64[] (4,5)"},
      {"dot", {"f32[2] {1,2}", "f32[3] {3,4,5}"}, "", "f32[2,3] {{3,4,5},{6,8,10}}"},
      {"dot",
       {"s64[2,2] {{1,2},{3,4}}", "s64[2,2] {{5,6},{7,8}}"},
       ", lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}",
       "s64[] 69"},
      {"dot",
       {"u8[2,3] {{1,2,3},{4,5,6}}", "u8[2,3] {{1,2,3},{4,5,6}}"},
       ", lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}",
       "u8[3] {17,29,45}"},
      {"dot", {"s8[2] {100,100}", "s8[2] {100,100}"}, kVectors, "s8[] 32"},
      {"dot", {"s8[2] {100,100}", "s8[2] {100,100}"}, kVectors, "s32[] 20000"},
      {"dot", {"f16[2] {256,1}", "f16[2] {256,1}"}, kVectors, "f16[] inf"},
      {"dot", {"f16[2] {256,1}", "f16[2] {256,1}"}, kVectors, "f32[] 65537"},
      {"dot", {"bf16[2] {1,1}", "bf16[2] {256,1}"}, kVectors, "bf16[] 256"},
      {"dot", {"bf16[2] {1,1}", "bf16[2] {256,1}"}, kVectors, "f32[] 257"},
      {"dot", {"f16[3] {300,300,1}", "f16[3] {300,-300,1}"}, kVectors, "f16[] 1"},
      {"dot", {"s32[1] {100}", "s32[1] {3}"}, kVectors, "s8[] 44"},
      {"dot", {"s4[2] {-8,7}", "s4[2] {-8,7}"}, kVectors, "s32[] 113"},
      {"dot", {"f8e4m3fn[2] {448,1}", "f8e4m3fn[2] {448,1}"}, kVectors, "f32[] 200705"},
      {"dot", {"u8[1] {200}", "s8[1] {-1}"}, kVectors, "s32[] -200"},
      {"dot", {"pred[2] {1,1}", "pred[2] {1,1}"}, kVectors, "pred[] true"},
      {"dot", {"pred[2] {1,0}", "pred[2] {0,1}"}, kVectors, "pred[] false"},
  };
  for (const Example& example : examples) Check(example);
}

// Where the classes differ, factors are converted first: 2.9 * 3.9 in s32 is 2 * 3.
TEST(Dot, FactorsOfOtherClassesAreConverted) {
  const std::vector<Example> examples = {
      {"dot", {"pred[2] {1,1}", "pred[2] {1,1}"}, kVectors, "s32[] 2"},
      {"dot", {"f32[1] {2.9}", "f32[1] {3.9}"}, kVectors, "s32[] 6"},
      {"dot", {"f32[2] {nan,-1}", "f32[2] {1,3e9}"}, kVectors, "s32[] -2147483647"},
      {"dot", {"f32[2] {-5,300}", "u8[2] {1,1}"}, kVectors, "u8[] 255"},
      {"dot", {"s8[2] {-3,2}", "f32[2] {0.5,0.25}"}, kVectors, "f32[] -1"},
      {"dot", {"s32[1] {16777217}", "f32[1] {1}"}, kVectors, "f32[] 16777216"},
      {"dot", {"f64[1] {0.1}", "c64[1] {(0,1)}"}, kVectors, "c64[] (0,0.1)"},
      {"dot", {"s32[1] {-3}", "s32[1] {2}"}, kVectors, "pred[] true"},
      {"dot",
       {"u64[1] {18446744073709551615}", "f64[1] {1}"},
       kVectors,
       "f64[] 1.8446744073709552e19"},
  };
  for (const Example& example : examples) Check(example);
}

TEST(RaggedDot, WorkedExamples) {
  const std::string rows =
      ", lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
      "rhs_group_dims={0}";
  const std::string lhs = "f32[4,1] {{1},{2},{3},{4}}", rhs = "f32[2,1,3] {{{1,2,3}},{{4,5,6}}}";
  const std::string depth =
      ", lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}";
  const std::string batch =
      ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}";
  const std::vector<Example> examples = {
      {"ragged-dot",
       {lhs, rhs, "s32[2] {2,2}"},
       rows,
       "f32[4,3] {{1,2,3},{2,4,6},{12,15,18},{16,20,24}}"},
      {"ragged-dot",
       {lhs, rhs, "s32[2] {1,2}"},
       rows,
       "f32[4,3] {{1,2,3},{8,10,12},{12,15,18},{0,0,0}}"},
      {"ragged-dot",
       {lhs, rhs, "s64[2] {0,9}"},
       rows,
       "f32[4,3] {{4,5,6},{8,10,12},{12,15,18},{16,20,24}}"},
      {"ragged-dot",
       {lhs, rhs, "s32[2] {-1,4}"},
       rows,
       "f32[4,3] {{4,5,6},{8,10,12},{12,15,18},{16,20,24}}"},
      {"ragged-dot",
       {"s32[4,5] {{1,2,3,4,5},{6,7,8,9,10},{11,12,13,14,15},{16,17,18,19,20}}",
        "s32[5,3] {{1,2,3},{4,5,6},{7,8,9},{10,11,12},{13,14,15}}", "s32[2] {2,3}"},
       depth,
       "s32[2,4,3] {{{9,12,15},{34,47,60},{59,82,105},{84,117,150}},"
       "{{126,138,150},{276,303,330},{426,468,510},{576,633,690}}}"},
      {"ragged-dot",
       {"c64[1,3] {{(1,0),(2,0),(3,0)}}", "c64[3,1] {{(1,0)},{(1,0)},{(0,1)}}", "s32[3] {1,0,1}"},
       depth,
       "c64[3,1,1] {{{(1,0)}},{{(0,0)}},{{(2,0)}}}"},
      {"ragged-dot",
       {"f32[3,1,1] {{{1}},{{2}},{{3}}}", "f32[3,1,1] {{{10}},{{10}},{{10}}}", "s32[2] {1,1}"},
       batch,
       "f32[3,1,1] {{{10}},{{20}},{{0}}}"},
      // Sizes of groups of their own for each element of the batch.
      {"ragged-dot",
       {"s32[2,3,1] {{{1},{2},{3}},{{4},{5},{6}}}", "s32[2,2,1,1] {{{{1}},{{10}}},{{{2}},{{20}}}}",
        "s32[2,2] {{1,2},{3,0}}"},
       ", lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
       "s32[2,3,1] {{{1},{4},{6}},{{40},{50},{60}}}"},
  };
  for (const Example& example : examples) Check(example);
}

TEST(ScaledDot, WorkedExamples) {
  const std::string lhs = "f32[1,4] {{1,2,3,4}}", rhs = "f32[4,1] {{1},{1},{1},{1}}";
  const std::vector<Example> examples = {
      {"scaled-dot",
       {lhs, rhs, "f32[1,2] {{1,2}}", "f32[2,1] {{1},{0.5}}"},
       kMatrices,
       "f32[1,1] {{10}}"},
      {"scaled-dot",
       {lhs, rhs, "f32[1,2] {{1,2}}", "f32[1,1] {{1}}"},
       kMatrices,
       "f32[1,1] {{17}}"},
      {"scaled-dot", {lhs, rhs, "f32[1,1] {{4}}", "f32[1,1] {{1}}"}, kMatrices, "f32[1,1] {{40}}"},
      // The value of a scalar does not count.
      {"scaled-dot",
       {"bf16[1,4] {{1,2,3,4}}", "bf16[4,1] {{1},{1},{1},{1}}", "f8e8m0fnu[1,2] {{2,4}}",
        "bf16[] 3"},
       kMatrices,
       "f32[1,1] {{34}}"},
      // Products that leave the range of f32 on the way.
      {"scaled-dot",
       {"f8e4m3fn[1,1] {{448}}", "f8e4m3fn[1,1] {{2}}", "f8e8m0fnu[1,1] {{1.7014118346046923e38}}",
        "f8e8m0fnu[1,1] {{5.877471754111438e-39}}"},
       kMatrices,
       "f32[1,1] {{896}}"},
  };
  for (const Example& example : examples) Check(example);
}
// Those of reference ops_structural.md 8.
TEST(Convolution, WorkedExamples) {
  const std::string labels = ", dim_labels=bf0_oi0->bf0";
  const std::vector<Example> examples = {
      // An absent element meets nothing.
      {"convolution",
       {"f32[1,1,2] {{{1,2}}}", "f32[1,1,2] {{{inf,1}}}"},
       ", window={size=2 pad=1_1}" + labels,
       "f32[1,1,3] {{{1,inf,inf}}}"},
      {"convolution",
       {"f32[1,1,5] {{{1,2,3,4,5}}}", "f32[1,1,2] {{{10,1}}}"},
       ", window={size=2 pad=3_2 lhs_dilate=2 rhs_dilate=2}" + labels,
       "f32[1,1,12] {{{0,1,0,12,0,23,0,34,0,45,0,50}}}"},
      {"convolution",
       {"f32[1,1,5] {{{1,2,3,4,5}}}", "f32[1,1,2] {{{10,1}}}"},
       ", window={size=2 pad=-3_-2 lhs_dilate=2 rhs_dilate=2}" + labels,
       "f32[1,1,2] {{{0,34}}}"},
      {"convolution",
       {"s8[1,1,2] {{{100,100}}}", "s8[1,1,2] {{{1,1}}}"},
       ", window={size=2}" + labels,
       "s8[1,1,1] {{{-56}}}"},
      {"convolution",
       {"f32[4,1,1] {{{1}},{{2}},{{3}},{{4}}}", "f32[4,1,1] {{{1}},{{10}},{{100}},{{1000}}}"},
       ", window={size=1}" + labels + ", batch_group_count=2",
       "f32[2,4,1] {{{1},{10},{300},{3000}},{{2},{20},{400},{4000}}}"},
      {"convolution",
       {"f32[1,2,3] {{{1,2,3},{4,5,6}}}", "f32[2,1,2] {{{1,1}},{{1,-1}}}"},
       ", window={size=2}" + labels + ", feature_group_count=2",
       "f32[1,2,2] {{{3,5},{-1,-1}}}"},
      {"convolution",
       {"f32[1,2] {{1,2}}", "f32[2,2] {{3,4},{5,6}}"},
       ", dim_labels=bf_oi->bf",
       "f32[1,2] {{11,17}}"},
  };
  for (const Example& example : examples) Check(example);
}
}  // namespace
}  // namespace assay::cpu
