#include "spec/analysis/flat_region.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One line for each step: the operation, the registers of its operands, the register of its result.
std::string Steps(const FlatRegion& region) {
  std::string text;
  for (const FlatRegion::Step& step : region.steps) {
    absl::StrAppend(&text, Name(step.instruction->opcode()), "(");
    for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
      absl::StrAppend(&text, k == 0 ? "" : ", ", step.operands[k]);
    }
    absl::StrAppend(&text, ") -> ", step.result, "\n");
  }
  return text;
}

class FlatRegionTest : public ::testing::Test {
 protected:
  absl::StatusOr<FlatRegion> Flatten(const std::string& text,
                                     absl::Span<const int64_t> lanes = {}) {
    auto module = ParseModule(absl::StrCat("HloModule m\n", text));
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    return FlattenRegion(*module_->entry(), lanes);
  }

  std::unique_ptr<Module> module_;
};

TEST_F(FlatRegionTest, NumbersParametersThenConstantsAndStepsAsTheyCome) {
  const auto region = Flatten(R"(ENTRY e {
    a = s32[] parameter(0)
    b = s32[] parameter(1)
    seven = s32[] constant(7)
    sum = s32[] add(b, a)
    ROOT r = s32[] multiply(sum, seven)
  })");
  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ(Steps(*region), "add(1, 0) -> 3\nmultiply(3, 2) -> 4\n");
  ASSERT_EQ(region->constants.size(), 1u);
  EXPECT_EQ(region->constants[0].first, 2);
  EXPECT_EQ(region->constants[0].second.bits, 7u);
  EXPECT_THAT(region->results, ElementsAre(4));
  EXPECT_EQ(region->register_count, 5);
}

TEST_F(FlatRegionTest, TuplesAndCallsLeaveNoSteps) {
  const auto region = Flatten(R"(
  swap { x = (s32[], f32[]) parameter(0)
         first = s32[] get-tuple-element(x), index=0
         second = f32[] get-tuple-element(x), index=1
         ROOT r = (f32[], s32[]) tuple(second, first) }
  ENTRY e { p = ((s32[], f32[]), pred[]) parameter(0)
            pair = (s32[], f32[]) get-tuple-element(p), index=0
            swapped = (f32[], s32[]) call(pair), to_apply=swap
            flag = pred[] get-tuple-element(p), index=1
            ROOT r = (pred[], (f32[], s32[])) tuple(flag, swapped) })");
  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ(Steps(*region), "");
  EXPECT_THAT(region->results, ElementsAre(2, 1, 0));
  EXPECT_THAT(region->parameter_types,
              ElementsAre(ElementType::kS32, ElementType::kF32, ElementType::kPred));
  EXPECT_THAT(region->result_types,
              ElementsAre(ElementType::kPred, ElementType::kF32, ElementType::kS32));
}

TEST_F(FlatRegionTest, LeavesOutWhatTheRootDoesNotNeed) {
  const auto region = Flatten(R"(ENTRY e {
    a = s32[] parameter(0)
    unused = s32[] negate(a)
    ROOT r = s32[] not(a)
  })");
  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ(Steps(*region), "not(0) -> 1\n");
}

TEST_F(FlatRegionTest, ArraysOfTheLanesCountAsScalars) {
  const std::string text = R"(ENTRY e {
    a = f32[2,3] parameter(0)
    one = f32[] constant(1)
    ones = f32[2,3] broadcast(one), dimensions={}
    ROOT r = f32[2,3] add(a, ones)
  })";
  const int64_t lanes[] = {2, 3};
  const auto region = Flatten(text, lanes);
  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ(Steps(*region), "add(0, 1) -> 2\n");
  const auto refused = Flatten(text);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("a value that is not a scalar"));
}

// Lanes without elements have no constant that is one element.
TEST_F(FlatRegionTest, RefusesConstantsOfNoElement) {
  const int64_t lanes[] = {0};
  EXPECT_TRUE(Flatten("ENTRY e { a = s32[0] parameter(0) ROOT r = s32[0] negate(a) }", lanes).ok());
  EXPECT_EQ(Flatten("ENTRY e { a = s32[0] parameter(0) c = s32[0] constant({}) "
                    "ROOT r = s32[0] add(a, c) }",
                    lanes)
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(FlatRegionTest, RefusesLoopsAndOtherOperations) {
  const auto region = Flatten(R"(
  c { s = s32[] parameter(0)
      n = s32[] constant(5)
      ROOT go = pred[] compare(s, n), direction=LT }
  b { s = s32[] parameter(0)
      ROOT t = s32[] add(s, s) }
  ENTRY e { a = s32[] parameter(0)
            ROOT r = s32[] while(a), condition=c, body=b })");
  EXPECT_EQ(region.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(region.status().message()),
              HasSubstr("an operation without scalar definition in %r = s32[] while"));
}

// Twenty-five levels of calls, each of which calls the next twice.
TEST_F(FlatRegionTest, RefusesWhatGrowsTooLarge) {
  std::string text = "level0 { x = s32[] parameter(0)\n ROOT r = s32[] negate(x) }\n";
  for (int level = 1; level <= 25; ++level) {
    absl::StrAppend(&text, "level", level,
                    " { x = s32[] parameter(0)\n a = s32[] call(x), to_apply=level", level - 1,
                    "\n ROOT b = s32[] call(a), to_apply=level", level - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = s32[] parameter(0)\n",
                  " ROOT r = s32[] call(x), to_apply=level25 }");
  const auto region = Flatten(text);
  EXPECT_EQ(region.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(region.status().message()), HasSubstr("too large after inlining"));
}

}  // namespace
}  // namespace assay::analysis
