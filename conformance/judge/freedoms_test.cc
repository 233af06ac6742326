// Where the reference leaves a choice: decision points, signs of zeros, flushed denormals, the
// order of cells in a window. What is open passes, and nothing beside it.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;

constexpr float kDenormal = 0x1p-130f;

// Decision P-2 of ops_elementwise_and_types.md 7: 3^64 = 2038349057 modulo 2^32, or 3^0, which
// profiles of XLA's back ends list as a known deviation.
TEST(JudgeFreedoms, IntegerPowersByTheLowBitsOfTheExponentAreAKnownDeviation) {
  const Case power("s32[1] power(p0, p1)", {"s32[1]", "s32[1]"});
  const auto s32 = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(2038349057)), "golden");
  for (const char* profile : {"xla-cpu", "gpu", "tpu-like"}) {
    EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(1), profile), "known deviation") << profile;
  }
  for (const char* profile : {"golden", "cpu-strict", "opencl-full", "opencl-embedded"}) {
    EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(1), profile), "wrong") << profile;
  }
  const Judgement judgement = power.Judge({s32(3), s32(64)}, s32(1));
  EXPECT_THAT(judgement.counts, ElementsAre(0, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(judgement.freedoms, testing::Each(0));
  EXPECT_THAT(judgement.deviations, ElementsAre("P-2 (docs/findings/006.md)"));
  EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(0)), "wrong");
  EXPECT_EQ(power.Explain({s32(3), s32(5)}, s32(1)), "wrong");
}

// Decisions X-7 and S-2: exp(-inf + inf i) is 0 or NaN, the sign of inf + i has a NaN part.
TEST(JudgeFreedoms, ComplexSpecialValuesMayBeNan) {
  const Case exponential("c64[] exponential(p0)", {"c64[]"});
  EXPECT_EQ(exponential.Explain({C64(-kInf, kInf)}, C64(kNan, kNan)), "implementation_defined");
  EXPECT_EQ(exponential.Explain({C64(-kInf, kInf)}, C64(kNan, 0)), "wrong");
  EXPECT_EQ(exponential.Explain({C64(-kInf, 1)}, C64(kNan, kNan)), "wrong");
  const Case sign("c64[] sign(p0)", {"c64[]"});
  EXPECT_EQ(sign.Explain({C64(kInf, 1)}, C64(kNan, 0)), "implementation_defined");
  EXPECT_EQ(sign.Explain({C64(kInf, 1)}, C64(1, 0)), "wrong");
  EXPECT_EQ(sign.Explain({C64(2, 0)}, C64(kNan, 0)), "wrong");
}

// Decision X-8: a modulus is infinite if a part is, whatever the other; XLA CPU gives NaN.
TEST(JudgeFreedoms, AModulusThatIsNanIsAKnownDeviation) {
  const Case modulus("f32[] abs(p0)", {"c64[]"});
  for (const Literal& z : {C64(kInf, kNan), C64(kNan, -kInf)}) {
    EXPECT_EQ(modulus.Explain({z}, Scalar(kNan)), "known deviation");
    for (const char* profile : {"golden", "cpu-strict", "gpu"}) {
      EXPECT_EQ(modulus.Explain({z}, Scalar(kNan), profile), "wrong") << profile;
    }
    EXPECT_EQ(modulus.Explain({z}, Scalar(1)), "wrong");
  }
  EXPECT_EQ(modulus.Explain({C64(-kInf, kInf)}, Scalar(kNan)), "wrong");
  EXPECT_EQ(modulus.Explain({C64(kInf, 1)}, Scalar(kNan)), "wrong");
}

