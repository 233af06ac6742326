// What definitions refuse, and what stops them. Their values:
// conformance/corpus/every_path_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/testing.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

absl::Status Refusal(const char* hlo) {
  auto module = ParseModule(hlo);
  EXPECT_TRUE(module.ok()) << module.status();
  return PrepareDefinition(*(*module)->entry()->root()).status();
}

TEST(Definitions, RefusesByName) {
  EXPECT_THAT(std::string(Refusal("token[] after-all()").message()), HasSubstr("after-all"));
  EXPECT_FALSE(HasDefinition(Opcode::kAfterAll));
  EXPECT_TRUE(HasDefinition(Opcode::kPad));
  EXPECT_TRUE(HasDefinition(Opcode::kTanh));
  const absl::Status dynamic = Refusal("f32[<=4] reverse(f32[<=4] x), dimensions={0}");
  EXPECT_EQ(dynamic.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(dynamic.message()), HasSubstr("reverse: dynamic"));
  EXPECT_THAT(std::string(Refusal("f32[2]{0} constant({...})").message()), HasSubstr("elided"));
  EXPECT_THAT(std::string(Refusal("f32[4]{0} bitcast(f32[2,2]{1,0:T(2,2)} x)").message()),
              HasSubstr("tiled"));
}

// A convolution with these operands and attributes.
absl::Status PrepareConvolution(const std::string& rest) {
  return Refusal(absl::StrCat("f32[1,2] convolution(f32[1,2] x, f32[2,2] y", rest).c_str());
}

TEST(Definitions, SparseConvolutionsAndGradientsAreRefused) {
  const std::string labels = ", dim_labels=bf_oi->bf";
  EXPECT_TRUE(PrepareConvolution(")" + labels).ok());
  EXPECT_TRUE(PrepareConvolution(")" + labels + ", convolution_kind=fprop").ok());
  const std::string sparse = ", sparsity_config={lhs={sparsity=2x4 dimension=1 stride=1 idx=0}}";
  for (const std::string& rest : {")" + labels + sparse, ", f32[2] z)" + labels}) {
    EXPECT_THAT(std::string(PrepareConvolution(rest).message()), HasSubstr("sparse operands"));
  }
  for (const char* kind : {"dgrad", "wgrad"}) {
    const absl::Status status =
        PrepareConvolution(absl::StrCat(")", labels, ", convolution_kind=", kind));
    EXPECT_THAT(std::string(status.message()), HasSubstr("a gradient kind"));
  }
}

TEST(Definitions, StatisticsThatAreNoVectorsAreRefused) {
  for (const char* statistics : {"f32[3,1] v, f32[3] w", "f32[3] v, f32[3,1] w"}) {
    const absl::Status status =
        Refusal(absl::StrCat("f32[4,3] batch-norm-inference(f32[4,3] x, f32[3] s, f32[3] t, ",
                             statistics, "), epsilon=1, feature_index=1")
                    .c_str());
    EXPECT_THAT(std::string(status.message()), HasSubstr("batch_norm_c6"));
  }
}

// The payload of a NaN too.
TEST(Definitions, AScanOfNothingGivesTheCarryBitForBit) {
  auto module = ParseModule(
      "HloModule m\nadd { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(c, x) ROOT r "
      "= (f32[], f32[]) tuple(s, s) }\nENTRY e { x = f32[0] parameter(0) c = f32[] parameter(1) "
      "ROOT r = (f32[0], f32[]) scan(x, c), dimensions={0}, num_carries=1, is_associative=false, "
      "to_apply=add }");
  ASSERT_TRUE(module.ok()) << module.status();
  EvaluationContext context;
  Literal carry = Literal::Zeros(Shape(ElementType::kF32, {}));
  carry.Set(0, {0x7f800123});
  const Literal inputs[] = {Literal::Zeros(Shape(ElementType::kF32, {0})), carry};
  const auto results = RunStraightLine(**module, inputs, PrepareStraight, context);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[1].Get(0).bits, 0x7f800123u);
}

// Its input says how many steps it has: 100 + 1 + 2 + 3 + 4.
TEST(Definitions, AScanMayHaveNoOutputs) {
  auto module = ParseModule(
      "HloModule m\nadd { x = s32[] parameter(0) c = s32[] parameter(1) s = s32[] add(c, x) ROOT r "
      "= (s32[]) tuple(s) }\nENTRY e { x = s32[4] constant({1, 2, 3, 4}) c = s32[] constant(100) "
      "ROOT r = (s32[]) scan(x, c), dimensions={0}, num_carries=1, is_associative=false, "
      "to_apply=add }");
  ASSERT_TRUE(module.ok()) << module.status();
  EvaluationContext context;
  const auto results = RunStraightLine(**module, {}, PrepareStraight, context);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Get(0).bits, 110u);
}

TEST(Definitions, GatherOfNothingIsRefusedAtRunTime) {
  auto module = ParseModule(
      "f32[2] gather(f32[0] x, s32[2] i), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={0}");
  ASSERT_TRUE(module.ok()) << module.status();
  EvaluationContext context;
  const Literal inputs[] = {Literal::Zeros(Shape(ElementType::kF32, {0})),
                            Literal::Zeros(Shape(ElementType::kS32, {2}))};
  const absl::Status status = RunStraightLine(**module, inputs, PrepareStraight, context).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

TEST(Definitions, ABudgetStopsThem) {
  auto module = ParseModule("f32[1000] negate(f32[1000] x)");
  ASSERT_TRUE(module.ok());
  Budget budget(100, -1);
  EvaluationContext context;
  context.budget = &budget;
  const Literal input = Literal::Zeros(Shape(ElementType::kF32, {1000}));
  EXPECT_EQ(RunStraightLine(**module, {&input, 1}, PrepareStraight, context).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay
