// Intervals worked out by hand from the profile's budgets, rule by rule.
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

TEST_F(EnclosureTest, LinesOfTypesAreInOrder) {
  for (const ElementType type :
       {ElementType::kF8E4M3FN, ElementType::kF8E4M3FNUZ, ElementType::kF8E8M0FNU,
        ElementType::kF8E5M2, ElementType::kF4E2M1FN, ElementType::kS8, ElementType::kU8}) {
    const Line line(type);
    int64_t values = 0;
    for (int64_t ordinal = line.least(); ordinal <= line.greatest(); ++ordinal) {
      const uint64_t bits = line.Bits(ordinal);
      ASSERT_EQ(line.Ordinal(bits), ordinal) << Name(type);
      ASSERT_FALSE(line.IsNan(bits)) << Name(type);
      if (IsFloat(type)) {
        ASSERT_FALSE(IsNan(type, bits)) << Name(type) << " " << bits;
        if (ordinal > line.least()) {
          EXPECT_LE(DecodeFloat(type, line.Bits(ordinal - 1)), DecodeFloat(type, bits));
        }
      }
      ++values;
    }
    int64_t wanted = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << Info(type).bits; ++bits) {
      const bool nan = IsFloat(type) && IsNan(type, bits);
      EXPECT_EQ(line.IsNan(bits), nan) << Name(type) << " " << bits;
      if (!nan) ++wanted;
    }
    EXPECT_EQ(values, wanted) << Name(type);
  }
}

TEST_F(EnclosureTest, RoundedOperationsOnValuesArePoints) {
  const BoxTree sum =
      Of("a = f32[2] parameter(0)\n ROOT r = f32[2] add(a, a)", {F32({1, 2.5})}, "golden");
  EXPECT_TRUE(sum.is_point());
  EXPECT_EQ(Low(sum, 1), 5);
}

