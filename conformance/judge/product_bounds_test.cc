// Bounds of products and of dots (accuracy_requirements.md 4), at the edge and beyond it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/allowance.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

// Two products of at most 8 ulp, 16 u each, and golden's u: 33 u |30| = 30.94 * 2^-19.
TEST(JudgeBounds, ProductsOfComplexNumbersAreBounded) {
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=multiply", {"c64[3]", "c64[]"},
                     "multiply {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                     "  ROOT s = c64[] multiply(a, b)\n}\n");
  Literal factors = Literal::Zeros(Shape(ElementType::kC64, {3}));
  for (int64_t i = 0; i < 3; ++i) {
    factors.Set(i, {EncodeFloat(ElementType::kF32, i == 2 ? 5.0 : 2.0 + i), 0});
  }
  EXPECT_EQ(product.Explain({factors, C64(1, 0)}, C64(30, 30 * 0x1p-19f)), "within bound");
  EXPECT_EQ(product.Explain({factors, C64(1, 0)}, C64(30, 31 * 0x1p-19f)), "wrong");
}

// a c b^3 is just above 2^-126, and below it after four roundings to 24 bits, so that a target that
// flushes gives zero.
TEST(JudgeBounds, RoundingsTakeProductsBelowTheNormalNumbers) {
  const float a = 0x1.94158cp-18F, c = 0x1.58a59ap-20F, b = 0x1.3c15e2p-30F;
  const Case product("f32[] reduce(p0, p1), dimensions={0}, to_apply=mul", {"f32[5]", "f32[]"},
                     "mul {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT s = f32[] multiply(a, b)\n}\n");
  const auto judge = [&](float second, double actual, const std::string& profile) {
    return product.Explain({F32({a, second, b, b, b}), Scalar(1)}, Scalar(actual), profile);
  };
  EXPECT_NE(judge(c, 0, "xla-cpu"), "wrong");
  EXPECT_EQ(judge(c, 0, "cpu-strict"), "wrong");
  EXPECT_EQ(judge(Step(c, 8), 0, "xla-cpu"), "wrong");
  EXPECT_NE(judge(c, 0x1.fffffcp-127, "cpu-strict"), "wrong");
}

// Three factors of a thousand columns: n is 3, and (n-1) u |product| = 2 u.
TEST(JudgeBounds, ProductsAreBoundedByTheirFactors) {
  const Case product("f32[100] reduce(p0, p1), dimensions={1}, to_apply=mul",
                     {"f32[100,3]", "f32[]"},
                     "mul {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT s = f32[] multiply(a, b)\n}\n");
  auto judge = [&](double a, double b, double c, double actual) {
    Literal factors = Literal::Zeros(Shape(ElementType::kF32, {100, 3}));
    for (int64_t i = 0; i < 300; ++i) {
      const double value = i % 3 == 0 ? a : i % 3 == 1 ? b : c;
      factors.Set(i, Element{EncodeFloat(ElementType::kF32, value)});
    }
    return product.Explain({factors, Scalar(1)}, F32(std::vector<double>(100, actual)));
  };
  EXPECT_EQ(judge(1.5, 1, 1, Step(1.5, 2)), "reassociation");
  EXPECT_EQ(judge(1.5, 1, 1, Step(1.5, 10)), "wrong");
  // A partial product that overflows, and one that is a denormal: 2^-140 has 10 bits left.
  EXPECT_EQ(judge(0x1p100, 0x1p100, 0x1p-100, kInf), "reassociation");
  EXPECT_EQ(judge(1.5, 1, 1, kInf), "wrong");
  const double exact = static_cast<float>(0x1.234568p-70) * 0x1p-70 * 0x1p40;
  const double rounded = static_cast<float>(static_cast<double>(
                             static_cast<float>(static_cast<float>(0x1.234568p-70) * 0x1p-70))) *
                         0x1p40;
  EXPECT_NE(exact, rounded);
  EXPECT_EQ(judge(0x1.234568p-70, 0x1p-70, 0x1p40, rounded), "reassociation");
  // One whose error may be as large as the product bounds nothing below that, and all above.
  EXPECT_EQ(judge(0x1p-74, 0x1p-75, 0x1p100, 0), "not judgeable");
  EXPECT_EQ(judge(0x1p-74, 0x1p-75, 0x1p100, 1), "wrong");
}

