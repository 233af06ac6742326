#include "conformance/diagnose/drawn_arrays.h"

#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/diagnose/program_judge.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"

namespace assay::conformance {
namespace {

using testing::HasSubstr;

constexpr char kTwo[] =
    "ENTRY e { a = f32[] parameter(0) b = f32[] constant(1) "
    "x = f32[65] rng(a, b), distribution=rng_uniform y = f32[65] rng(a, b), "
    "distribution=rng_uniform v = f32[5,13] reshape(y) z = f32[65] negate(x) "
    "ROOT t = tuple(z, x, v) }";
constexpr char kShownTwice[] =
    "ENTRY e { a = f32[] parameter(0) b = f32[] constant(1) "
    "x = f32[65] rng(a, b), distribution=rng_uniform ROOT t = tuple(x, x) }";
constexpr char kNormal[] =
    "ENTRY e { a = f32[] parameter(0) b = f32[] constant(1) "
    "x = f32[65] rng(a, b), distribution=rng_normal y = f32[65] rng(a, b), "
    "distribution=rng_normal ROOT t = tuple(x, y) }";
constexpr char kOtherBounds[] =
    "ENTRY e { a = f32[] parameter(0) b = f32[] constant(1) c = f32[] constant(2) "
    "x = f32[65] rng(a, b), distribution=rng_uniform y = f32[65] rng(a, c), "
    "distribution=rng_uniform ROOT t = tuple(x, y) }";

constexpr char kBesideNoNumbers[] =
    "ENTRY e { a = f32[] parameter(0) b = f32[] constant(1) "
    "x = f32[65] rng(a, b), distribution=rng_uniform z = f32[65] negate(x) "
    "ROOT t = tuple(z, x) }";

class DrawnArrays : public testing::Test {
 protected:
  std::vector<double> Uniform() {
    std::vector<double> values(65);
    for (double& x : values) x = std::ldexp(static_cast<double>(random_() >> 8), -24);
    return values;
  }

  std::vector<double> Normal() {
    std::normal_distribution<double> normal;
    std::vector<double> values(65);
    for (double& x : values) x = normal(random_);
    return values;
  }

  // The judgement of these arrays as leaves of the result.
  static Judgement Judge(const char* text, const std::vector<std::vector<double>>& arrays) {
    const std::unique_ptr<Module> module = MustParse(text);
    std::vector<Literal> leaves;
    for (const Instruction* operand : module->entry()->root()->operands()) {
      Literal leaf = Literal::Zeros(operand->shape());
      const std::vector<double>& values = arrays[leaves.size()];
      for (int64_t i = 0; i < leaf.element_count(); ++i) {
        leaf.Set(i, {EncodeFloat(ElementType::kF32, values[i])});
      }
      leaves.push_back(std::move(leaf));
    }
    const Literal golden = Literal::Zeros(module->entry()->root()->shape());
    Judgement judgement;
    JudgeDrawnArrays(*module, {Literal::Scalar(ElementType::kF32, {0})}, golden,
                     Literal::Tuple(std::move(leaves)), 0, &judgement);
    return judgement;
  }