// ops_elementwise_and_types.md 3.3: 2^-127 is a denormal where f8e8m0fnu is computed.
TEST(JudgeFreedoms, LosingTheLeastScaleIsAKnownDeviation) {
  const Case product("f8e8m0fnu[1] multiply(p0, p1)", {"f8e8m0fnu[1]", "f8e8m0fnu[1]"});
  const auto scale = [](double value) { return Array(ElementType::kF8E8M0FNU, {value}); };
  EXPECT_EQ(product.Explain({scale(0x1p-127), scale(4)}, scale(kNan)), "known deviation");
  EXPECT_EQ(product.Explain({scale(0x1p-127), scale(4)}, scale(kNan), "cpu-strict"), "wrong");
  EXPECT_EQ(product.Explain({scale(0x1p-126), scale(0.5)}, scale(kNan)), "known deviation");
  EXPECT_EQ(product.Explain({scale(0x1p-126), scale(4)}, scale(kNan)), "wrong");
  // 2^-126 + 2^-127 is a tie that goes up; without the second it is 2^-126.
  const Case sum("f8e8m0fnu[1] add(p0, p1)", {"f8e8m0fnu[1]", "f8e8m0fnu[1]"});
  EXPECT_EQ(sum.Explain({scale(0x1p-126), scale(0x1p-127)}, scale(0x1p-125)), "golden");
  EXPECT_EQ(sum.Explain({scale(0x1p-126), scale(0x1p-127)}, scale(0x1p-126)), "known deviation");
  EXPECT_EQ(sum.Explain({scale(0x1p-126), scale(0x1p-127)}, scale(0x1p-126), "golden"), "wrong");
  // A tie whose even code is the lower one (N-9.1).
  EXPECT_EQ(sum.Explain({scale(0x1p-125), scale(0x1p-126)}, scale(0x1p-125)),
            "implementation_defined");
  EXPECT_EQ(sum.Explain({scale(0x1p-124), scale(0x1p-125)}, scale(0x1p-124)), "wrong");
}

// Decision V-9: f8e8m0fnu has no zero; golden makes it a NaN, others 2^-127 (0x00).
TEST(JudgeFreedoms, TheFirstIndexIsNoScale) {
  const Case iota("f8e8m0fnu[3] iota(), iota_dimension=0", {});
  const auto scales = [](std::vector<uint64_t> bits) {
    Literal literal = Literal::Zeros(Shape(ElementType::kF8E8M0FNU, {3}));
    for (int64_t i = 0; i < 3; ++i) literal.Set(i, Element{bits[i]});
    return literal;
  };
  EXPECT_EQ(iota.Explain({}, scales({0xff, 0x7f, 0x80})), "golden");
  EXPECT_EQ(iota.Explain({}, scales({0x00, 0x7f, 0x80})), "implementation_defined");
  EXPECT_EQ(iota.Explain({}, scales({0x00, 0x7f, 0x80}), "golden"), "wrong");
  EXPECT_EQ(iota.Explain({}, scales({0x01, 0x7f, 0x80})), "wrong");
  EXPECT_EQ(iota.Explain({}, scales({0xff, 0x00, 0x80})), "wrong");
}

// Decision N-2: below 32 bits a move may make a signaling NaN a quiet one, and nothing else. The
// mantissa of f8e3m4 has four bits, the first of which says quiet.
TEST(JudgeFreedoms, MovesMayQuietNarrowNans) {
  const Case copy("f8e3m4[1] copy(p0)", {"f8e3m4[1]"});
  const auto nan = [](uint64_t bits) {
    Literal literal = Literal::Zeros(Shape(ElementType::kF8E3M4, {1}));
    literal.Set(0, Element{bits});
    return literal;
  };
  EXPECT_EQ(copy.Explain({nan(0x75)}, nan(0x7d)), "nan_payload");
  EXPECT_EQ(copy.Explain({nan(0x75)}, nan(0x78)), "nan_payload");
  EXPECT_EQ(copy.Explain({nan(0x75)}, nan(0x78), "cpu-strict"), "nan_payload");
  EXPECT_EQ(copy.Explain({nan(0x75)}, nan(0x71), "cpu-strict"), "wrong");
  EXPECT_EQ(copy.Explain({nan(0x7d)}, nan(0x78), "cpu-strict"), "wrong");
  EXPECT_EQ(copy.Explain({nan(0x75)}, nan(0x78), "golden"), "nan_payload");
}

