// Bounds of accumulations (accuracy_requirements.md 4): sums, products, dots and transforms at the
// edge of their bound and beyond it.
#include "conformance/judge/bounds.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::conformance {
namespace {

const double kUnit = std::ldexp(1.0, -24);  // unit roundoff of f32

std::string Addition(absl::string_view type) {
  return absl::StrCat("add {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT s = ", type, "[] add(a, b)\n}\n");
}

// |x| = sqrt(30), so |X| = sqrt(120) forward and sqrt(30 / 4) backward; log2(4N) = 4.
TEST(JudgeBounds, TransformsAreBoundedInTheNorm) {
  const Literal x = F32({1, 2, 3, 4});
  const Case rfft("c64[3] fft(p0), fft_type=RFFT, fft_length={4}", {"f32[4]"});
  const Case irfft("f32[4] fft(p0), fft_type=IRFFT, fft_length={4}", {"c64[3]"});
  const double radius = 258 * kUnit * std::sqrt(120.0);
  auto spectrum = rfft.Evaluate({&x, 1});
  ASSERT_TRUE(spectrum.ok());
  for (const double fraction : {0.98, 1.02}) {
    const std::string want = fraction < 1 ? "within bound" : "wrong";
    Literal moved = *spectrum;
    moved.Set(1, {EncodeFloat(ElementType::kF32, -2 + fraction * radius),
                  EncodeFloat(ElementType::kF32, 2)});
    EXPECT_EQ(rfft.Explain({x}, moved), want);
    // The norm of the whole spectrum, bounded by twice the squares of its half: 2 (100 + 8 + 4).
    const double back = 258 * kUnit * std::sqrt(2 * 112 / 4.0);
    EXPECT_EQ(irfft.Explain({*spectrum}, F32({1 + fraction * back, 2, 3, 4})), want);
  }
}

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

// n terms in any order err by at most (n-1) u sum|terms|, and the golden value by half an ulp
// (accuracy_requirements.md 4). Who grants no other order grants nothing.
TEST(JudgeBounds, SumsAreBoundedByTheirTerms) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f32[8]", "f32[]"},
                 Addition("f32"));
  // The sum is 1, that of magnitudes 2047.
  const Literal terms = F32({1024, -1023, 0, 0, 0, 0, 0, 0});
  const double s = 2047, n = 8;
  const auto explain = [&](double error, const char* profile = "xla-cpu") {
    return sum.Explain({terms, Scalar(0)}, Scalar(1 + error), profile);
  };
  EXPECT_EQ(explain(0), "golden");
  EXPECT_EQ(explain((n - 1) * kUnit * s), "reassociation");
  EXPECT_EQ(explain(-(n - 1) * kUnit * s), "reassociation");
  EXPECT_EQ(explain(n * kUnit * s), "wrong");
  EXPECT_EQ(explain(-n * kUnit * s), "wrong");
  EXPECT_EQ(explain(kUnit * s, "cpu-strict"), "reassociation");
  EXPECT_EQ(explain(kUnit * s, "golden"), "wrong");
  const Judgement judgement = sum.Judge({terms, Scalar(0)}, Scalar(1 + (n - 1) * kUnit * s));
  EXPECT_EQ(judgement.rule, "n u sum|terms|");
  EXPECT_GT(judgement.largest_fraction, 0.99);
  EXPECT_LE(judgement.largest_fraction, 1);
  const Judgement refused = sum.Judge({terms, Scalar(0)}, Scalar(1 + kUnit * s), "golden");
  ASSERT_EQ(refused.evidence.size(), 1u);
  EXPECT_EQ(refused.evidence[0].reason,
            "needs the permitted deviation reassociation, which golden does not grant");
}

