// What definitions refuse, and what stops them. Their values:
// conformance/corpus/every_path_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