// Decision R-3: 1.5 to a power of two is a tie of the numbers 1 and 2, of which the even pattern
// counts: that of 1 in f8e5m2fnuz, whose bias is even, that of 2 in f16.
TEST(JudgeFreedoms, PrecisionMayBeReducedInAWiderType) {
  const Case reduce("f8e5m2fnuz[1] reduce-precision(p0), exponent_bits=3, mantissa_bits=0",
                    {"f8e5m2fnuz[1]"});
  const auto narrow = [](double value) { return Array(ElementType::kF8E5M2FNUZ, {value}); };
  EXPECT_EQ(reduce.Explain({narrow(1.5)}, narrow(1)), "golden");
  EXPECT_EQ(reduce.Explain({narrow(1.5)}, narrow(2)), "implementation_defined");
  EXPECT_EQ(reduce.Explain({narrow(1.5)}, narrow(2), "golden"), "wrong");
  EXPECT_EQ(reduce.Explain({narrow(1.5)}, narrow(1.5)), "wrong");
}

// Decision R-2 of ops_elementwise_and_types.md 7.4: without mantissa bits a NaN may stay one.
TEST(JudgeFreedoms, DecisionPointsAdmitMoreThanOneValue) {
  const Case reduce("f32[2] reduce-precision(p0), exponent_bits=8, mantissa_bits=0", {"f32[2]"});
  const Judgement allowed = reduce.Judge({F32({kNan, 1})}, F32({kNan, 1}));
  EXPECT_EQ(allowed.verdict, Verdict::kAllowed);
  EXPECT_THAT(allowed.counts, ElementsAre(0, 1, 0, 1, 0, 0, 0));
  EXPECT_EQ(reduce.Explain({F32({2, 1})}, F32({kNan, 1})), "wrong");
}

// accuracy_requirements.md 1, "Zero": the sign must match but where values cancel, zeros of both
// signs are compared, or a decision point (S-1, F-4) leaves it open.
TEST(JudgeFreedoms, TheOtherZeroPassesOnlyWhereItIsOpen) {
  struct Row {
    const char* instruction;
    std::vector<double> operands;  // the only element of each
    double golden;
    std::string other_zero;
  };
  const std::string kOpen = "signed_zero", kClosed = "wrong";
  const Row rows[] = {
      {"maximum(p0, p1)", {-0.0, 0}, 0, kOpen},
      {"minimum(p0, p1)", {-0.0, 0}, -0.0, kOpen},
      {"maximum(p0, p1)", {-0.0, -0.0}, -0.0, kClosed},
      {"clamp(p0, p1, p2)", {0, -0.0, 1}, 0, kOpen},
      {"clamp(p0, p1, p2)", {-1, -0.0, 1}, -0.0, kClosed},
      {"add(p0, p1)", {3, -3}, 0, kOpen},
      {"add(p0, p1)", {-0.0, -0.0}, -0.0, kClosed},
      {"subtract(p0, p1)", {3, 3}, 0, kOpen},
      {"subtract(p0, p1)", {-0.0, 0}, -0.0, kClosed},
      {"multiply(p0, p1)", {-0.0, 5}, -0.0, kClosed},
      {"divide(p0, p1)", {-0.0, 5}, -0.0, kClosed},
      {"sign(p0)", {-0.0}, -0.0, kOpen},
      {"remainder(p0, p1)", {-4, 2}, -0.0, kOpen},
      {"negate(p0)", {0}, -0.0, kClosed},
      {"abs(p0)", {-0.0}, 0, kClosed},
      {"ceil(p0)", {-0.5}, -0.0, kClosed},
      {"sqrt(p0)", {-0.0}, -0.0, kClosed},
      {"sine(p0)", {-0.0}, -0.0, kClosed},
      {"convert(p0)", {-0.0}, -0.0, kClosed},
      {"copy(p0)", {-0.0}, -0.0, kClosed},
      {"reverse(p0), dimensions={0}", {-0.0}, -0.0, kClosed},
      {"bitcast-convert(p0)", {-0.0}, -0.0, kClosed},
      {"concatenate(p0), dimensions={0}", {-0.0}, -0.0, kClosed},
  };
  for (const Row& row : rows) {
    std::vector<Literal> operands;
    for (double value : row.operands) operands.push_back(F32({value}));
    const Case one(absl::StrCat("f32[1] ", row.instruction),
                   std::vector<std::string>(operands.size(), "f32[1]"));
    EXPECT_EQ(one.Explain(operands, F32({row.golden})), "golden") << row.instruction;
    EXPECT_EQ(one.Explain(operands, F32({-row.golden})), row.other_zero) << row.instruction;
  }
  const Case maximum("f32[2] maximum(p0, p1)", {"f32[2]", "f32[2]"});
  const Judgement judgement = maximum.Judge({F32({-0.0, 1}), F32({0, 0})}, F32({-0.0, 1}));
  EXPECT_THAT(judgement.counts, ElementsAre(1, 0, 0, 1, 0, 0, 0));
}