TEST_F(EnclosureTest, FunctionsAreAsWideAsTheirBudget) {
  // exponential: 7 ulp (level C) around e, whose ulp is 2^-22; half an ulp for the golden one.
  const BoxTree exp = Of("a = f32[1] parameter(0)\n ROOT r = f32[1] exponential(a)", {F32({1})});
  const float e = 2.71828175f, ulp = 0x1p-22f;
  EXPECT_GE(High(exp), e + 7 * ulp);
  EXPECT_LE(High(exp), e + 10 * ulp);
  EXPECT_LE(Low(exp), e - 7 * ulp);
  EXPECT_GE(Low(exp), e - 20 * ulp);
  const Literal golden = F32({e});
  EXPECT_EQ(Judged(exp, golden, golden), Verdict::kCorrectlyRounded);
  EXPECT_EQ(Judged(exp, golden, F32({e + 7 * ulp})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(exp, golden, F32({e + 11 * ulp})), Verdict::kWrong);
  EXPECT_EQ(Judged(exp, golden, F32({NAN})), Verdict::kWrong);
  // No budget in golden.
  EXPECT_TRUE(Of("a = f32[1] parameter(0)\n ROOT r = f32[1] exponential(a)", {F32({1})}, "golden")
                  .is_point());
}

// What an instruction asks for itself counts in place of the profile's budget: a hundredth of e, or
// with HIGHEST no more than level B allows.
TEST_F(EnclosureTest, ResultAccuracyIsTheInstructionsOwn) {
  const auto exp = [&](const char* accuracy, const char* profile) {
    return Of(absl::StrCat("a = f32[1] parameter(0)\n ROOT r = f32[1] exponential(a), "
                           "result_accuracy={",
                           accuracy, "}"),
              {F32({1})}, profile);
  };
  const float e = 2.71828175f, ulp = 0x1p-22f;
  const std::string hundredth = "tolerance={atol=0,rtol=0.01,ulps=0}";
  for (const char* profile : {"golden", "xla-cpu"}) {
    const BoxTree box = exp(hundredth.c_str(), profile);
    EXPECT_LE(Low(box), e * 0.9900001f);
    EXPECT_GE(High(box), e * 1.0099999f);
    EXPECT_GE(Low(box), e * 0.9899f);
    EXPECT_LE(High(box), e * 1.0101f);
  }
  // Two ulps, and one for what is not rounded.
  const BoxTree highest = exp("mode=highest", "xla-cpu");
  EXPECT_EQ(High(highest), e + 3 * ulp);
  EXPECT_EQ(Low(highest), e - 3 * ulp);
}

// exp(x) + x element by element: 80 makes the element 1 no wider. A computation that does more
// than arithmetic is not followed.
TEST_F(EnclosureTest, MapsAreTheirComputations) {
  const std::string region =
      "f {\n a = f32[] parameter(0)\n b = f32[] exponential(a)\n c = f32[] constant(2)\n"
      " d = f32[] multiply(a, c)\n ROOT s = f32[] add(b, d)\n}\n";
  const std::string map =
      "a = f32[2] parameter(0)\n ROOT r = f32[2] map(a), dimensions={0}, to_apply=f";
  const BoxTree box = Of(map, {F32({1, 80})}, "cpu-strict", region);
  // The exponential by two ulps of 2^-22, the sum is rounded to multiples of 2^-21.
  const float sum = 4.71828175f, ulp = 0x1p-22f;
  EXPECT_LE(Low(box), sum - 2 * ulp);
  EXPECT_GE(Low(box), sum - 4 * ulp);
  EXPECT_GE(High(box), sum + 2 * ulp);
  EXPECT_LE(High(box), sum + 4 * ulp);
  EXPECT_TRUE(Of(map, {F32({1, 80})}, "golden", region).is_point());
  const BoxTree open = Of(map, {F32({1, 80})}, "cpu-strict",
                          "g {\n x = f32[] parameter(0)\n ROOT y = f32[] exponential(x)\n}\n"
                          "f {\n a = f32[] parameter(0)\n ROOT s = f32[] call(a), to_apply=g\n}\n");
  EXPECT_EQ(Judged(open, F32({2.71828175f, 0}), F32({-5, 0})), Verdict::kNotJudgeable);
}

// No budget leads out of a function's range.
TEST_F(EnclosureTest, FunctionsStayInTheirRange) {
  const auto of = [&](const std::string& function, float x) {
    return Of(absl::StrCat("a = f32[1] parameter(0)\n ROOT r = f32[1] ", function, "(a)"),
              {F32({x})}, "cpu-strict");
  };
  EXPECT_EQ(High(of("tanh", 20)), 1);
  EXPECT_EQ(High(of("sine", 1.57079637f)), 1);
  EXPECT_EQ(High(of("logistic", 50)), 1);
  EXPECT_EQ(Low(of("cosh", 1e-6f)), 1);
}

// Zeros of either sign and flushed denormals, only where a profile grants them.
// log1p(expm1(100)) is infinite: a target that returns 100 has cancelled the two.
TEST_F(EnclosureTest, WhatIsInfiniteForCertainStaysInfinite) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const std::string cancels =
      " x = f32[2] parameter(0)\n e = f32[2] exponential-minus-one(x)\n"
      " ROOT r = f32[2] log-plus-one(e)\n";
  const Literal x = F32({100, 1}), golden = F32({kInfinite, 1});
  const BoxTree tree = Of(cancels, {x}, "cpu-strict");
  EXPECT_EQ(Low(tree), kInfinite);
  EXPECT_EQ(Judged(tree, golden, x), Verdict::kWrong);
  EXPECT_NE(Judged(tree, golden, golden), Verdict::kWrong);
  // Values of a wider type may be kept.
  EXPECT_LT(Low(Of(cancels, {x}, "xla-cpu")), kInfinite);

  const auto ends = [&](const std::string& function, float operand) {
    const BoxTree box =
        Of(absl::StrCat(" x = f32[1] parameter(0)\n y = f32[1] constant({128})\n ROOT f = f32[1] ",
                        function, "\n"),
           {F32({operand})}, "cpu-strict");
    return std::pair(Low(box), High(box));
  };
  const std::pair plus(kInfinite, kInfinite), minus(-kInfinite, -kInfinite);
  EXPECT_EQ(ends("exponential(x)", 90), plus);
  EXPECT_EQ(ends("cosh(x)", -90), plus);
  EXPECT_EQ(ends("sinh(x)", 90), plus);
  EXPECT_EQ(ends("sinh(x)", -90), minus);
  EXPECT_EQ(ends("power(x, y)", 2.5), plus);
  EXPECT_EQ(ends("log(x)", 0), minus);
  // 2^128 is half a unit beyond the largest value, which the budget reaches.
  EXPECT_LT(ends("power(x, y)", 2).first, kInfinite);
  EXPECT_EQ(ends("power(x, y)", 2).second, kInfinite);
}