  std::mt19937 random_{17};
};

TEST_F(DrawnArrays, TwoInstructionsDrawTwice) {
  const std::vector<double> x = Uniform(), y = Uniform(), z = Uniform();
  EXPECT_EQ(Judge(kTwo, {z, x, y}).verdict, Verdict::kExact);
  const Judgement merged = Judge(kTwo, {z, x, x});
  EXPECT_EQ(merged.verdict, Verdict::kWrong);
  ASSERT_EQ(merged.evidence.size(), 1u);
  EXPECT_EQ(merged.evidence[0].leaf, 2);
  EXPECT_THAT(merged.evidence[0].reason, HasSubstr("equal elements half the array apart"));
  // What always rises is not independent either.
  std::vector<double> greater(65);
  for (size_t i = 0; i < x.size(); ++i) greater[i] = (x[i] + 1) / 2;
  EXPECT_EQ(Judge(kTwo, {z, x, greater}).verdict, Verdict::kWrong);
}

TEST_F(DrawnArrays, NormalNumbersInPairs) {
  const std::vector<double> x = Normal(), y = Normal();
  EXPECT_EQ(Judge(kNormal, {x, y}).verdict, Verdict::kExact);
  EXPECT_EQ(Judge(kNormal, {x, x}).verdict, Verdict::kWrong);
}

TEST_F(DrawnArrays, OneInstructionDrawsOnce) {
  const std::vector<double> x = Uniform(), y = Uniform();
  EXPECT_EQ(Judge(kShownTwice, {x, x}).verdict, Verdict::kExact);
  const Judgement drawn_again = Judge(kShownTwice, {x, y});
  EXPECT_EQ(drawn_again.verdict, Verdict::kWrong);
  ASSERT_EQ(drawn_again.evidence.size(), 1u);
  EXPECT_THAT(drawn_again.evidence[0].reason, HasSubstr("must be equal"));
}

TEST_F(DrawnArrays, OtherDistributionsAreNotCompared) {
  const std::vector<double> x = Uniform();
  EXPECT_EQ(Judge(kOtherBounds, {x, x}).verdict, Verdict::kExact);
}

TEST_F(DrawnArrays, OneArrayBesideOthersIsASample) {
  std::vector<double> x = Uniform();
  EXPECT_EQ(Judge(kBesideNoNumbers, {x, x}).verdict, Verdict::kExact);
  const Judgement constant = Judge(kBesideNoNumbers, {x, std::vector<double>(65, 0.5)});
  EXPECT_EQ(constant.verdict, Verdict::kWrong);
  ASSERT_EQ(constant.evidence.size(), 1u);
  EXPECT_EQ(constant.evidence[0].leaf, 1);
  EXPECT_THAT(constant.evidence[0].reason, HasSubstr("the numbers of x are"));
}

// Which integer is drawn is free as that of a float is; what is computed from it is not known.
TEST_F(DrawnArrays, IntegersAreFreeWhereTheyAreDrawn) {
  const std::unique_ptr<Module> module = MustParse(
      "ENTRY e { a = s32[] parameter(0) b = s32[] constant(1000) "
      "x = s32[65] rng(a, b), distribution=rng_uniform ROOT t = tuple(a, x) }");
  const std::vector<std::vector<Literal>> arguments = {{Literal::Scalar(ElementType::kS32, {0})}};
  const auto verdict = [&](const std::vector<int64_t>& values) {
    const absl::StatusOr<Literal> golden = Interpret(*module, arguments[0]);
    EXPECT_TRUE(golden.ok()) << golden.status();
    Literal drawn = Literal::Zeros(Shape(ElementType::kS32, {65}));
    for (int64_t i = 0; i < 65; ++i) drawn.Set(i, {static_cast<uint32_t>(values[i])});
    const auto judged =
        JudgeModule(*module, arguments, {*golden}, {Literal::Tuple({golden->element(0), drawn})},
                    *TargetProfile::Find("cpu-strict"), {});
    EXPECT_TRUE(judged.ok()) << judged.status();
    return judged->verdict;
  };
  std::vector<int64_t> values(65);
  for (int64_t& value : values) value = random_() % 1000;
  EXPECT_EQ(verdict(values), Verdict::kWithinBound);
  values[7] = 1000;
  EXPECT_EQ(verdict(values), Verdict::kWrong);
  EXPECT_EQ(verdict(std::vector<int64_t>(65, 500)), Verdict::kWrong);
}

// `assay run --expect` asks JudgeByInterval itself, of a single instruction too.
TEST_F(DrawnArrays, TheJudgeByIntervalsLooks) {
  for (const bool computed : {false, true}) {
    const std::unique_ptr<Module> module = MustParse(
        absl::StrCat("ENTRY e { a = s32[] parameter(0) b = s32[] constant(1000) c = s32[] ",
                     computed ? "add(b, b) " : "constant(2000) ",
                     "ROOT x = s32[65] rng(a, c), distribution=rng_uniform }"));
    const std::vector<std::vector<Literal>> arguments = {{Literal::Scalar(ElementType::kS32, {0})}};
    const absl::StatusOr<Literal> golden = Interpret(*module, arguments[0]);
    ASSERT_TRUE(golden.ok()) << golden.status();
    Literal constant = Literal::Zeros(golden->shape());
    for (int64_t i = 0; i < 65; ++i) constant.Set(i, {3});
    const auto judged = JudgeByInterval(*module, arguments, {*golden}, {constant},
                                        *TargetProfile::Find("cpu-strict"), {});
    ASSERT_TRUE(judged.ok()) << judged.status();
    EXPECT_EQ(judged->verdict, computed ? Verdict::kNotJudgeable : Verdict::kWrong);
  }
}

// A generator without a fault is not accused: 2,000 pairs of either distribution.
TEST_F(DrawnArrays, NoFalseAlarm) {
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> x = Uniform(), y = Uniform(), z = Normal(), w = Normal();
    ASSERT_EQ(Judge(kTwo, {x, x, y}).verdict, Verdict::kExact);
    ASSERT_EQ(Judge(kNormal, {z, w}).verdict, Verdict::kExact);
  }
}

// `assay test`, `judge` and `triage` ask here.
TEST_F(DrawnArrays, TheJudgeOfModulesLooks) {
  const std::unique_ptr<Module> module = MustParse(kNormal);
  const std::vector<std::vector<Literal>> arguments = {{Literal::Scalar(ElementType::kF32, {0})}};
  const absl::StatusOr<Literal> golden = Interpret(*module, arguments[0]);
  ASSERT_TRUE(golden.ok()) << golden.status();
  const Literal& first = golden->element(0);
  const auto verdict = [&](const Literal& actual) {
    const auto judged = JudgeModule(*module, arguments, {*golden}, {actual},
                                    *TargetProfile::Find("cpu-strict"), {});
    EXPECT_TRUE(judged.ok()) << judged.status();
    return judged->verdict;
  };
  EXPECT_LT(verdict(*golden), Verdict::kWrong);
  EXPECT_LT(verdict(Literal::Tuple({golden->element(1), first})), Verdict::kWrong);
  EXPECT_EQ(verdict(Literal::Tuple({first, first})), Verdict::kWrong);
}

}  // namespace
}  // namespace assay::conformance