// A sum may be a zero of either sign; a product, or a value that is only moved, may not.
TEST(JudgeFreedoms, TheOtherZeroOfFolds) {
  auto region = [](const char* opcode) {
    return absl::StrCat(
        "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] ", opcode,
        "(a, b)\n}\n");
  };
  auto explain = [&](const char* opcode, std::vector<double> values, double init, double other) {
    const Case reduce("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[2]", "f32[]"},
                      region(opcode));
    return reduce.Explain({F32(values), Scalar(init)}, Scalar(other));
  };
  EXPECT_EQ(explain("add", {3, -3}, 0, -0.0), "signed_zero");
  EXPECT_EQ(explain("maximum", {0, -0.0}, -0.0, -0.0), "signed_zero");
  EXPECT_EQ(explain("multiply", {-0.0, 3}, 1, 0), "wrong");
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"f32[2]", "f32[2]"});
  EXPECT_EQ(dot.Explain({F32({1, -1}), F32({2, 2})}, Scalar(-0.0)), "signed_zero");
}

// Moves keep denormals; arithmetic need not (ops_elementwise_and_types.md 3.3).
TEST(JudgeFreedoms, MovesFlushNothing) {
  const Literal denormal = F32({kDenormal});
  for (const char* move : {"copy(p0)", "reverse(p0), dimensions={0}", "bitcast-convert(p0)",
                           "slice(p0), slice={[0:1]}", "reshape(p0)"}) {
    const Case one(absl::StrCat("f32[1] ", move), {"f32[1]"});
    EXPECT_EQ(one.Explain({denormal}, denormal), "golden") << move;
    EXPECT_EQ(one.Explain({denormal}, F32({0})), "wrong") << move;
  }
  for (const char* arithmetic : {"negate(p0)", "ceil(p0)", "convert(p0)", "sqrt(p0)"}) {
    const Case one(absl::StrCat("f32[1] ", arithmetic), {"f32[1]"});
    EXPECT_EQ(one.Explain({denormal}, F32({0})), "denormals") << arithmetic;
  }
  const Case scatter(
      "f32[1] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take",
      {"f32[1]", "s32[1,1]", "f32[1]"},
      "take {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n");
  EXPECT_EQ(scatter.Explain({F32({1}), Literal::Zeros(Shape(ElementType::kS32, {1, 1})), denormal},
                            F32({0})),
            "wrong");
}

