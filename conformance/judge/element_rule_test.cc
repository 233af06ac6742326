// The rule of one rounded element: what is inside the budget, outside of it, or decided by the
// exact value alone.
#include "conformance/judge/element_rule.h"

#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

using Answer = Measure::Answer;

class ElementRuleTest : public ::testing::Test {
 protected:
  Answer Ask(double golden, double actual, const ExactValue& exact = std::nullopt) const {
    const auto f32 = [](double value) { return Element{EncodeFloat(ElementType::kF32, value)}; };
    return rule_.Test(f32(golden), f32(actual), exact, /*overflows=*/false).answer;
  }

  const Case case_{"f32[] exponential(p0)", {"f32[]"}};
  const ElementRule rule_{case_.root(), ElementType::kF32, BuiltInProfile("cpu-strict")};
};

// The exact value is within half an ulp of golden. Below 1 an ulp is half as large, so that two
// ulps of an exact value there are 2^-23, and two ulps of one above are 2^-22.
TEST_F(ElementRuleTest, ABudgetIsThatOfTheExactValue) {
  ASSERT_EQ(rule_.budget().ulps, 2);
  EXPECT_EQ(Ask(1, 1 + kUlp), Answer::kUnknown);
  EXPECT_EQ(Ask(1, 1 + kUlp, 1 - kUlp / 8), Answer::kOutside);
  EXPECT_EQ(Ask(1, 1 + kUlp, 1 + kUlp / 8), Answer::kInside);
  EXPECT_EQ(Ask(1, 1 - kUlp / 2), Answer::kInside);
  EXPECT_EQ(Ask(1.5, 1.5 + kUlp), Answer::kInside);
  EXPECT_EQ(Ask(1.5, 1.5 + 2 * kUlp), Answer::kUnknown);
  EXPECT_EQ(Ask(1.5, 1.5 + 3 * kUlp), Answer::kOutside);
}

TEST_F(ElementRuleTest, ANumberAndNanAreNotNear) {
  for (const ExactValue& exact : {ExactValue(), ExactValue(1.0)}) {
    EXPECT_EQ(Ask(1, kNan, exact), Answer::kOutside);
    EXPECT_EQ(Ask(kNan, 1, exact), Answer::kOutside);
  }
}

// The modulus of this number is greater than the largest double; its ulp is that of the largest.
TEST(ComplexElementRuleTest, AModulusMayLeaveTheRangeOfItsParts) {
  const Case power{"c128[] power(p0, p1)", {"c128[]", "c128[]"}};
  const ElementRule rule(power.root(), ElementType::kC128, BuiltInProfile("cpu-strict"));
  ASSERT_GE(rule.budget().ulps, 2);
  const auto beyond = [&](uint64_t steps) {
    const uint64_t re = EncodeFloat(ElementType::kF64, 0x1.be7abba2ae84ap1023);
    const uint64_t im = EncodeFloat(ElementType::kF64, 0x1.f532f518a6372p1022);
    return rule.Test({re, im}, {re, im + steps}, std::nullopt, true).answer;
  };
  EXPECT_EQ(beyond(1), Answer::kInside);
  EXPECT_EQ(beyond(1000), Answer::kOutside);
}

// exp(iy) has the modulus 1, and 5.3 units of it is an error that 8 permit. In f64 the modulus of
// the exact parts is less than 1 by a rounding.
TEST(ComplexElementRuleTest, AModulusIsRounded) {
  const Case exponential("c64[] exponential(p0)", {"c64[]"});
  const std::vector<Literal> operands = {C64(0, 5.2862525F)};
  EXPECT_EQ(exponential.Explain(operands, C64(0.542881131F, -0.839810312F), "cpu-strict"),
            "within bound");
  EXPECT_EQ(exponential.Explain(operands, C64(0.542882F, -0.839810312F), "cpu-strict"), "wrong");
}

// (-2.2e-308 - 2.5e157 i)^2 is -6.1e314 + 1.1e-150 i: the budget is that of a modulus beyond the
// largest double. An infinite part that is a pole has no such modulus.
TEST(ComplexElementRuleTest, OnePartMayOverflow) {
  const Case power{"c128[] power(p0, p1)", {"c128[]", "c128[]"}};
  const Case log{"c128[] log(p0)", {"c128[]"}};
  const auto c128 = [](double real, double imag) {
    return Literal::Scalar(ElementType::kC128, {EncodeFloat(ElementType::kF64, real),
                                                EncodeFloat(ElementType::kF64, imag)});
  };
  const std::vector<Literal> operands = {c128(-0x1p-1022, -2.4688149364634578e+157), c128(2, 0)};
  for (const double imag : {0.0, -3e-150, 1e292}) {
    EXPECT_EQ(power.Explain(operands, c128(-kInfinity, imag)), "within bound") << imag;
    EXPECT_EQ(power.Explain(operands, c128(-kInfinity, imag), "golden"), "wrong") << imag;
  }
  EXPECT_EQ(power.Explain(operands, c128(kInfinity, 0)), "wrong");
  EXPECT_EQ(power.Explain(operands, c128(-kInfinity, kNan)), "wrong");
  EXPECT_EQ(power.Explain(operands, c128(-kInfinity, 1e300)), "wrong");
  EXPECT_EQ(log.Explain({c128(0.0, 0.0)}, c128(-kInfinity, 1)), "wrong");
  // Of c64 the exact value is known: exp(89) (cos(1e-30) + i sin(1e-30)) is (4.5e38, 4.5e8).
  const Case exponential{"c64[] exponential(p0)", {"c64[]"}};
  const std::vector<Literal> far = {C64(89, 1e-30F)};
  EXPECT_EQ(exponential.Explain(far, C64(kInfinity, 0)), "within bound");
  EXPECT_EQ(exponential.Explain(far, C64(kInfinity, 1e30F)), "within bound");
  EXPECT_EQ(exponential.Explain(far, C64(kInfinity, 1e34F)), "wrong");
  EXPECT_EQ(exponential.Explain(far, C64(3.4e38F, 0)), "wrong");
}

}  // namespace
}  // namespace assay::conformance