// The bitcast of an integer may be a denormal, which a target may read as zero.
// A sort that is not stable may exchange zeros, whose reciprocal roots are both infinities.
TEST_F(EnclosureTest, ZerosOfBothSignsAreNoSinglePole) {
  const std::string order =
      "o {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT c = pred[] compare(a, b), direction=LT\n}\n";
  const BoxTree roots =
      Of(" x = f32[2] parameter(0)\n"
         " s = f32[2] sort(x), dimensions={0}, to_apply=o\n"
         " ROOT r = f32[2] rsqrt(s)",
         {F32({0, -0.0F})}, "cpu", order);
  for (const int i : {0, 1}) {
    EXPECT_EQ(Low(roots, i), -HUGE_VALF);
    EXPECT_EQ(High(roots, i), HUGE_VALF);
  }
  const BoxTree one = Of(" x = f32[1] parameter(0)\n ROOT r = f32[1] rsqrt(x)", {F32({0})}, "cpu");
  EXPECT_EQ(Low(one), HUGE_VALF);
}

TEST_F(EnclosureTest, BitcastsOfIntegersMayBeFlushed) {
  Literal one = Literal::Zeros(Shape(ElementType::kS32, {1}));
  one.Set(0, {1, 0});
  const BoxTree box =
      Of("a = s32[1] parameter(0)\n b = f32[1] bitcast(a)\n c = f32[1] copy(b)\n"
         " ROOT r = f32[1] sqrt(c)\n",
         {one}, "xla-cpu");
  EXPECT_LE(Low(box), 0);
  EXPECT_GT(High(box), 0);
}

TEST_F(EnclosureTest, FreedomsThatAreNotGrantedWidenNothing) {
  const std::string body = "a = f32[2] parameter(0)\n b = f32[2] parameter(1)\n ROOT r = f32[2] ";
  const std::vector<Literal> zeros = {F32({1, -2}), F32({-1, 2})};
  EXPECT_TRUE(Of(body + "add(a, b)", zeros, "golden").is_point());
  EXPECT_FALSE(Of(body + "add(a, b)", zeros, "cpu-strict").is_point());
  const std::vector<Literal> denormals = {F32({1e-40f, 1e-39f}), F32({4, 8})};
  EXPECT_TRUE(Of(body + "multiply(a, b)", denormals, "cpu-strict").is_point());
  EXPECT_FALSE(Of(body + "multiply(a, b)", denormals, "xla-cpu").is_point());
}

TEST_F(EnclosureTest, WidthsGrowThroughOperations) {
  // 1 / (e - 2.718): the error of e of 7 ulp (2^-22) is amplified by 1 / 0.00028^2.
  const BoxTree box =
      Of("a = f32[1] parameter(0)\n c = f32[1] parameter(1)\n d = f32[1] parameter(2)\n"
         "x = f32[1] exponential(a)\n y = f32[1] subtract(x, c)\n ROOT r = f32[1] divide(d, y)",
         {F32({1}), F32({2.718f}), F32({1})});
  const double distance = 2.71828182845904 - static_cast<double>(2.718f);
  EXPECT_LE(Low(box), 1 / (distance + 7 * 0x1p-22));
  EXPECT_GE(High(box), 1 / (distance - 7 * 0x1p-22));
  EXPECT_LE(High(box) - Low(box), 4 * 7 * 0x1p-22 / (distance * distance) * 1.1);
}