TEST(JudgeFreedoms, DenormalsMayBeFlushed) {
  const Case product("f32[1] multiply(p0, p1)", {"f32[1]", "f32[1]"});
  // A denormal result, taken for zero.
  const std::vector<Literal> out = {F32({0x1p-65}), F32({0x1p-65})};
  EXPECT_EQ(product.Explain(out, F32({kDenormal})), "golden");
  EXPECT_EQ(product.Explain(out, F32({0})), "denormals");
  EXPECT_EQ(product.Explain(out, F32({-0.0})), "denormals");
  EXPECT_EQ(product.Explain(out, F32({0x1p-129})), "wrong");
  // A denormal operand, taken for zero on the way to a normal result.
  const std::vector<Literal> in = {F32({kDenormal}), F32({0x1p30})};
  EXPECT_EQ(product.Explain(in, F32({0x1p-100})), "golden");
  EXPECT_EQ(product.Explain(in, F32({0})), "denormals");
  // Rounded up to the least normal value, but less before: units that flush see the latter.
  const double below_one = 1 - 0x1p-24;
  EXPECT_EQ(product.Explain({F32({below_one}), F32({0x1p-126})}, F32({0x1p-126})), "golden");
  EXPECT_EQ(product.Explain({F32({below_one}), F32({0x1p-126})}, F32({0})), "denormals");
  EXPECT_EQ(product.Explain({F32({below_one}), F32({0x1p-126})}, F32({0}), "cpu-strict"), "wrong");
  EXPECT_EQ(product.Explain({F32({1}), F32({0x1p-126})}, F32({0})), "wrong");
  const Case wide("f64[1] multiply(p0, p1)", {"f64[1]", "f64[1]"});
  const auto f64 = [](double value) { return Array(ElementType::kF64, {value}); };
  EXPECT_EQ(wide.Explain({f64(1 - 0x1p-53), f64(0x1p-1022)}, f64(0x1p-1022)), "golden");
  EXPECT_EQ(wide.Explain({f64(1 - 0x1p-53), f64(0x1p-1022)}, f64(-0.0)), "denormals");
  EXPECT_EQ(wide.Explain({f64(1), f64(0x1p-1022)}, f64(0)), "wrong");
  // Where nothing is a denormal, zero is wrong.
  EXPECT_EQ(product.Explain({F32({0x1p-50}), F32({0x1p-50})}, F32({0})), "wrong");
}

// A flushed operand explains the sum without it, which its bound counts, and no other value.
TEST(JudgeFreedoms, FlushedOperandsOfSums) {
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"f32[2]", "f32[2]"});
  const std::vector<Literal> operands = {F32({0x1p-130, 1}), F32({0x1p120, 1})};
  EXPECT_EQ(dot.Explain(operands, Scalar(1 + 0x1p-10)), "golden");
  EXPECT_EQ(dot.Explain(operands, Scalar(1)), "reassociation");
  EXPECT_EQ(dot.Explain(operands, Scalar(1), "cpu-strict"), "wrong");
  EXPECT_EQ(dot.Explain(operands, Scalar(0)), "wrong");
  EXPECT_EQ(dot.Explain(operands, Scalar(1 - 0x1p-10)), "wrong");
}

TEST(JudgeFreedoms, FlushedOperandsMayChangeAnInteger) {
  const Case compare("pred[1] compare(p0, p1), direction=GT", {"f32[1]", "f32[1]"});
  const auto pred = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kPred, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  EXPECT_EQ(compare.Explain({F32({kDenormal}), F32({0})}, pred(0)), "denormals");
  EXPECT_EQ(compare.Explain({F32({1}), F32({0})}, pred(0)), "wrong");
}

// (a + a i)(b - b i) = 2 a b where a b is a denormal: each of the real products may be zero.
TEST(JudgeFreedoms, ProductsWithinComplexOnesMayBeFlushed) {
  const Case product("c64[1] multiply(p0, p1)", {"c64[1]", "c64[1]"});
  const auto c64 = [](double re, double im) {
    return C64(static_cast<float>(re), static_cast<float>(im))
        .WithShape(Shape(ElementType::kC64, {1}));
  };
  const std::vector<Literal> operands = {c64(0x1.8p-64, 0x1.8p-64), c64(0x1p-63, -0x1p-63)};
  EXPECT_EQ(product.Explain(operands, c64(0x1.8p-126, 0), "xla-cpu"), "golden");
  EXPECT_NE(product.Explain(operands, c64(0, 0), "xla-cpu"), "wrong");
  EXPECT_EQ(product.Explain(operands, c64(0, 0), "golden"), "wrong");
  EXPECT_EQ(product.Explain(operands, c64(0x1.8p-124, 0), "xla-cpu"), "wrong");
}

TEST(JudgeFreedoms, HalvesAreNotFlushed) {
  const Case product("f16[1] multiply(p0, p1)", {"f16[1]", "f16[1]"});
  const auto f16 = [](double value) { return Array(ElementType::kF16, {value}); };
  EXPECT_EQ(product.Explain({f16(0x1p-10), f16(0x1p-10)}, f16(0)), "wrong");
}