// A running sum has the terms so far: 1 of magnitude 1024, in the end 8 of together 2047.
// One term is its own sum, and none the start value: the float below a power of two, half a unit
// from it, is another.
TEST(JudgeBounds, OneTermIsItsOwnSum) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f32[1]", "f32[]"},
                 Addition("f32"));
  EXPECT_EQ(sum.Explain({F32({1}), Scalar(0)}, Scalar(1)), "golden");
  EXPECT_EQ(sum.Explain({F32({1}), Scalar(0)}, Scalar(1 - 0x1p-24f)), "wrong");
  EXPECT_EQ(sum.Explain({F32({0.5}), Scalar(0.5)}, Scalar(1 - 0x1p-24f)), "reassociation");
}

TEST(JudgeBounds, RunningSumsAreBoundedByTheTermsSoFar) {
  const Case scan("(f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=run",
                  {"f32[8]", "f32[]"},
                  "run {\n  x = f32[] parameter(0)\n  c = f32[] parameter(1)\n"
                  "  s = f32[] add(c, x)\n  ROOT r = (f32[], f32[]) tuple(s, s)\n}\n");
  const std::vector<Literal> operands = {F32({1024, -1023, 0, 0, 0, 0, 0, 0}), Scalar(0)};
  const auto explain = [&](int64_t leaf, int64_t element, double value) {
    std::vector<Literal> leaves = Flatten(*scan.Evaluate(operands));
    leaves[leaf].Set(element, {EncodeFloat(ElementType::kF32, value)});
    return scan.Explain(operands, Unflatten(scan.root().shape(), leaves));
  };
  const double s = 2047;
  EXPECT_EQ(explain(0, 0, 1024), "golden");
  EXPECT_EQ(explain(0, 0, Step(1024, 1)), "wrong");
  // The last float within the bound of the exact sum, and the next.
  EXPECT_EQ(explain(0, 1, 1 + kUnit * (s - 1)), "reassociation");
  EXPECT_EQ(explain(0, 1, 1 + kUnit * (s + 1)), "wrong");
  EXPECT_EQ(explain(0, 7, 1 + 7 * kUnit * s), "reassociation");
  EXPECT_EQ(explain(1, 0, 1 - 7 * kUnit * s), "reassociation");
  EXPECT_EQ(explain(1, 0, 1 - 8 * kUnit * s), "wrong");
}

// The sum of magnitudes may lie beyond the type: 2000 halves of +-100 sum to 0, their magnitudes to
// 200000 > 65504. n u S = 2000 * 2^-11 * 2e5 = 195312 bounds any finite value.
TEST(JudgeBounds, BoundsOfSumsDoNotOverflow) {
  std::vector<double> values(2000, 100);
  for (size_t i = 0; i < 1000; ++i) values[i] = -100;
  const Case half("f16[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f16[2000]", "f16[]"},
                  Addition("f16"));
  const auto f16 = [](double value) {
    return Literal::Scalar(ElementType::kF16, Element{EncodeFloat(ElementType::kF16, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF16, values), f16(0)};
  EXPECT_EQ(half.Explain(operands, f16(3)), "reassociation");
  // In some order the terms overflow: infinities and NaN are admitted (ops_structural.md 14.2).
  EXPECT_EQ(half.Explain(operands, f16(kInf)), "reassociation");
  EXPECT_EQ(half.Explain(operands, f16(kNan)), "reassociation");
  // {60000, 60000, -60000}: golden 60000, an implementation that rounds each step gives inf.
  const Case three("f16[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f16[3]", "f16[]"},
                   Addition("f16"));
  const Literal large = Array(ElementType::kF16, {60000, 60000, -60000});
  EXPECT_EQ(three.Explain({large, f16(0)}, f16(kInf)), "reassociation");
  const Literal small = Array(ElementType::kF16, {20000, 20000, -20000});
  EXPECT_EQ(three.Explain({small, f16(0)}, f16(kInf)), "wrong");
  // An infinite term leaves nothing open.
  const Literal infinite = Array(ElementType::kF16, {kInf, 1, 2});
  EXPECT_EQ(three.Explain({infinite, f16(0)}, f16(60000)), "wrong");

  const Case wide("f32[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f32[32]", "f32[]"},
                  Addition("f32"));
  std::vector<double> huge(32, 3e37);
  for (size_t i = 0; i < 16; ++i) huge[i] = -3e37;
  // S = 9.6e38; (n-1) u S = 31 * 2^-24 * 9.6e38 = 1.8e33.
  EXPECT_EQ(wide.Explain({F32(huge), Scalar(0)}, Scalar(1.5e33)), "reassociation");
  EXPECT_EQ(wide.Explain({F32(huge), Scalar(0)}, Scalar(3e33)), "wrong");
}

