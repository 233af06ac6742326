// Programs that compute with random numbers: what a target may draw is never wrong, what it cannot
// draw is.
#include <cmath>

#include "conformance/enclosure/enclosure_testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using RandomBoxesTest = EnclosureTest;

constexpr char kUniform[] =
    "a = f32[] parameter(0)\n b = f32[] parameter(1)\n two = f32[1] constant({2})\n"
    " r = f32[1] rng(a, b), distribution=rng_uniform\n ROOT y = f32[1] multiply(r, two)";

TEST_F(RandomBoxesTest, UniformFloatsLieBetweenTheirEnds) {
  const BoxTree box = Of(kUniform, {Scalar(0), Scalar(1)}, "golden");
  const Literal golden = F32({0.5f});
  EXPECT_EQ(Judged(box, golden, F32({1.75f})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(box, golden, F32({0})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(box, golden, F32({-0.0f})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(box, golden, F32({2})), Verdict::kWithinBound) << "rounded to the end";
  EXPECT_EQ(Judged(box, golden, F32({2.0000002f})), Verdict::kWrong);
  EXPECT_EQ(Judged(box, golden, F32({-0.25f})), Verdict::kWrong);
  EXPECT_EQ(Judged(box, golden, F32({NAN})), Verdict::kWrong);
}

TEST_F(RandomBoxesTest, EmptyAndInfiniteRangesBoundNothing) {
  for (const auto& [a, b] : {std::pair{1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, INFINITY}, {NAN, 1.0f}}) {
    const BoxTree box = Of(kUniform, {Scalar(a), Scalar(b)}, "golden");
    EXPECT_EQ(Judged(box, F32({0}), F32({-123})), Verdict::kNotJudgeable) << a << " " << b;
  }
}

TEST_F(RandomBoxesTest, IntegersDoNotReachTheUpperEnd) {
  const BoxTree box =
      Of("a = s32[] constant(-3)\n b = s32[] constant(4)\n"
         " r = s32[1] rng(a, b), distribution=rng_uniform\n ROOT y = f32[1] convert(r)",
         {}, "golden");
  EXPECT_EQ(Judged(box, F32({0}), F32({-3})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(box, F32({0}), F32({3})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(box, F32({0}), F32({4})), Verdict::kWrong);
  EXPECT_EQ(Judged(box, F32({0}), F32({-4})), Verdict::kWrong);
}

TEST_F(RandomBoxesTest, NormalNumbersAreFinite) {
  const std::string text =
      "m = f32[] parameter(0)\n s = f32[] parameter(1)\n"
      " r = f32[1] rng(m, s), distribution=rng_normal\n ROOT y = f32[1] negate(r)";
  const BoxTree box = Of(text, {Scalar(0), Scalar(1)}, "golden");
  EXPECT_EQ(Judged(box, F32({0.5f}), F32({-7})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(box, F32({0.5f}), F32({INFINITY})), Verdict::kWrong);
  EXPECT_EQ(Judged(box, F32({0.5f}), F32({NAN})), Verdict::kWrong);
  const BoxTree wide = Of(text, {Scalar(0), Scalar(3e38f)}, "golden");
  EXPECT_EQ(Judged(wide, F32({0.5f}), F32({INFINITY})), Verdict::kNotJudgeable);
}

}  // namespace
}  // namespace assay::conformance