// ops_structural.md 5.3, Disagreement: f(a, x) = 10 a + x over {1, 2}, window 2, padding 1_0,
// init 3. Golden skips the padding: {10*3+1, (10*3+1)*10+2}; else it counts: {(10*3+3)*10+1, 312}.
TEST(JudgeFreedoms, PaddingMayBeFoldedWhereTheInitIsNoIdentity) {
  const Case window("f32[2] reduce-window(p0, p1), window={size=2 pad=1_0}, to_apply=digits",
                    {"f32[2]", "f32[]"},
                    "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
                    "  ten = f32[] constant(10)\n  s = f32[] multiply(a, ten)\n"
                    "  ROOT r = f32[] add(s, x)\n}\n");
  const std::vector<Literal> operands = {F32({1, 2}), Scalar(3)};
  EXPECT_EQ(window.Explain(operands, F32({31, 312})), "golden");
  EXPECT_EQ(window.Explain(operands, F32({331, 312})), "implementation_defined");
  EXPECT_EQ(window.Explain(operands, F32({332, 312}), "golden"), "wrong");
  EXPECT_EQ(window.Explain(operands, F32({332, 312})), "not judgeable");  // in any order
}

// The other reading has a bound of its own.
TEST(JudgeFreedoms, SumsOverFoldedPaddingAreRounded) {
  const Case window("f32[3] reduce-window(p0, p1), window={size=3 pad=1_1}, to_apply=f",
                    {"f32[3]", "f32[]"},
                    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                    "  ROOT s = f32[] add(a, b)\n}\n");
  const std::vector<Literal> operands = {F32({1.1, 2.3, 3.7}), Scalar(10.1)};
  const auto f32 = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  const auto in_f32 = [](std::initializer_list<float> terms) {
    double sum = 0;
    for (const float term : terms) sum += term;
    return sum;
  };
  // Of 10.1 + 1.1 + 2.3 with one more 10.1 in front, all, and one more behind.
  const double first = f32(in_f32({10.1F, 10.1F, 1.1F, 2.3F}));
  const double all = f32(in_f32({10.1F, 1.1F, 2.3F, 3.7F}));
  const double last = f32(in_f32({10.1F, 2.3F, 3.7F, 10.1F}));
  EXPECT_EQ(window.Explain(operands, F32({first, all, last})), "implementation_defined");
  EXPECT_EQ(window.Explain(operands, F32({Step(first, 1), all, last})), "implementation_defined");
  EXPECT_EQ(window.Explain(operands, F32({Step(first, 40), all, last})), "wrong");
}

// f over {{1, 2}, {3, 4}}: golden goes row by row, 01234; the other order is 01324. Of others,
// which are those of any reduction (5.1), nothing is known.
TEST(JudgeFreedoms, CellsOfAWindowMayComeColumnByColumn) {
  const Case window("f32[1,1] reduce-window(p0, p1), window={size=2x2}, to_apply=digits",
                    {"f32[2,2]", "f32[]"},
                    "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
                    "  ten = f32[] constant(10)\n  s = f32[] multiply(a, ten)\n"
                    "  ROOT r = f32[] add(s, x)\n}\n");
  const Literal cells = F32({1, 2, 3, 4}).WithShape(Shape(ElementType::kF32, {2, 2}));
  const auto one = [](float value) {
    return F32({value}).WithShape(Shape(ElementType::kF32, {1, 1}));
  };
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(1234)), "golden");
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(1324)), "implementation_defined");
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(4321), "cpu-strict"), "not judgeable");
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(4321), "golden"), "wrong");
}