// 2000 ones of f8e4m3fn exceed 448. Accumulation in the type itself (u = 2^-4) bounds nothing:
// what f32 accumulation does not explain is "not judgeable" (accuracy_requirements.md 4).
TEST(JudgeBounds, NarrowAccumulationOverManyTermsIsNotJudgeable) {
  std::vector<double> values(2000, 1);
  for (size_t i = 0; i < 995; ++i) values[i] = -1;
  const Case sum("f8e4m3fn[] reduce(p0, p1), dimensions={0}, to_apply=add",
                 {"f8e4m3fn[2000]", "f8e4m3fn[]"}, Addition("f8e4m3fn"));
  const auto f8 = [](double value) {
    return Literal::Scalar(ElementType::kF8E4M3FN,
                           Element{EncodeFloat(ElementType::kF8E4M3FN, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF8E4M3FN, values), f8(0)};
  EXPECT_EQ(sum.Explain(operands, f8(10)), "golden");
  // f32 accumulation gives 10 and nothing else: the exact sum counts, not the rounded golden one.
  EXPECT_EQ(sum.Explain(operands, f8(11)), "not judgeable");
  EXPECT_EQ(sum.Explain(operands, f8(11), "cpu-strict"), "wrong");
  EXPECT_EQ(sum.Explain(operands, f8(14)), "not judgeable");
}

// The selection looks at the values; only what is scattered counts as a term. Two terms of together
// 1 may be off by a unit roundoff, which is a step downwards and half a step upwards.
TEST(JudgeBounds, SelectAndScatterSelectsByTheValues) {
  const Case pool("f32[4] select-and-scatter(p0, p1, p2), window={size=4}, select=ge, scatter=add",
                  {"f32[4]", "f32[1]", "f32[]"},
                  absl::StrCat("ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                               "  ROOT c = pred[] compare(a, b), direction=GE\n}\n",
                               Addition("f32")));
  // -1 is the largest; by magnitude it would be -9.
  const std::vector<Literal> operands = {F32({-9, -1, -3, -2}), F32({0.75}), Scalar(0.25)};
  EXPECT_EQ(pool.Explain(operands, F32({0.25, 1, 0.25, 0.25})), "golden");
  EXPECT_EQ(pool.Explain(operands, F32({0.25, Step(1, -1), 0.25, 0.25})), "reassociation");
  EXPECT_EQ(pool.Explain(operands, F32({0.25, Step(1, 1), 0.25, 0.25})), "wrong");
}

// Cells that several windows select take what is scattered in any order (5.4): 10 a + x gives 45 or
// 54. An exponential has its budget there as elsewhere.
TEST(JudgeBounds, SelectAndScatterWithItsOwnComputation) {
  const auto pool = [](const char* steps) {
    return Case("f32[3] select-and-scatter(p0, p1, p2), window={size=2}, select=ge, scatter=f",
                {"f32[3]", "f32[2]", "f32[]"},
                absl::StrCat("ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                             "  ROOT c = pred[] compare(a, b), direction=GE\n}\n"
                             "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n",
                             steps, "}\n"));
  };
  const Case digits = pool(
      "  ten = f32[] constant(10)\n  c = f32[] multiply(a, ten)\n  ROOT r = f32[] add(c, b)\n");
  const std::vector<Literal> operands = {F32({1, 9, 3}), F32({4, 5}), Scalar(0)};
  EXPECT_EQ(digits.Explain(operands, F32({0, 45, 0})), "golden");
  EXPECT_EQ(digits.Explain(operands, F32({0, 54, 0})), "not judgeable");
  EXPECT_EQ(digits.Explain(operands, F32({0, 54, 0}), "golden"), "wrong");
  const Case exponential = pool("  c = f32[] exponential(b)\n  ROOT r = f32[] maximum(a, c)\n");
  const float e5 = std::exp(5.0F);
  EXPECT_EQ(exponential.Explain(operands, F32({0, e5, 0})), "golden");
  EXPECT_EQ(exponential.Explain(operands, F32({0, Step(e5, 1), 0})), "not judgeable");
  EXPECT_EQ(exponential.Explain(operands, F32({0, Step(e5, 1), 0}), "golden"), "wrong");
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
  EXPECT_NEAR(golden, 5.08079, 1e-5);
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

// ops_structural.md 5.1: of a reducer that is not associative and commutative only golden's order
// is judged; of one that chooses among its elements something is known (order_freedoms_test.cc).
TEST(JudgeBounds, ReducersOfOnesOwnHaveNoBound) {
  const Case digits("s32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"s32[3]", "s32[]"},
                    "f {\n  a = s32[] parameter(0)\n  x = s32[] parameter(1)\n"
                    "  ten = s32[] constant(10)\n  s = s32[] multiply(a, ten)\n"
                    "  ROOT r = s32[] add(s, x)\n}\n");
  const auto s32 = [](std::vector<uint64_t> values, const Dimensions& sizes) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, sizes));
    for (size_t i = 0; i < values.size(); ++i) literal.Set(static_cast<int64_t>(i), {values[i]});
    return literal;
  };
  const std::vector<Literal> operands = {s32({1, 2, 3}, {3}), s32({9}, {})};
  EXPECT_EQ(digits.Explain(operands, s32({9123}, {})), "golden");
  EXPECT_EQ(digits.Explain(operands, s32({9321}, {}), "cpu-strict"), "not judgeable");
  EXPECT_EQ(digits.Explain(operands, s32({9321}, {}), "golden"), "wrong");
  const Judgement judgement = digits.Judge(operands, s32({9321}, {}));
  ASSERT_EQ(judgement.reasons.size(), 1u);
  EXPECT_EQ(judgement.reasons[0],
            "its own reducer has no bound: elements may be folded in any order");
}