TEST_F(EnclosureTest, ADivisorThatMayBeZeroLetsGo) {
  const BoxTree box =
      Of("a = f32[1] parameter(0)\n x = f32[1] exponential(a)\n one = f32[1] parameter(1)\n"
         "y = f32[1] subtract(x, one)\n ROOT r = f32[1] divide(one, y)",
         {F32({0}), F32({1})});
  const Literal golden = F32({INFINITY});
  EXPECT_EQ(Judged(box, golden, F32({-12345})), Verdict::kNotJudgeable);
  EXPECT_EQ(Judged(box, golden, golden), Verdict::kCorrectlyRounded);
}

TEST_F(EnclosureTest, ComparisonsAreCertainOutsideTheInterval) {
  const std::string body =
      "a = f32[2] parameter(0)\n b = f32[2] parameter(1)\n x = f32[2] exponential(a)\n"
      "ROOT c = pred[2] compare(x, b), direction=LT";
  const BoxTree box = Of(body, {F32({1, 1}), F32({2.71828175f, 2.72f})});
  EXPECT_EQ(box.box().low.Get(0).bits, 0u);
  EXPECT_EQ(box.box().high.Get(0).bits, 1u);
  EXPECT_EQ(box.box().low.Get(1).bits, 1u);
  ASSERT_NE(box.open(), nullptr);
  EXPECT_EQ(box.open()->name(), "c");
}

TEST_F(EnclosureTest, ASelectTakesBothArmsWhereItsPredicateIsOpen) {
  const BoxTree box =
      Of("a = f32[2] parameter(0)\n b = f32[2] parameter(1)\n x = f32[2] exponential(a)\n"
         "c = pred[2] compare(x, b), direction=LT\n l = f32[2] parameter(2)\n"
         "r = f32[2] parameter(3)\n ROOT s = f32[2] select(c, l, r)",
         {F32({1, 1}), F32({2.71828175f, 2.72f}), F32({1, 2}), F32({3, 4})});
  EXPECT_EQ(Low(box, 0), 1);
  EXPECT_EQ(High(box, 0), 3);
  EXPECT_EQ(Low(box, 1), 2);
  EXPECT_EQ(High(box, 1), 2);
}

TEST_F(EnclosureTest, ALoopWhoseEndIsOpenNamesTheComparison) {
  const std::string computations =
      "cond { s = (f32[], f32[]) parameter(0)\n x = f32[] get-tuple-element(s), index=0\n"
      " l = f32[] get-tuple-element(s), index=1\n ROOT less = pred[] compare(x, l), direction=LT "
      "}\n"
      "body { s = (f32[], f32[]) parameter(0)\n x = f32[] get-tuple-element(s), index=0\n"
      " l = f32[] get-tuple-element(s), index=1\n y = f32[] exponential(x)\n"
      " ROOT t = (f32[], f32[]) tuple(y, l) }\n";
  auto scalar = [](float value) {
    return Literal::Scalar(ElementType::kF32, Element{EncodeFloat(ElementType::kF32, value)});
  };
  const std::string body =
      "a = f32[] parameter(0)\n b = f32[] parameter(1)\n t = (f32[], f32[]) tuple(a, b)\n"
      "w = (f32[], f32[]) while(t), condition=cond, body=body\n"
      "ROOT r = f32[] get-tuple-element(w), index=0";
  // 0, 1, e, e^e = 15.15: ends for certain with a limit of 3.
  const BoxTree closed = Of(body, {scalar(0), scalar(3)}, "xla-cpu", computations);
  EXPECT_EQ(closed.open(), nullptr);
  // A target may be off by 7 units in every iteration but the first, whose exp(0) is exact, in one
  // direction; the ends are by 8 (one for excess precision), and golden rounds.
  const auto reached = [](double units) {
    const double second = std::exp(1.0) + units * 0x1p-22;
    return std::exp(second) + units * 0x1p-20;
  };
  EXPECT_LE(Low(closed), reached(-7));
  EXPECT_GE(Low(closed), reached(-8.5));
  EXPECT_GE(High(closed), reached(7));
  EXPECT_LE(High(closed), reached(8.5));
  const BoxTree open = Of(body, {scalar(0), scalar(2.71828175f)}, "xla-cpu", computations);
  ASSERT_NE(open.open(), nullptr);
  EXPECT_EQ(open.open()->name(), "less");
  EXPECT_EQ(Judged(open, scalar(1), scalar(2)), Verdict::kNotJudgeable);
}