// 3 x + 2^-24 for x = 1 + 2^-23: 3 + 3 * 2^-23 is halfway between two floats, so the product is
// rounded to 3 + 2^-21; once rounded the sum is 3 + 2^-22. A sum without a product has one value.
// How far a region that contracts may go is a matter of its interval (runner/probe_test.cc).
TEST(JudgeFreedoms, RegionsMayContract) {
  const auto map = [](const char* type, const char* root) {
    return Case(absl::StrCat(type, "[1] map(p0, p1), dimensions={0}, to_apply=f"),
                {absl::StrCat(type, "[1]"), absl::StrCat(type, "[1]")},
                absl::StrCat("f {\n  x = ", type, "[] parameter(0)\n  y = ", type,
                             "[] parameter(1)\n  t = ", type, "[] constant(3)\n  m = ", type,
                             "[] multiply(x, t)\n  ROOT r = ", type, "[] ", root, "\n}\n"));
  };
  const std::vector<Literal> operands = {F32({1 + 0x1p-23}), F32({-0x1p-24})};
  const Case fused = map("f32", "add(m, y)");
  const auto golden = fused.Evaluate(operands);
  ASSERT_TRUE(golden.ok());
  const double contracted = static_cast<float>(3 * (1 + 0x1p-23) - 0x1p-24);
  ASSERT_NE(DecodeFloat(ElementType::kF32, golden->Get(0).bits), contracted);
  EXPECT_EQ(fused.Explain(operands, F32({contracted})), "not judgeable");
  EXPECT_EQ(fused.Explain(operands, F32({contracted}), "cpu-strict"), "wrong");
  EXPECT_EQ(fused.Explain(operands, F32({contracted}), "golden"), "wrong");
  const Case plain = map("f32", "add(x, y)");
  EXPECT_EQ(plain.Explain({F32({3}), F32({4})}, F32({Step(7, 1)})), "wrong");
}

// Operands flushed in every subset: 2^-149 + 2^-126 may be 2^-126; two denormals that sum to a
// normal value may be one of them, or a zero; but no other value.
TEST(JudgeFreedoms, EverySubsetOfDenormalOperandsMayBeFlushed) {
  const Case sum("f32[1] add(p0, p1)", {"f32[1]", "f32[1]"});
  const double a = 0x1.8p-127, b = 0x1.4p-127;  // both denormal, 1.375 * 2^-126 together
  const auto explain = [&](double actual, const char* profile = "xla-cpu") {
    return sum.Explain({F32({a}), F32({b})}, F32({actual}), profile);
  };
  EXPECT_EQ(explain(a + b), "golden");
  for (const double value : {a, b, 0.0, -0.0}) {
    EXPECT_EQ(explain(value), "denormals") << value;
    EXPECT_EQ(explain(value, "cpu-strict"), "wrong") << value;
  }
  EXPECT_EQ(explain(a - b), "wrong");
  // Results alone: what TPUs do.
  EXPECT_EQ(explain(a, "tpu-like"), "wrong");
  const Case product("f32[1] multiply(p0, p1)", {"f32[1]", "f32[1]"});
  EXPECT_EQ(product.Explain({F32({0x1p-65}), F32({0x1p-65})}, F32({0}), "tpu-like"), "denormals");
  const Judgement refused = sum.Judge({F32({a}), F32({b})}, F32({a}), "cpu-strict");
  ASSERT_EQ(refused.evidence.size(), 1u);
  EXPECT_EQ(refused.evidence[0].reason,
            "needs the permitted deviation denormals, which cpu-strict does not grant");
}