// log(e^0 + e^0 + ... ) of 8 zeros is log 8 = 2.0794415. Of 8 steps each errs by 0.28 u, half of
// what the exponential does (2 ulp: 4 u), log 2 of what the logarithm does (4 u) and u (log 8 + 1):
// 9 u.
TEST(JudgeBounds, SumsOfExponentialsByTheirLogarithms) {
  const auto fold = [](const char* guarded) {
    return Case("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[8]", "f32[]"},
                absl::StrCat("f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                             "  m = f32[] maximum(a, b)\n  d = f32[] subtract(a, b)\n"
                             "  n = pred[] compare(d, d), direction=NE\n  s = f32[] add(a, b)\n"
                             "  g = f32[] abs(d)\n  h = f32[] negate(g)\n"
                             "  e = f32[] exponential(h)\n  l = f32[] log-plus-one(e)\n"
                             "  t = f32[] add(m, l)\n  ROOT r = f32[] ",
                             guarded, "\n}\n"));
  };
  const Case sum = fold("select(n, s, t)");
  const std::vector<Literal> zeros = {F32(std::vector<double>(8, 0)), Scalar(-kInf)};
  const double log8 = 2.0794415416798357;
  const auto explain = [&](double steps, const char* profile) {
    return sum.Explain(zeros, Scalar(log8 + steps * kUnit), profile);
  };
  EXPECT_EQ(explain(0, "golden"), "golden");
  for (const double sign : {1, -1}) {
    EXPECT_EQ(explain(sign * 40, "cpu-strict"), "reassociation");
    EXPECT_EQ(explain(sign * 80, "cpu-strict"), "wrong");
    EXPECT_EQ(explain(sign * 40, "golden"), "wrong");
  }
  EXPECT_EQ(sum.Explain(zeros, Scalar(kNan)), "wrong");
  EXPECT_EQ(sum.Explain(zeros, Scalar(-kInf)), "wrong");
  // What counts nothing changes nothing; what is infinite hides the rest.
  const std::vector<Literal> some = {F32({3, -kInf, -kInf, -kInf, -kInf, -kInf, -kInf, -kInf}),
                                     Scalar(-kInf)};
  EXPECT_EQ(sum.Explain(some, Scalar(3)), "golden");
  EXPECT_EQ(sum.Explain(some, Scalar(3.01)), "wrong");
  const std::vector<Literal> infinite = {F32({3, 4, kInf, 1, 1, 1, 1, 1}), Scalar(-kInf)};
  EXPECT_EQ(sum.Explain(infinite, Scalar(5)), "not judgeable");
  // Without the test of the difference -inf and -inf give NaN, and the order counts: of elements,
  // or of a start value that counts twice.
  const Case open = fold("add(m, l)");
  EXPECT_EQ(open.Explain(zeros, Scalar(log8 + 40 * kUnit), "cpu-strict"), "reassociation");
  EXPECT_EQ(open.Explain(zeros, Scalar(log8 + 80 * kUnit), "cpu-strict"), "wrong");
  EXPECT_EQ(open.Explain(zeros, Scalar(kNan), "cpu-strict"), "wrong");
  EXPECT_EQ(open.Explain(zeros, Scalar(kNan)), "implementation_defined");
  EXPECT_EQ(open.Explain(some, Scalar(3.01)), "not judgeable");
}