// gam(n - 1) |p| holds whatever partial products are like where none leaves the range: 1.3e200 *
// 1.1e-200 * ... from the left. Others do, and say nothing: nothing is wrong but what has another
// sign. Neither partial product is a number of f64.
TEST(JudgeBounds, PartialProductsBeyondF64BoundNothing) {
  const Case product("f64[] reduce(p0, p1), dimensions={0}, to_apply=mul", {"f64[5]", "f64[]"},
                     "mul {\n  a = f64[] parameter(0)\n  b = f64[] parameter(1)\n"
                     "  ROOT s = f64[] multiply(a, b)\n}\n");
  const auto f64 = [](double value) {
    return Literal::Scalar(ElementType::kF64, Element{EncodeFloat(ElementType::kF64, value)});
  };
  const std::vector<Literal> operands = {
      Array(ElementType::kF64, {1.3e200, 1.1e-200, 1.7e200, 1.9e-200, 1.1}), f64(1)};
  const double golden = DecodeFloat(ElementType::kF64, product.Evaluate(operands)->Get(0).bits);
  EXPECT_EQ(golden,
            0x1.452ba9d1f6018p2);  // the product of these numbers of f64 as fractions, rounded once
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    EXPECT_EQ(product.Explain(operands, f64(golden + 0x1p-49), profile), "reassociation");
    EXPECT_EQ(product.Explain(operands, f64(1.5 * golden), profile), "not judgeable");
    EXPECT_EQ(product.Explain(operands, f64(kInf), profile), "reassociation");
  }
  EXPECT_EQ(product.Explain(operands, f64(golden + 0x1p-49), "golden"), "wrong");
  const std::vector<Literal> small = {Array(ElementType::kF64, {1.3, 1.1, 1.7, 1.9, 1.1}), f64(1)};
  EXPECT_EQ(product.Explain(small, f64(kInf)), "wrong");
  EXPECT_EQ(product.Explain(small, f64(5)), "wrong");
}

// (1 - 2^-53) 2^-1022 rounds to the least normal number of f64, and is below it: what flushes a
// result before it is rounded gives zero. 1 * 2^-1022 and (1 + 2^-52) 2^-1022 are normal.
TEST(JudgeBounds, ProductsJustBelowTheLeastNormalNumber) {
  const Case product("f64[] reduce(p0, p1), dimensions={0}, to_apply=mul", {"f64[2]", "f64[]"},
                     "mul {\n  a = f64[] parameter(0)\n  b = f64[] parameter(1)\n"
                     "  ROOT s = f64[] multiply(a, b)\n}\n");
  const auto f64 = [](double value) {
    return Literal::Scalar(ElementType::kF64, Element{EncodeFloat(ElementType::kF64, value)});
  };
  const auto explain = [&](double a, double b, double actual, const char* profile) {
    return product.Explain({Array(ElementType::kF64, {a, b}), f64(1)}, f64(actual), profile);
  };
  EXPECT_EQ(0x1.fffffffffffffp-1 * 0x1p-1022, 0x1p-1022);
  EXPECT_NE(explain(0x1.fffffffffffffp-1, 0x1p-1022, 0, "xla-cpu"), "wrong");
  EXPECT_NE(explain(0x1p-1022, 0x1.fffffffffffffp-1, 0, "xla-cpu"), "wrong");
  EXPECT_EQ(explain(0x1.fffffffffffffp-1, 0x1p-1022, 0, "golden"), "wrong");
  EXPECT_EQ(explain(1, 0x1p-1022, 0, "xla-cpu"), "wrong");
  EXPECT_EQ(explain(0x1.0000000001p0, 0x1p-1022, 0, "xla-cpu"), "wrong");
}

