// Sums with any number of uses of a start value that is no identity (decision W-12): what roundings
// hide, and what overflows with other terms.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

Case SumOf(const std::string& type, int count) {
  return Case(absl::StrCat(type, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
              {absl::StrCat(type, "[", count, "]"), absl::StrCat(type, "[]")},
              absl::StrCat("f {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                           "[] parameter(1)\n  ROOT s = ", type, "[] add(a, b)\n}\n"));
}

// Beside a part that overflows, the other part tells the number of uses no better than its
// roundings allow: {2^25, -2^25, 2^25, -2^25} from 1 are 0 to 5, as 1 is lost beside 2^25. The real
// part is infinite from four uses of 1e38.
TEST(JudgeStartSums, RoundingsHideUsesBesideAnOverflow) {
  const Case sum = SumOf("c64", 4);
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {4}));
  for (int k = 0; k < 4; ++k) terms.Set(k, C64(0, k % 2 == 0 ? 0x1p25F : -0x1p25F).Get(0));
  for (const double value : {0, 1, 2, 3, 4, 5}) {
    EXPECT_EQ(sum.Explain({terms, C64(1e38F, 1)}, C64(kInfinity, value)), "implementation_defined")
        << value;
  }
  EXPECT_EQ(sum.Explain({terms, C64(1e38F, 1)}, C64(kInfinity, 1e3)), "wrong");
  EXPECT_EQ(sum.Explain({terms, C64(6e37F, 1)}, C64(kInfinity, 2)), "wrong");
  // A large part does tell: three uses are too few.
  EXPECT_EQ(sum.Explain({terms, C64(1e38F, 1e6F)}, C64(kInfinity, 3e6F)), "wrong");
  EXPECT_EQ(sum.Explain({terms, C64(1e38F, 1e6F)}, C64(kInfinity, 4e6F)), "implementation_defined");
}

// The greatest number of uses may round to what more would give: -20.875 + 6 * 1.75 is -10.375 and
// rounds to -10. One more is no more than the roundings of a sum of f8e4m3fn; ten more are.
TEST(JudgeStartSums, TheGreatestNumberOfUsesIsRounded) {
  constexpr ElementType kType = ElementType::kF8E4M3FN;
  const Case sum = SumOf("f8e4m3fn", 5);
  const auto f8 = [](double value) { return Literal::Scalar(kType, {EncodeFloat(kType, value)}); };
  const std::vector<Literal> operands = {Array(kType, {-7.5, -1.625, -1.625, -9, -1.125}),
                                         f8(1.75)};
  EXPECT_EQ(sum.Explain(operands, f8(-20)), "golden");
  EXPECT_EQ(sum.Explain(operands, f8(-10)), "implementation_defined");
  EXPECT_EQ(sum.Explain(operands, f8(15)), "wrong");
  EXPECT_EQ(sum.Explain(operands, f8(-64)), "wrong");
}

// 1.05e308 - 6.125e307 is 4.375e307, and 1.05e308 - 4 * 6.125e307 differs from it by more than the
// largest double.
TEST(JudgeStartSums, DifferencesMayExceedTheLargestDouble) {
  const Case sum = SumOf("f64", 3);
  const auto f64 = [](double value) {
    return Literal::Scalar(ElementType::kF64, {EncodeFloat(ElementType::kF64, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF64, {3.5e307, 3e307, 4e307}),
                                         f64(-6.125e307)};
  EXPECT_EQ(sum.Explain(operands, f64(-1.4e308)), "implementation_defined");
  EXPECT_EQ(sum.Explain(operands, f64(-1.39e308)), "wrong");
}

// Finite terms and start values together overflow to the other infinity: -2e38 and two times -1e38.
// Terms of the sign of the infinite one do not help.
TEST(JudgeStartSums, MayMeetAnInfiniteTermTogetherWithOthers) {
  const Case sum = SumOf("f32", 2);
  EXPECT_EQ(sum.Explain({F32({kInf, -2e38F}), Scalar(-1e38F)}, Scalar(kNan)),
            "implementation_defined");
  EXPECT_EQ(sum.Explain({F32({kInf, -2e38F}), Scalar(-1e38F)}, Scalar(kNan), "cpu-strict"),
            "wrong");
  EXPECT_EQ(sum.Explain({F32({-kInf, 2e38F}), Scalar(1e38F)}, Scalar(kNan)),
            "implementation_defined");
  for (const float other : {2e38F, 0.0F, -1e37F}) {
    EXPECT_EQ(sum.Explain({F32({kInf, other}), Scalar(-1e38F)}, Scalar(kNan)), "wrong") << other;
  }
  const Case complex = SumOf("c64", 2);
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {2}));
  terms.Set(0, C64(kInf, 1).Get(0));
  terms.Set(1, C64(-2e38F, 2).Get(0));
  EXPECT_EQ(complex.Explain({terms, C64(-1e38F, 1)}, C64(kNan, 5)), "implementation_defined");
  EXPECT_EQ(complex.Explain({terms, C64(-1e38F, 1)}, C64(kNan, 4)), "wrong");
  EXPECT_EQ(complex.Explain({terms, C64(1e38F, 1)}, C64(kNan, 5)), "wrong");
  // Start values overflow in one part, in the other finite terms alone, beside an infinite start.
  terms.Set(0, C64(kInf, 3e38F).Get(0));
  terms.Set(1, C64(0, 3e38F).Get(0));
  EXPECT_EQ(complex.Explain({terms, C64(-2e38F, -kInf)}, C64(kNan, kNan)),
            "implementation_defined");
  EXPECT_EQ(complex.Explain({terms, C64(-1e38F, -kInf)}, C64(kNan, kNan)), "wrong");
  terms.Set(1, C64(0, 1e37F).Get(0));
  EXPECT_EQ(complex.Explain({terms, C64(-2e38F, -kInf)}, C64(kNan, kNan)), "wrong");
}

// Three times the least denormal: sums are exact there.
TEST(JudgeStartSums, DenormalsAreCounted) {
  const Case sum = SumOf("f64", 2);
  const auto f64 = [](double value) {
    return Literal::Scalar(ElementType::kF64, {EncodeFloat(ElementType::kF64, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF64, {0, 0}), f64(0x1p-1074)};
  constexpr char kExact[] = "extends: 'cpu-strict' admit: 'W-12'";
  const auto profile = TargetProfile::FromText(kExact, "here");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(sum.JudgeBy(*profile, operands, f64(0x3p-1074)).verdict, Verdict::kAllowed);
  EXPECT_EQ(sum.JudgeBy(*profile, operands, f64(0x4p-1074)).verdict, Verdict::kWrong);
}

}  // namespace
}  // namespace assay::conformance