// What a fold makes of floats in a random tree of a random order.
template <typename Value, typename Fold>
Value FoldAnyhow(std::vector<Value> values, std::mt19937& random, Fold fold) {
  while (values.size() > 1) {
    const size_t i = random() % values.size();
    const Value one = values[i];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
    Value& other = values[random() % values.size()];
    other = random() % 2 == 0 ? fold(one, other) : fold(other, one);
  }
  return values[0];
}

// A function of cpu-strict, whose budget is 2 ulp.
float Off(double value, std::mt19937& random) {
  const double steps = 1.4 * (2.0 * static_cast<double>(random() % 1000) / 999 - 1);
  return static_cast<float>(value + steps * UlpOf(ElementType::kF32, value));
}

constexpr int kElements = 16;

std::vector<double> RandomValues(std::mt19937& random, double low, double high) {
  std::uniform_real_distribution<float> value(static_cast<float>(low), static_cast<float>(high));
  std::vector<double> values(kElements);
  for (double& each : values) each = value(random);
  return values;
}

// Each way to write a step, in any order, with functions off by their budgets.
TEST(JudgeBounds, StepsOfLogSumsInAnyOrder) {
  const std::string largest = "  m = f32[] maximum(a, b)\n", less = "  s = f32[] minimum(a, b)\n";
  const std::string forms[] = {
      largest + less +
          "  d = f32[] subtract(s, m)\n  e = f32[] exponential(d)\n"
          "  l = f32[] log-plus-one(e)\n  ROOT r = f32[] add(l, m)\n",
      largest +
          "  c = f32[] subtract(a, m)\n  d = f32[] subtract(b, m)\n  e = f32[] exponential(c)\n"
          "  f = f32[] exponential(d)\n  s = f32[] add(e, f)\n  l = f32[] log(s)\n"
          "  ROOT r = f32[] add(m, l)\n",
      "  e = f32[] exponential(a)\n  f = f32[] exponential(b)\n  s = f32[] add(e, f)\n"
      "  ROOT r = f32[] log(s)\n"};
  std::mt19937 random(3);
  for (int form = 0; form < 3; ++form) {
    const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[16]", "f32[]"},
                   absl::StrCat("f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n",
                                forms[form], "}\n"));
    const auto step = [&](float a, float b) {
      const float m = std::max(a, b), s = std::min(a, b);
      const auto exponential = [&](float x) { return Off(std::exp(double{x}), random); };
      if (form == 0) return m + Off(std::log1p(double{exponential(s - m)}), random);
      if (form == 2) return Off(std::log(double{exponential(a) + exponential(b)}), random);
      return m + Off(std::log(double{exponential(a - m) + exponential(b - m)}), random);
    };
    for (int run = 0; run < Scheduled(300); ++run) {
      const std::vector<double> values = RandomValues(random, -5, 5);
      const std::vector<Literal> operands = {F32(values), Scalar(-kInf)};
      const float result =
          FoldAnyhow(std::vector<float>(values.begin(), values.end()), random, step);
      const std::string said = sum.Explain(operands, Scalar(result), "cpu-strict");
      EXPECT_TRUE(said == "golden" || said == "reassociation") << form << " " << said;
      // A planted error, some hundred units in the last place of at most 8, which 16 steps do not
      // make.
      EXPECT_EQ(sum.Explain(operands, Scalar(result + 0x1p-13), "cpu-strict"), "wrong") << form;
      EXPECT_EQ(sum.Explain(operands, Scalar(kNan), "cpu-strict"), "wrong") << form;
    }
    // The exponential of 100 overflows.
    const std::vector<Literal> large = {F32(std::vector<double>(kElements, 100)), Scalar(-kInf)};
    EXPECT_EQ(sum.Explain(large, Scalar(105), "cpu-strict"), form == 2 ? "not judgeable" : "wrong");
  }
}