TEST_F(EnclosureTest, SumsHaveTheBoundOfTheirTerms) {
  // Four terms of about 1: 3 or more roundings of 2^-24 * 4.
  const std::string add =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
  const BoxTree box =
      Of("a = f32[4] parameter(0)\n z = f32[] constant(0)\n"
         "ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=add",
         {F32({1.1f, 1.2f, -1.3f, 1.4f})}, "xla-cpu", add);
  const double exact = 1.1f + 1.2 - 1.3f + 1.4f;
  EXPECT_LE(Low(box), exact - 3 * 0x1p-24 * 5 + 0x1p-23);
  EXPECT_GE(Low(box), exact - 8 * 0x1p-24 * 5);
  EXPECT_GE(High(box), exact + 3 * 0x1p-24 * 5 - 0x1p-23);
  EXPECT_LE(High(box), exact + 8 * 0x1p-24 * 5);
}

// exp(20) is known within some 100, so the exponential of it less 4.85e8 within a factor of e^200;
// but none is negative, nor is any of their sums.
TEST_F(EnclosureTest, SumsOfPositiveTermsArePositive) {
  const std::string body = R"(
    x = f32[2] parameter(0)
    e = f32[2] exponential(x)
    c = f32[] constant(4.85165184e8)
    cs = f32[2] broadcast(c), dimensions={}
    d = f32[2] subtract(e, cs)
    s = f32[] constant(0.25)
    ss = f32[2] broadcast(s), dimensions={}
    t = f32[2] multiply(d, ss)
    wide = f32[2] exponential(t)
    zero = f32[] constant(0)
    r = f32[] reduce(wide, zero), dimensions={0}, to_apply=add
    one = f32[] constant(1)
    ROOT q = f32[] divide(one, r))";
  const std::string add =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
  const BoxTree tree = Of(body, {F32({20, 20})}, "xla-cpu", add);
  EXPECT_GT(Low(tree), 0);
  EXPECT_LT(High(tree), std::numeric_limits<float>::infinity());
  EXPECT_GT(High(tree), 1e6F);
}

// How often a place is named: 2 and 0 times, and the second is known not to be more than 0.
TEST_F(EnclosureTest, SumsOfZerosAndOfNothingAreZero) {
  const std::string add =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
  const BoxTree tree = Of(R"(
    z = f32[] constant(0)
    c = f32[3] broadcast(z), dimensions={}
    i = s32[3,1] constant({{0}, {0}, {2}})
    u = f32[3] parameter(0)
    n = f32[3] scatter(c, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    m = f32[3] add(n, c)
    ROOT p = pred[3] compare(m, c), direction=GT)",
                          {F32({1, 1, 0})}, "xla-cpu", add);
  EXPECT_TRUE(tree.box().is_point() || Literal::BitEqual(tree.box().low, tree.box().high));
  EXPECT_EQ(tree.box().low.Get(0).bits, 1u);
  EXPECT_EQ(tree.box().high.Get(1).bits, 0u);
  EXPECT_EQ(tree.box().high.Get(2).bits, 0u);
}