// Real parts that cancel as magnitudes: S of the real part is 2, not |1*1| - |1*1| = 0.
TEST(JudgeBounds, ComplexDotsCountBothProducts) {
  const Case dot("c64[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"c64[2]", "c64[2]"});
  Literal operand = Literal::Zeros(Shape(ElementType::kC64, {2}));
  const uint64_t one = EncodeFloat(ElementType::kF32, 1);
  operand.Set(0, Element{one, 0});
  operand.Set(1, Element{0, one});
  EXPECT_EQ(dot.Explain({operand, operand}, C64(0, 0)), "golden");
  EXPECT_EQ(dot.Explain({operand, operand}, C64(0x1p-24f, 0)), "reassociation");
  EXPECT_EQ(dot.Explain({operand, operand}, C64(0x1p-18f, 0)), "wrong");
}

// 1 + 2^-24 + 2^-24 is 1 + 2^-23, but 1 from the left. Rows that belong to no group are zero.
TEST(JudgeBounds, RaggedDotsAddInAnyOrder) {
  const Case dot(
      "f32[3,1] ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={0}, rhs_group_dims={0}",
      {"f32[3,3]", "f32[2,3,1]", "s64[2]"});
  Literal left = Literal::Zeros(Shape(ElementType::kF32, {3, 3})),
          right = Literal::Zeros(Shape(ElementType::kF32, {2, 3, 1})),
          sizes = Literal::Zeros(Shape(ElementType::kS64, {2}));
  for (int64_t i = 0; i < 9; ++i) {
    left.Set(i, Element{EncodeFloat(ElementType::kF32, i % 3 == 0 ? 1 : 0x1p-24)});
  }
  for (int64_t i = 0; i < 6; ++i) {
    right.Set(i, Element{EncodeFloat(ElementType::kF32, i < 3 ? 1 : 2)});
  }
  for (int64_t i = 0; i < 2; ++i) sizes.Set(i, Element{1});
  const float exact = 1 + 0x1p-23f;
  const auto explain = [&](float one, float two, float none, const char* profile = "cpu-strict") {
    Literal actual = F32({one, two, none}).WithShape(Shape(ElementType::kF32, {3, 1}));
    return dot.Explain({left, right, sizes}, actual, profile);
  };
  EXPECT_EQ(explain(exact, 2 * exact, 0), "golden");
  EXPECT_EQ(explain(1, 2, 0), "reassociation");
  EXPECT_EQ(explain(1, 2, 0, "golden"), "wrong");
  EXPECT_EQ(explain(1 - 0x1p-21f, 2 * exact, 0), "wrong");
  EXPECT_EQ(explain(exact, 2 * exact, 0x1p-149f), "wrong");
}

// The same with scales of 2 and 3 in blocks of two columns, and none for the right side.
TEST(JudgeBounds, ScaledDotsAddInAnyOrder) {
  const Case dot(
      "f32[1,1] scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      {"bf16[1,4]", "bf16[4,1]", "bf16[1,2]", "bf16[]"});
  const auto bf16 = [](std::vector<int64_t> sizes, const std::vector<double>& values) {
    Literal literal = Literal::Zeros(Shape(ElementType::kBF16, std::move(sizes)));
    for (size_t i = 0; i < values.size(); ++i) {
      literal.Set(static_cast<int64_t>(i), Element{EncodeFloat(ElementType::kBF16, values[i])});
    }
    return literal;
  };
  // 2 + 2^-23 + 3 2^-24 + 3 2^-24 is 2 + 2^-21; the error is (n + 2) u times that.
  const std::vector<Literal> operands = {bf16({1, 4}, {1, 0x1p-24, 0x1p-24, 0x1p-24}),
                                         bf16({4, 1}, {1, 1, 1, 1}), bf16({1, 2}, {2, 3}),
                                         bf16({}, {5})};
  const auto explain = [&](float value) {
    return dot.Explain(operands, F32({value}).WithShape(Shape(ElementType::kF32, {1, 1})),
                       "cpu-strict");
  };
  EXPECT_EQ(explain(2 + 0x1p-21f), "golden");
  EXPECT_EQ(explain(2), "reassociation");
  EXPECT_EQ(explain(2 + 0x1p-20f), "reassociation");
  EXPECT_EQ(explain(2 - 0x1p-21f), "wrong");
  EXPECT_EQ(explain(6), "wrong");
}

TEST(JudgeBounds, DotsAreBoundedByTheirProducts) {
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"f32[4]", "f32[4]"});
  // 64*32 - 64*31 + 8 - 8 = 64; magnitudes 2048 + 1984 + 16 = 4048.
  const std::vector<Literal> operands = {F32({64, -64, 8, 2}), F32({32, 31, 1, -4})};
  const double s = 4048, n = 4;
  const auto explain = [&](double error) { return dot.Explain(operands, Scalar(64 + error)); };
  EXPECT_EQ(explain(0), "golden");
  EXPECT_EQ(explain(n * kUnit * s), "reassociation");
  EXPECT_EQ(explain(-n * kUnit * s), "reassociation");
  EXPECT_EQ(explain((n + 4) * kUnit * s), "wrong");
}