// The pair of a softmax in one pass: the maximum exactly, and the sum that it scales.
TEST(JudgeBounds, SumsScaledByTheirMaximumInAnyOrder) {
  const Case pair(
      "(f32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f",
      {"f32[16]", "f32[16]", "f32[]", "f32[]"},
      "f {\n  m1 = f32[] parameter(0)\n  v1 = f32[] parameter(1)\n  m2 = f32[] parameter(2)\n"
      "  v2 = f32[] parameter(3)\n  m = f32[] maximum(m1, m2)\n  d1 = f32[] subtract(m1, m)\n"
      "  d2 = f32[] subtract(m2, m)\n  e1 = f32[] exponential(d1)\n"
      "  e2 = f32[] exponential(d2)\n  t1 = f32[] multiply(v1, e1)\n"
      "  t2 = f32[] multiply(e2, v2)\n  s = f32[] add(t1, t2)\n"
      "  ROOT r = (f32[], f32[]) tuple(m, s)\n}\n");
  std::mt19937 random(4);
  for (int run = 0; run < Scheduled(500); ++run) {
    const double spread = run % 2 == 0 ? 5 : 120;
    const std::vector<double> exponents = RandomValues(random, -spread, spread);
    const std::vector<double> sums = RandomValues(random, run % 3 == 0 ? -2 : 0.5, 2);
    std::vector<std::pair<float, float>> values;
    for (int i = 0; i < kElements; ++i) values.emplace_back(exponents[i], sums[i]);
    const auto [m, s] = FoldAnyhow(values, random, [&](auto x, auto y) {
      const float most = std::max(x.first, y.first);
      const auto scale = [&](float exponent) {
        return Off(std::exp(double{exponent - most}), random);
      };
      return std::make_pair(most, x.second * scale(x.first) + y.second * scale(y.first));
    });
    const std::vector<Literal> operands = {F32(exponents), F32(sums), Scalar(-kInf), Scalar(0)};
    const auto explain = [&](double exponent, double sum, const char* profile = "cpu-strict") {
      return pair.Explain(operands, Literal::Tuple({Scalar(exponent), Scalar(sum)}), profile);
    };
    const std::string said = explain(m, s);
    EXPECT_TRUE(said == "golden" || said == "reassociation") << said;
    EXPECT_EQ(explain(m, s + 0.002), "wrong");
    EXPECT_EQ(explain(Step(m, 1), s), "wrong");
    EXPECT_EQ(explain(m, kNan), "wrong");
    EXPECT_EQ(explain(m, kNan, "xla-cpu"), "implementation_defined");
  }
}