TEST_F(EnclosureTest, MovesKeepIntervals) {
  const BoxTree box =
      Of("a = f32[2] parameter(0)\n x = f32[2] exponential(a)\n z = f32[] constant(7)\n"
         "p = f32[4] pad(x, z), padding=1_1\n ROOT r = f32[4] reverse(p), dimensions={0}",
         {F32({0, 1})});
  EXPECT_EQ(Low(box, 0), 7);
  EXPECT_EQ(High(box, 0), 7);
  EXPECT_LT(Low(box, 1), 2.7182817f);
  EXPECT_GT(High(box, 1), 2.7182817f);
}

TEST_F(EnclosureTest, UnitsAreThoseOfAnyValueOfTheInterval) {
  // logistic(1e-20) is next to a half; 20 units of 2^-24 below it lie 40 values.
  const BoxTree half = Of("a = f32[1] parameter(0)\n ROOT r = f32[1] logistic(a)", {F32({1e-20f})});
  EXPECT_LE(Low(half), 0.5f - 20 * 0x1p-24f);
  EXPECT_GE(High(half), 0.5f + 20 * 0x1p-24f);
  // |x| - |x| is zero within a unit on each side, its logistic begins 2^-22 below the half, where
  // units are half as large: those of the half still count.
  const BoxTree near =
      Of("a = f32[1] parameter(0)\n b = f32[1] abs(a)\n c = f32[1] subtract(b, b)\n"
         " ROOT r = f32[1] logistic(c)",
         {F32({3})});
  EXPECT_LE(Low(near), 0.5f - 20 * 0x1p-24f);
  EXPECT_GE(High(near), 0.5f + 20 * 0x1p-24f);
}

// Zero times what may be infinite is zero or NaN, not NaN alone.
TEST_F(EnclosureTest, DotsOfUnboundedIntervals) {
  const BoxTree box = Of(absl::StrCat(kMayOverflow,
                                      " ROOT r = f32[] dot(l, z), lhs_contracting_dims={0},"
                                      " rhs_contracting_dims={0}"),
                         {F32({88.7228f})});
  EXPECT_LE(Low(box), 0);
  EXPECT_GE(High(box), 0);
  EXPECT_TRUE(box.box().has_nan());
}

TEST_F(EnclosureTest, ConversionsThatDoNotRise) {
  // e^20 = 485165195.4 is known to some 640: between there are many multiples of 256.
  const std::string whole =
      "x = f32[1] parameter(0)\n e = f32[1] exponential(x)\n w = s32[1] convert(e)\n";
  const BoxTree narrow = Of(whole + " ROOT r = s8[1] convert(w)", {F32({20})});
  EXPECT_EQ(DecodeSigned(ElementType::kS8, narrow.box().low.Get(0).bits), -128);
  EXPECT_EQ(DecodeSigned(ElementType::kS8, narrow.box().high.Get(0).bits), 127);
  const BoxTree wide = Of(whole + " ROOT r = s64[1] convert(w)", {F32({20})});
  const int64_t low = DecodeSigned(ElementType::kS64, wide.box().low.Get(0).bits);
  const int64_t high = DecodeSigned(ElementType::kS64, wide.box().high.Get(0).bits);
  EXPECT_TRUE(485160000 < low && low < 485165195 && 485165195 < high && high < 485170000)
      << low << " to " << high;
  const BoxTree negative =
      Of(whole + " n = s32[1] negate(w)\n ROOT r = u64[1] convert(n)", {F32({20})});
  EXPECT_EQ(negative.box().low.Get(0).bits, 0u);
  EXPECT_EQ(negative.box().high.Get(0).bits, ~uint64_t{0});
  // sin(1) - 0.84147098 may be zero, sin(1) not.
  const std::string near =
      "x = f32[1] parameter(0)\n s = f32[1] sine(x)\n c = f32[1] constant({0.84147098})\n"
      " d = f32[1] subtract(s, c)\n";
  const BoxTree zero = Of(near + " ROOT r = pred[1] convert(d)", {F32({1})});
  EXPECT_EQ(zero.box().low.Get(0).bits, 0u);
  EXPECT_EQ(zero.box().high.Get(0).bits, 1u);
  const BoxTree one = Of(near + " ROOT r = pred[1] convert(s)", {F32({1})});
  EXPECT_EQ(one.box().low.Get(0).bits, 1u);
}

