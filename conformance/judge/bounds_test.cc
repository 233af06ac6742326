// Bounds of accumulations (accuracy_requirements.md 4): sums and transforms at the edge of their
// bound and beyond it. Dots and products: product_bounds_test.cc; logarithms of sums:
// log_sum_bounds_test.cc.
#include "conformance/judge/bounds.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

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

// Bin 1 of eight numbers takes four of them times the square root of 1/2. With 1.3 times the least
// normal number each product is a denormal, so that flushing returns 0 for 3.68 times that number.
TEST(JudgeBounds, TransformsMayLoseEveryTermThatIsFlushed) {
  const double least = 0x1p-126, x = 1.3 * least;
  const Literal terms = F32({0, x, 0, -x, 0, -x, 0, x});
  const Case rfft("c64[5] fft(p0), fft_type=RFFT, fft_length={8}", {"f32[8]"});
  Literal flushed = Literal::Zeros(Shape(ElementType::kC64, {5}));
  flushed.Set(3, rfft.Evaluate({&terms, 1})->Get(3));
  EXPECT_EQ(rfft.Explain({terms}, flushed), "within bound");
  EXPECT_EQ(rfft.Explain({terms}, flushed, "cpu-strict"), "wrong");
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
TEST(JudgeBounds, EveryPartIsLookedAtForInfinities) {
  for (const int64_t place : {int64_t{0}, int64_t{300}, int64_t{599}}) {
    Literal literal = Literal::Zeros(Shape(ElementType::kC64, {600}));
    EXPECT_TRUE(AllFinite({literal}));
    literal.Set(place, C64(0, kInf).Get(0));
    EXPECT_FALSE(AllFinite({literal})) << place;
    Literal real = Literal::Zeros(Shape(ElementType::kF32, {600}));
    real.Set(place, {EncodeFloat(ElementType::kF32, kNan)});
    EXPECT_FALSE(AllFinite({literal.WithShape(literal.shape()), real})) << place;
    EXPECT_FALSE(AllFinite({real})) << place;
  }
}

TEST(JudgeBounds, ValuesOfOverflowsHaveBothEnds) {
  OverflowValues values;
  EXPECT_FALSE(values.Hold(0));
  values.low = 1;
  values.high = 2;
  values.after = 7;
  for (const double inside : {1.0, 1.5, 2.0, 7.0}) EXPECT_TRUE(values.Hold(inside)) << inside;
  for (const double outside : {0.999, 2.001, 6.0}) EXPECT_FALSE(values.Hold(outside)) << outside;
}

// Under xla-cpu denormals of f32 count as zero, those of f16 do not.
TEST(JudgeBounds, MaximaOfDenormalsAreFlushedInTheTypesOfTheProfile) {
  for (const auto& [type, least, verdict] : {std::tuple{ElementType::kF32, 0x1p-140, "denormals"},
                                             std::tuple{ElementType::kF16, 0x1p-20, "wrong"}}) {
    const std::string name(Info(type).name);
    const Case maximum(absl::StrCat(name, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                       {absl::StrCat(name, "[2]"), absl::StrCat(name, "[]")},
                       absl::StrCat("f {\n  a = ", name, "[] parameter(0)\n  b = ", name,
                                    "[] parameter(1)\n  ROOT s = ", name, "[] maximum(a, b)\n}\n"));
    const std::vector<Literal> operands = {
        Array(type, {least, -1}), Literal::Scalar(type, Element{EncodeFloat(type, -INFINITY)})};
    EXPECT_EQ(maximum.Explain(operands, Literal::Scalar(type, Element{})), verdict) << name;
  }
}

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

// 4000 terms of f16 with a sum of magnitudes of 4 may be off by (1 + 2^-11)^4000 - 1 times that,
// which is below 30.
TEST(JudgeBounds, NarrowAccumulationOverManyTermsHasALimit) {
  std::vector<double> values(4000, 0x1p-10);
  for (size_t i = 0; i < 2000; ++i) values[i] = -0x1p-10;
  const Case sum("f16[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f16[4000]", "f16[]"},
                 Addition("f16"));
  const auto f16 = [](double value) {
    return Literal::Scalar(ElementType::kF16, Element{EncodeFloat(ElementType::kF16, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF16, values), f16(0)};
  EXPECT_EQ(sum.Explain(operands, f16(3)), "not judgeable");
  EXPECT_EQ(sum.Explain(operands, f16(30)), "wrong");
  EXPECT_EQ(sum.Explain(operands, f16(3), "cpu-strict"), "wrong");
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