// exp(1) + 1 is 3.718: nothing about the element 80 makes 1e20 right.
TEST(JudgeBounds, RegionsThatMayDifferHaveNoBound) {
  const Case map("f32[2] map(p0), dimensions={0}, to_apply=f", {"f32[2]"},
                 "f {\n  a = f32[] parameter(0)\n  b = f32[] exponential(a)\n"
                 "  ROOT s = f32[] add(b, a)\n}\n");
  const std::vector<Literal> operands = {F32({1, 80})};
  const double large = DecodeFloat(ElementType::kF32, map.Evaluate(operands)->Get(1).bits);
  EXPECT_EQ(map.Explain(operands, F32({1e20, large}), "cpu-strict"), "not judgeable");
  EXPECT_EQ(map.Explain(operands, F32({1e20, large}), "golden"), "wrong");
  const Case exact("f32[2] map(p0), dimensions={0}, to_apply=f", {"f32[2]"},
                   "f {\n  a = f32[] parameter(0)\n  ROOT s = f32[] add(a, a)\n}\n");
  EXPECT_EQ(exact.Explain({F32({1, 80})}, F32({1e20, 160})), "wrong");
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

// The imaginary part is 2^20, whose last place is farther than what the sum errs by: golden's own
// rounding of that part counts.
TEST(JudgeBounds, EitherPartOfAComplexSumIsRounded) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=add", {"c64[2]", "c64[]"},
                 "add {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {2}));
  terms.Set(0, Element{EncodeFloat(ElementType::kF32, 0), EncodeFloat(ElementType::kF32, 1)});
  terms.Set(1, Element{EncodeFloat(ElementType::kF32, 0), EncodeFloat(ElementType::kF32, 0x1p-24)});
  // 1 + 2^-24 is half way between two numbers; the sum may err by u and is rounded.
  EXPECT_EQ(sum.Explain({terms, C64(0, 0)}, C64(0, 1)), "golden");
  EXPECT_EQ(sum.Explain({terms, C64(0, 0)}, C64(0, 1 + 0x1p-23f)), "reassociation");
  EXPECT_EQ(sum.Explain({terms, C64(0, 0)}, C64(0, 1 + 0x1p-21f)), "wrong");
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

TEST(JudgeBounds, MaximaAreNoSums) {
  const Case maximum("f32[] reduce(p0, p1), dimensions={0}, to_apply=max", {"f32[2]", "f32[]"},
                     "max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT s = f32[] maximum(a, b)\n}\n");
  EXPECT_EQ(maximum.Explain({F32({1, 2}), Scalar(0)}, Scalar(Step(2, 1))), "wrong");
}

// multiply: 8 ulp of the magnitude, in each part.
TEST(JudgeBounds, ComplexBoundsAreNormwise) {
  const Case product("c64[] multiply(p0, p1)", {"c64[]", "c64[]"});
  // (1 + 2^-12 i)(1 + 0i): magnitude in the binade of 1, whose ulp is 2^-23.
  const std::vector<Literal> operands = {C64(1, 0x1p-12f), C64(1, 0)};
  const float ulp = 0x1p-23f;
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-12f)), "golden");
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-12f + 8 * ulp)), "within bound");
  EXPECT_EQ(product.Explain(operands, C64(1 + 8 * ulp, 0x1p-12f)), "within bound");
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-12f + 9 * ulp)), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(1 + 9 * ulp, 0x1p-12f)), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(1, kNan)), "wrong");
}

}  // namespace
}  // namespace assay::conformance