TEST_F(EnclosureTest, OneExtremeIsJoinedWithoutTheOther) {
  const std::string near =
      "x = f32[1] parameter(0)\n s = f32[1] sine(x)\n c = f32[1] constant({0.84147098})\n"
      " d = f32[1] subtract(s, c)\n";
  const BoxTree greatest = Of(near + " ROOT r = f32[1] cosine(d)", {F32({1})});
  EXPECT_GE(High(greatest), 1);
  EXPECT_GT(Low(greatest), 0.9999f);
  const BoxTree least = Of(near +
                               " pi = f32[1] constant({3.1415927})\n p = f32[1] add(d, pi)\n"
                               " ROOT r = f32[1] cosine(p)",
                           {F32({1})});
  EXPECT_LE(Low(least), -1);
  EXPECT_LT(High(least), -0.9999f);
}

// Rises with every element; log(e^1 + e^2 + e^4) is 4.17 and moves by less than its elements.
TEST_F(EnclosureTest, LogarithmsOfSumsOfExponentials) {
  const std::string region =
      "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n m = f32[] maximum(a, b)\n"
      "d = f32[] subtract(a, b)\n n = pred[] compare(d, d), direction=NE\n s = f32[] add(a, b)\n"
      "g = f32[] abs(d)\n h = f32[] negate(g)\n e = f32[] exponential(h)\n"
      "l = f32[] log-plus-one(e)\n t = f32[] add(m, l)\n ROOT r = f32[] select(n, s, t) }\n";
  const BoxTree sum =
      Of("a = f32[3] parameter(0)\n x = f32[3] exponential(a)\n z = f32[] constant(-inf)\n"
         "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f",
         {F32({0, 0.6931472f, 1.3862944f})}, "xla-cpu", region);
  const Shape scalar(ElementType::kF32, {});
  const auto judged = [&](float value) {
    return Judged(sum, F32({4.1698461f}).WithShape(scalar), F32({value}).WithShape(scalar));
  };
  EXPECT_EQ(sum.open(), nullptr);
  EXPECT_LT(judged(4.16985f), Verdict::kNotJudgeable);
  EXPECT_EQ(judged(4.17f), Verdict::kWrong);
  EXPECT_EQ(judged(4.1697f), Verdict::kWrong);
  EXPECT_EQ(judged(NAN), Verdict::kWrong);
}

TEST_F(EnclosureTest, InfinitePowersOfWhatMayBeZero) {
  // Around zero, to the power of infinity it is zero or more.
  const BoxTree power =
      Of("a = f32[1] parameter(0)\n c = f32[1] parameter(1)\n d = f32[1] parameter(2)\n"
         "x = f32[1] exponential(a)\n y = f32[1] subtract(x, c)\n z = f32[1] multiply(y, d)\n"
         "e = f32[1] parameter(3)\n ROOT r = f32[1] power(z, e)",
         {F32({1}), F32({2.71828175f}), F32({1e7f}), F32({INFINITY})});
  EXPECT_NE(Judged(power, F32({INFINITY}), F32({0})), Verdict::kWrong);
}

TEST_F(EnclosureTest, SumsOfSelectedCellsSelectByValuesNotByMagnitudes) {
  // The window selects 1 of (-5, 1); -5 has the larger magnitude. 3 adds up there with an error.
  const std::string computations =
      "ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT c = pred[] compare(a, b), direction=GE }\n"
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
  const BoxTree box =
      Of("a = f32[3] parameter(0)\n b = f32[2] parameter(1)\n x = f32[2] exponential(b)\n"
         " z = f32[] constant(0)\n ROOT r = f32[3] select-and-scatter(a, x, z), window={size=2 "
         "stride=1}, select=ge, scatter=add",
         {F32({-5, 1, -5}), F32({1, 1})}, "xla-cpu", computations);
  const double twice = 2 * 2.718281828;
  EXPECT_LE(Low(box, 1), twice - 2 * 7 * 0x1p-22);
  EXPECT_GE(High(box, 1), twice + 2 * 7 * 0x1p-22 + 0x1p-22);
  // Nothing is selected beside it: the start value and the sum with it may be flushed denormals.
  EXPECT_GE(Low(box, 0), -2 * 0x1p-126f);
  EXPECT_LE(High(box, 0), 2 * 0x1p-126f);
}