// Decision points at both sides: what one admits, by a profile that does and one that does not.
TEST(JudgeFreedoms, DecisionPointsAreGrantedByName) {
  const auto s32 = [](int64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, {1}));
    literal.Set(0, Element{static_cast<uint64_t>(value) & 0xffffffff});
    return literal;
  };
  const Case divide("s32[1] divide(p0, p1)", {"s32[1]", "s32[1]"});
  EXPECT_EQ(divide.Explain({s32(5), s32(0)}, s32(7)), "wrong");
  EXPECT_EQ(divide.Explain({s32(5), s32(0)}, s32(7), "opencl-full"), "implementation_defined");
  EXPECT_EQ(divide.Explain({s32(5), s32(2)}, s32(7), "opencl-full"), "wrong");
  EXPECT_EQ(divide.Explain({s32(INT32_MIN), s32(-1)}, s32(7), "opencl-full"),
            "implementation_defined");
  const Case convert("s32[1] convert(p0)", {"f32[1]"});
  EXPECT_EQ(convert.Explain({F32({3e9})}, s32(INT32_MIN)), "wrong");
  EXPECT_EQ(convert.Explain({F32({3e9})}, s32(INT32_MIN), "opencl-full"), "implementation_defined");
  EXPECT_EQ(convert.Explain({F32({2e9})}, s32(INT32_MIN), "opencl-full"), "wrong");
  const Case power("s32[1] power(p0, p1)", {"s32[1]", "s32[1]"});
  EXPECT_EQ(power.Explain({s32(-1), s32(-3)}, s32(0), "cpu-strict"), "implementation_defined");
  EXPECT_EQ(power.Explain({s32(-2), s32(-3)}, s32(1), "cpu-strict"), "wrong");
  const Judgement refused = power.Judge({s32(3), s32(64)}, s32(1), "cpu-strict");
  ASSERT_EQ(refused.evidence.size(), 1u);
  EXPECT_EQ(refused.evidence[0].reason.substr(0, 12), "decides P-2 ");
  // 2049 + 2^-13 in f64 is above the middle of two halves; by way of f32 it is the middle.
  const Case narrow("f16[1] convert(p0)", {"f64[1]"});
  const Literal wide = Array(ElementType::kF64, {2049 + 0x1p-20});
  EXPECT_EQ(narrow.Explain({wide}, Array(ElementType::kF16, {2050})), "golden");
  EXPECT_EQ(narrow.Explain({wide}, Array(ElementType::kF16, {2048})), "known deviation");
  EXPECT_EQ(narrow.Explain({wide}, Array(ElementType::kF16, {2048}), "cpu-strict"), "wrong");
  EXPECT_EQ(narrow.Explain({wide}, Array(ElementType::kF16, {2048}), "golden"), "wrong");
  EXPECT_EQ(narrow.Explain({wide}, Array(ElementType::kF16, {2052})), "wrong");
}

// 6^0x80000000, a multiple of 2^32, is 1 by the low bits of the exponent (P-2) and where its top
// bit is a sign (P-3): a profile that admits either admits it.
TEST(JudgeFreedoms, OneOfSeveralDecisionPointsIsEnough) {
  const Case power("u32[1] power(p0, p1)", {"u32[1]", "u32[1]"});
  const auto u32 = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kU32, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  const std::vector<Literal> operands = {u32(6), u32(0x80000000)};
  for (const std::string point : {"P-2", "P-3", "P-1"}) {
    const auto profile = TargetProfile::FromText(
        absl::StrCat("extends: \"golden\" grant: \"implementation_defined\" admit: \"", point,
                     "\""),
        "here");
    ASSERT_TRUE(profile.ok()) << profile.status();
    const auto judgement =
        JudgeInstruction(power.root(), operands, *power.Evaluate(operands), u32(1), *profile,
                         [](const Module& module, absl::Span<const Literal> arguments) {
                           return Interpret(module, arguments);
                         });
    ASSERT_TRUE(judgement.ok()) << judgement.status();
    EXPECT_EQ(judgement->verdict, point == "P-1" ? Verdict::kWrong : Verdict::kAllowed) << point;
  }
}

// Where operands alone are flushed, the sum of one denormal may be zero, and nothing between.
TEST(JudgeFreedoms, OneTermMayBeFlushed) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f32[1]", "f32[]"},
                 "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                 "  ROOT s = f32[] add(a, b)\n}\n");
  const auto profile = TargetProfile::FromText(
      "extends: \"golden\" grant: \"reassociation\" grant: \"denormals\" "
      "denormals { type: \"f32\" mode: DAZ_IN }",
      "here");
  ASSERT_TRUE(profile.ok()) << profile.status();
  const std::vector<Literal> operands = {F32({0x1p-140f}), Scalar(0)};
  const auto verdict = [&](double actual) {
    const auto judgement =
        JudgeInstruction(sum.root(), operands, *sum.Evaluate(operands), Scalar(actual), *profile,
                         [](const Module& module, absl::Span<const Literal> arguments) {
                           return Interpret(module, arguments);
                         });
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement->verdict;
  };
  EXPECT_EQ(verdict(0), Verdict::kAllowed);
  EXPECT_EQ(verdict(0x1p-130), Verdict::kWrong);
}

}  // namespace
}  // namespace assay::conformance