// Decision structural_52. In f32 (2^24 + 1) - 2^24 is 0, exactly it is 1; n u S is
// 3 2^-24 (2^25 + 1), a little more than 6.
TEST(JudgeBounds, DotsMayAccumulateInANarrowerResult) {
  const std::string dot = "[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
  const std::vector<Literal> operands = {Array(ElementType::kF64, {0x1p24, 1, -0x1p24}),
                                         Array(ElementType::kF64, {1, 1, 1})};
  const auto scalar = [](ElementType type, double value) {
    return Literal::Scalar(type, Element{EncodeFloat(type, value)});
  };
  const Case narrow("f32" + dot, {"f64[3]", "f64[3]"});
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    EXPECT_EQ(narrow.Explain(operands, scalar(ElementType::kF32, 0), profile), "reassociation");
    EXPECT_EQ(narrow.Explain(operands, scalar(ElementType::kF32, 8), profile), "wrong");
  }
  EXPECT_EQ(narrow.Explain(operands, scalar(ElementType::kF32, 0), "golden"), "wrong");
  // A result of f16 is summed in f32 all the same.
  const Case narrower("f16" + dot, {"f64[3]", "f64[3]"});
  EXPECT_EQ(narrower.Explain(operands, scalar(ElementType::kF16, 0), "cpu-strict"),
            "reassociation");
  EXPECT_EQ(narrower.Explain(operands, scalar(ElementType::kF16, 8), "cpu-strict"), "wrong");
  const Case wide("f64" + dot, {"f64[3]", "f64[3]"});
  EXPECT_EQ(wide.Explain(operands, scalar(ElementType::kF64, 0)), "wrong");
}

// A unit that keeps 13 bits of sums and truncates: 1.03 n 2^-12 reaches 1 at 3977 terms. Nothing
// bounds the error of longer sums, of whatever size, and so no value is within a bound. 127
// roundings of sums of at most 128, each 2^-12, are 4.2, with their growth.
TEST(JudgeBounds, TruncatedSumsThatNothingBoundsAreNotJudgeable) {
  const auto profile = TargetProfile::FromText(
      "extends: \"cpu-strict\" accumulation { type: \"f64\" accumulator: \"f64\" factor: 1.03 "
      "bits: 13 truncating: true }",
      "truncating");
  ASSERT_TRUE(profile.ok()) << profile.status();
  const auto judged = [&](int64_t terms, double size, double value) {
    const Case sum("f64[] reduce(p0, p1), dimensions={0}, to_apply=add",
                   {absl::StrCat("f64[", terms, "]"), "f64[]"},
                   "add { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = add(a, b) }\n");
    std::vector<double> values(terms, size);
    for (int64_t i = 0; i < terms / 2; ++i) values[i] = -size;
    const auto scalar = [](double of) {
      return Array(ElementType::kF64, {of}).WithShape(Shape(ElementType::kF64, {}));
    };
    const std::vector<Literal> operands = {Array(ElementType::kF64, values), scalar(0)};
    const auto judgement =
        JudgeInstruction(sum.root(), operands, scalar(0), scalar(value), *profile,
                         [](const Module& module, absl::Span<const Literal> arguments) {
                           return Interpret(module, arguments);
                         });
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? judgement->verdict : Verdict::kExact;
  };
  for (const double size : {1.0, 1e300}) {
    EXPECT_EQ(judged(4096, size, 0), Verdict::kCorrectlyRounded);
    EXPECT_EQ(judged(4096, size, 3 * size), Verdict::kNotJudgeable);
    EXPECT_EQ(judged(128, size, 4 * size), Verdict::kAllowed);
    EXPECT_EQ(judged(128, size, 5 * size), Verdict::kWrong);
  }
}

// Each part of a complex product is a sum of two real ones, and all three may be flushed: here the
// imaginary part is 5.7e-39 + 9.2e-39.
TEST(JudgeBounds, PartsOfComplexProductsAreFlushed) {
  const Case dot("c64[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"c64[1]", "c64[1]"});
  Literal x = Literal::Zeros(Shape(ElementType::kC64, {1})), y = x;
  x.Set(0, C64(1.11002455e-19F, -3.42453905e-20F).Get(0));
  y.Set(0, C64(-2.67696352e-19F, 5.16263906e-20F).Get(0));
  EXPECT_NE(dot.Explain({x, y}, C64(-2.97149515e-38F, 0)), "wrong");
  EXPECT_EQ(dot.Explain({x, y}, C64(-2.97149515e-38F, 0), "cpu-strict"), "wrong");
  EXPECT_EQ(dot.Explain({x, y}, C64(-2.97149515e-38F, -3e-38F)), "wrong");
}

}  // namespace
}  // namespace assay::conformance