TEST_F(EnclosureTest, ComplexFunctionsOfIntervals) {
  // |z w / z| is |w|, and |exp(i y)| one, whatever exp(x) is within its budget: in seven parts of
  // 2^23, through some ten operations.
  const BoxTree size =
      Of(" x = f32[2] parameter(0)\n y = f32[2] parameter(1)\n e = f32[2] exponential(x)\n"
         " z = c64[2] complex(e, y)\n w = c64[2] complex(y, e)\n p = c64[2] multiply(z, w)\n"
         " q = c64[2] divide(p, z)\n ROOT r = f32[2] abs(q)",
         {F32({0, 1}), F32({2, 3})});
  for (const auto& [i, exact] : {std::pair(0, std::sqrt(5.0)), {1, std::hypot(std::exp(1), 3.0)}}) {
    EXPECT_LT(Low(size, i), exact);
    EXPECT_GT(High(size, i), exact);
    EXPECT_LT(High(size, i) - Low(size, i), exact * 0x1p-14) << i;
  }
  const BoxTree unit =
      Of(" x = f32[2] parameter(0)\n y = f32[2] parameter(1)\n t = f32[2] tanh(y)\n"
         " z = c64[2] complex(x, t)\n e = c64[2] exponential(z)\n ROOT r = f32[2] abs(e)",
         {F32({0, 0}), F32({2, 3})});
  EXPECT_LT(Low(unit), 1);
  EXPECT_GT(High(unit), 1);
  EXPECT_LT(High(unit) - Low(unit), 0x1p-13);
  // exp(89 + 1e-30 i) is 4.5e38 + 4.5e8 i: the budget is that of the modulus, beyond the range.
  const BoxTree beyond =
      Of(" x = f32[1] parameter(0)\n y = f32[1] parameter(1)\n z = c64[1] complex(x, y)\n"
         " e = c64[1] exponential(z)\n ROOT i = f32[1] imag(e)",
         {F32({89}), F32({1e-30F})});
  EXPECT_LT(Low(beyond), -2e31);
  EXPECT_GT(High(beyond), 2e31);
  EXPECT_LT(High(beyond) - Low(beyond), 1e34);
  // The quotient by what may be zero may be anything.
  const BoxTree open =
      Of(" x = f32[2] parameter(0)\n y = f32[2] parameter(1)\n s = f32[2] sine(x)\n"
         " t = f32[2] tanh(y)\n u = f32[2] subtract(t, t)\n z = c64[2] complex(s, u)\n"
         " ROOT q = c64[2] divide(z, z)",
         {F32({0, 0}), F32({2, 3})});
  EXPECT_EQ(Low(open), -HUGE_VALF);
  EXPECT_EQ(High(open), HUGE_VALF);
}

TEST_F(EnclosureTest, HostileModules) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok());
  auto endless = ParseModule(
      "HloModule m\n"
      "cond { s = (f32[]) parameter(0)\n ROOT t = pred[] constant(true) }\n"
      "body { ROOT s = (f32[]) parameter(0) }\n"
      "ENTRY e { a = f32[] parameter(0)\n t = (f32[]) tuple(a)\n"
      " ROOT w = (f32[]) while(t), condition=cond, body=body }\n");
  ASSERT_TRUE(endless.ok());
  RunBudget budget;
  budget.seconds = 0.2;
  const Literal zero = Literal::Scalar(ElementType::kF32, Element{});
  EXPECT_EQ(Enclose(**endless, {zero}, *profile, budget).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Enclose(**endless, {}, *profile, budget).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace assay::conformance
