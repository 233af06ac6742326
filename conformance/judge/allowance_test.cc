// What the judge lets pass and what it does not: the budgets of accuracy_requirements.md 3 (column
// C) as written there, and each kind of explanation at the edge of its bound and beyond it.
#include "conformance/judge/allowance.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kDenormal = 0x1p-130f;
const double kUnit = std::ldexp(1.0, -24);  // unit roundoff of f32

TEST(UlpBudget, IsColumnCOfTheReference) {
  struct Row {
    std::vector<Opcode> opcodes;
    double f32, f64, f16, bf16;  // 0.5 ulp is the golden value and nothing else: 0
  };
  const std::vector<Row> rows = {
      {{Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kConvert,
        Opcode::kReducePrecision},
       0,
       0,
       0,
       0},
      {{Opcode::kDivide}, 3, 0, 1, 1},
      {{Opcode::kSqrt}, 4, 0, 1.5, 1},
      {{Opcode::kRsqrt}, 4, 2, 1, 1},
      {{Opcode::kExp}, 7, 3, 3, 2},
      {{Opcode::kExpm1}, 7, 5, 3, 2},
      {{Opcode::kLog, Opcode::kLog1p}, 4, 3, 3, 2},
      {{Opcode::kLogistic}, 20, 20, 5, 4},
      {{Opcode::kSin, Opcode::kCos}, 4, 4, 2, 2},
      {{Opcode::kTan}, 5, 5, 3, 2},
      {{Opcode::kSinh, Opcode::kCosh}, 25, 512, 3, 2},
      {{Opcode::kTanh}, 6, 7, 3, 2},
      {{Opcode::kAsin, Opcode::kAcos}, 4, 4, 3, 2},
      {{Opcode::kAtan2}, 6, 6, 3, 2},
      {{Opcode::kAsinh, Opcode::kAcosh, Opcode::kAtanh}, 5, 5, 3, 2},
      {{Opcode::kErf}, 16, 16, 4, 2},
      {{Opcode::kCbrt}, 4, 4, 2, 1},
      {{Opcode::kPower}, 16, 16, 5, 2},
      {{Opcode::kNegate, Opcode::kMaximum, Opcode::kFloor, Opcode::kSelect}, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    for (const Opcode opcode : row.opcodes) {
      EXPECT_EQ(UlpBudget(opcode, ElementType::kF32), row.f32) << Name(opcode);
      EXPECT_EQ(UlpBudget(opcode, ElementType::kF64), row.f64) << Name(opcode);
      EXPECT_EQ(UlpBudget(opcode, ElementType::kF16), row.f16) << Name(opcode);
      EXPECT_EQ(UlpBudget(opcode, ElementType::kBF16), row.bf16) << Name(opcode);
      EXPECT_EQ(UlpBudget(opcode, ElementType::kS32), 0) << Name(opcode);
    }
  }
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    EXPECT_EQ(UlpBudget(Opcode::kExp, type), 64);
    EXPECT_EQ(UlpBudget(Opcode::kTanh, type), 64);
    EXPECT_EQ(UlpBudget(Opcode::kMultiply, type), 8);
    EXPECT_EQ(UlpBudget(Opcode::kDivide, type), 32);
    EXPECT_EQ(UlpBudget(Opcode::kAdd, type), 0);
  }
}

// "+ - * / sqrt and convert must have D = 0"; functions are computed in f16 and rounded.
TEST(UlpBudget, EightBitTypesAreOneStepAtMost) {
  for (const ElementType type : {ElementType::kF8E5M2, ElementType::kF8E4M3FN, ElementType::kF8E3M4,
                                 ElementType::kF4E2M1FN}) {
    for (const Opcode opcode :
         {Opcode::kAdd, Opcode::kMultiply, Opcode::kDivide, Opcode::kSqrt, Opcode::kConvert}) {
      EXPECT_EQ(UlpBudget(opcode, type), 0) << Name(opcode);
    }
    for (const Opcode opcode : {Opcode::kExp, Opcode::kLogistic, Opcode::kPower}) {
      EXPECT_GT(UlpBudget(opcode, type), 0.5) << Name(opcode);
      EXPECT_LT(UlpBudget(opcode, type), 1) << Name(opcode);
    }
  }
}

constexpr char kAddition[] =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT s = f32[] add(a, b)\n}\n";

TEST(JudgeInstruction, EqualBitsAndNansAreEqual) {
  const Case negate("f32[4] negate(p0)", {"f32[4]"});
  const Judgement judgement =
      negate.Judge({F32({1, kInf, kNan, 0})}, F32({-1, -kInf, -kNan, -0.0}));
  EXPECT_EQ(judgement.worst, Explanation::kEqual);
  EXPECT_THAT(judgement.counts, ElementsAre(4, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(judgement.rule, "exact");
  EXPECT_EQ(judgement.largest_distance, 0u);
  EXPECT_EQ(judgement.FirstUnexplained(), "");
}

TEST(JudgeInstruction, NansMatchByClassOnly) {
  const Case exponential("f32[2] exponential(p0)", {"f32[2]"});
  EXPECT_EQ(exponential.Explain({F32({kNan, 0})}, F32({1, 1})), Explanation::kUnexplained);
  EXPECT_EQ(exponential.Explain({F32({kNan, 0})}, F32({kNan, kNan})), Explanation::kUnexplained);
}

// sine: 4 ulp.
TEST(JudgeInstruction, FunctionsHaveTheirBudget) {
  const Case sine("f32[3] sine(p0)", {"f32[3]"});
  const Literal operand = F32({0.75, 1, 0});
  // sin(0.75) = 0.68163876, sin(1) = 0.84147098: rounded, and both in the binade of 1/2.
  const double a = 0.68163876002333416673, b = 0.84147098480789650665;
  const auto judge = [&](int first, int second) {
    return sine.Judge({operand}, F32({Step(a, first), Step(b, second), 0}));
  };
  const Judgement edge = judge(4, -4);
  EXPECT_EQ(edge.worst, Explanation::kWithin);
  EXPECT_THAT(edge.counts, ElementsAre(1, 2, 0, 0, 0, 0, 0));
  EXPECT_EQ(edge.largest_distance, 4u);
  EXPECT_EQ(edge.rule, "4 ulp");
  EXPECT_GT(edge.largest_fraction, 0.8);
  EXPECT_LE(edge.largest_fraction, 1);
  const Judgement beyond = judge(0, 5);
  EXPECT_EQ(beyond.worst, Explanation::kUnexplained);
  EXPECT_THAT(beyond.counts, ElementsAre(2, 0, 0, 0, 0, 0, 1));
  EXPECT_EQ(beyond.largest_distance, 5u);
  EXPECT_THAT(beyond.FirstUnexplained(), HasSubstr("element 1: golden 0.84147"));
}

// |x| = sqrt(30), so |X| = sqrt(120) forward and sqrt(30 / 4) backward; log2(4N) = 4.
TEST(JudgeInstruction, TransformsAreBoundedInTheNorm) {
  const Literal x = F32({1, 2, 3, 4});
  const Case rfft("c64[3] fft(p0), fft_type=RFFT, fft_length={4}", {"f32[4]"});
  const Case irfft("f32[4] fft(p0), fft_type=IRFFT, fft_length={4}", {"c64[3]"});
  const double radius = 258 * kUnit * std::sqrt(120.0);
  auto spectrum = rfft.Evaluate({&x, 1});
  ASSERT_TRUE(spectrum.ok());
  for (const double fraction : {0.98, 1.02}) {
    const Explanation want = fraction < 1 ? Explanation::kWithin : Explanation::kUnexplained;
    Literal moved = *spectrum;
    moved.Set(1, {EncodeFloat(ElementType::kF32, -2 + fraction * radius),
                  EncodeFloat(ElementType::kF32, 2)});
    EXPECT_EQ(rfft.Explain({x}, moved), want);
    // The norm of the whole spectrum, bounded by twice the squares of its half: 2 (100 + 8 + 4).
    const double back = 258 * kUnit * std::sqrt(2 * 112 / 4.0);
    EXPECT_EQ(irfft.Explain({*spectrum}, F32({1 + fraction * back, 2, 3, 4})), want);
  }
}

TEST(JudgeInstruction, RoundedOperationsHaveNone) {
  const Case sum("f32[1] add(p0, p1)", {"f32[1]", "f32[1]"});
  EXPECT_EQ(sum.Explain({F32({1}), F32({2})}, F32({3})), Explanation::kEqual);
  EXPECT_EQ(sum.Explain({F32({1}), F32({2})}, F32({Step(3, 1)})), Explanation::kUnexplained);
}

TEST(JudgeInstruction, InfinitiesAreNotWithinAnyBound) {
  const Case exponential("f32[1] exponential(p0)", {"f32[1]"});
  EXPECT_EQ(exponential.Explain({F32({88})}, F32({kInf})), Explanation::kUnexplained);
  EXPECT_EQ(exponential.Explain({F32({89})}, F32({std::numeric_limits<float>::max()})),
            Explanation::kUnexplained);
  EXPECT_EQ(exponential.Explain({F32({89})}, F32({kInf})), Explanation::kEqual);
}

TEST(JudgeInstruction, IntegersMustBeEqual) {
  const Case sum("s32[1] add(p0, p1)", {"s32[1]", "s32[1]"});
  const auto s32 = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  EXPECT_EQ(sum.Explain({s32(3), s32(4)}, s32(7)), Explanation::kEqual);
  const Judgement wrong = sum.Judge({s32(3), s32(4)}, s32(8));
  EXPECT_EQ(wrong.worst, Explanation::kUnexplained);
  EXPECT_EQ(wrong.FirstUnexplained(), "element 0: golden 7, actual 8");
}

TEST(JudgeInstruction, EveryUnexplainedElementIsListed) {
  const Case sum("f32[4] add(p0, p1)", {"f32[4]", "f32[4]"});
  const Judgement wrong = sum.Judge({F32({1, 2, 3, 4}), F32({1, 1, 1, 1})}, F32({2, 9, 4, kNan}));
  ASSERT_EQ(wrong.unexplained.size(), 2u);
  EXPECT_EQ(wrong.unexplained[0].position, 1);
  EXPECT_EQ(wrong.unexplained[1].position, 3);
  EXPECT_EQ(wrong.unexplained[1].golden, "5");
  EXPECT_EQ(wrong.unexplained[1].actual, "nan");
}

// Decision P-2 of ops_elementwise_and_types.md 7: 3^64 = 2038349057 modulo 2^32, or 3^0.
TEST(JudgeInstruction, IntegerPowersMayTakeTheLowBitsOfTheExponent) {
  const Case power("s32[1] power(p0, p1)", {"s32[1]", "s32[1]"});
  const auto s32 = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(2038349057)), Explanation::kEqual);
  EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(1)), Explanation::kFreedom);
  EXPECT_EQ(power.Explain({s32(3), s32(64)}, s32(0)), Explanation::kUnexplained);
  EXPECT_EQ(power.Explain({s32(3), s32(5)}, s32(1)), Explanation::kUnexplained);
}

// Decisions X-7 and S-2: exp(-inf + inf i) is 0 or NaN, the sign of inf + i has a NaN part.
TEST(JudgeInstruction, ComplexSpecialValuesMayBeNan) {
  const Case exponential("c64[] exponential(p0)", {"c64[]"});
  EXPECT_EQ(exponential.Explain({C64(-kInf, kInf)}, C64(kNan, kNan)), Explanation::kFreedom);
  EXPECT_EQ(exponential.Explain({C64(-kInf, kInf)}, C64(kNan, 0)), Explanation::kUnexplained);
  EXPECT_EQ(exponential.Explain({C64(-kInf, 1)}, C64(kNan, kNan)), Explanation::kUnexplained);
  const Case sign("c64[] sign(p0)", {"c64[]"});
  EXPECT_EQ(sign.Explain({C64(kInf, 1)}, C64(kNan, 0)), Explanation::kFreedom);
  EXPECT_EQ(sign.Explain({C64(kInf, 1)}, C64(1, 0)), Explanation::kUnexplained);
  EXPECT_EQ(sign.Explain({C64(2, 0)}, C64(kNan, 0)), Explanation::kUnexplained);
}

// ops_elementwise_and_types.md 3.3: 2^-127 is a denormal where f8e8m0fnu is computed.
TEST(JudgeInstruction, TheLeastScaleMayBeLost) {
  const Case product("f8e8m0fnu[1] multiply(p0, p1)", {"f8e8m0fnu[1]", "f8e8m0fnu[1]"});
  const auto scale = [](double value) { return Array(ElementType::kF8E8M0FNU, {value}); };
  EXPECT_EQ(product.Explain({scale(0x1p-127), scale(4)}, scale(kNan)), Explanation::kFreedom);
  EXPECT_EQ(product.Explain({scale(0x1p-126), scale(0.5)}, scale(kNan)), Explanation::kFreedom);
  EXPECT_EQ(product.Explain({scale(0x1p-126), scale(4)}, scale(kNan)), Explanation::kUnexplained);
}

// 3 runs of 8.5 ulp of the largest magnitude, 30: its ulp is 2^-19.
TEST(JudgeInstruction, ProductsOfComplexNumbersAreBounded) {
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=multiply", {"c64[3]", "c64[]"},
                     "multiply {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                     "  ROOT s = c64[] multiply(a, b)\n}\n");
  Literal factors = Literal::Zeros(Shape(ElementType::kC64, {3}));
  for (int64_t i = 0; i < 3; ++i) {
    factors.Set(i, {EncodeFloat(ElementType::kF32, i == 2 ? 5.0 : 2.0 + i), 0});
  }
  EXPECT_EQ(product.Explain({factors, C64(1, 0)}, C64(30, 25 * 0x1p-19f)), Explanation::kWithin);
  EXPECT_EQ(product.Explain({factors, C64(1, 0)}, C64(30, 26 * 0x1p-19f)),
            Explanation::kUnexplained);
}

// Decision R-2 of ops_elementwise_and_types.md 7.4: without mantissa bits a NaN may stay one.
TEST(JudgeInstruction, DecisionPointsAdmitMoreThanOneValue) {
  const Case reduce("f32[2] reduce-precision(p0), exponent_bits=8, mantissa_bits=0", {"f32[2]"});
  const Judgement allowed = reduce.Judge({F32({kNan, 1})}, F32({kNan, 1}));
  EXPECT_EQ(allowed.worst, Explanation::kFreedom);
  EXPECT_THAT(allowed.counts, ElementsAre(1, 0, 0, 0, 1, 0, 0));
  EXPECT_EQ(reduce.Judge({F32({2, 1})}, F32({kNan, 1})).worst, Explanation::kUnexplained);
}

// accuracy_requirements.md 1, "Zero": the sign must match but where values cancel, zeros of both
// signs are compared, or a decision point (S-1, F-4) leaves it open.
TEST(JudgeInstruction, TheOtherZeroPassesOnlyWhereItIsOpen) {
  struct Row {
    const char* instruction;
    std::vector<double> operands;  // the only element of each
    double golden;
    Explanation other_zero;
  };
  constexpr auto kOpen = Explanation::kZeroSign, kClosed = Explanation::kUnexplained;
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
    EXPECT_EQ(one.Explain(operands, F32({row.golden})), Explanation::kEqual) << row.instruction;
    EXPECT_EQ(one.Explain(operands, F32({-row.golden})), row.other_zero) << row.instruction;
  }
  const Case maximum("f32[2] maximum(p0, p1)", {"f32[2]", "f32[2]"});
  const Judgement judgement = maximum.Judge({F32({-0.0, 1}), F32({0, 0})}, F32({-0.0, 1}));
  EXPECT_THAT(judgement.counts, ElementsAre(1, 0, 1, 0, 0, 0, 0));
}

// A sum may be a zero of either sign; a product, or a value that is only moved, may not.
TEST(JudgeInstruction, TheOtherZeroOfFolds) {
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
  EXPECT_EQ(explain("add", {3, -3}, 0, -0.0), Explanation::kZeroSign);
  EXPECT_EQ(explain("maximum", {0, -0.0}, -0.0, -0.0), Explanation::kZeroSign);
  EXPECT_EQ(explain("multiply", {-0.0, 3}, 1, 0), Explanation::kUnexplained);
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"f32[2]", "f32[2]"});
  EXPECT_EQ(dot.Explain({F32({1, -1}), F32({2, 2})}, Scalar(-0.0)), Explanation::kZeroSign);
}

// Moves keep denormals; arithmetic need not (ops_elementwise_and_types.md 3.3).
TEST(JudgeInstruction, MovesFlushNothing) {
  const Literal denormal = F32({kDenormal});
  for (const char* move : {"copy(p0)", "reverse(p0), dimensions={0}", "bitcast-convert(p0)",
                           "slice(p0), slice={[0:1]}", "reshape(p0)"}) {
    const Case one(absl::StrCat("f32[1] ", move), {"f32[1]"});
    EXPECT_EQ(one.Explain({denormal}, denormal), Explanation::kEqual) << move;
    EXPECT_EQ(one.Explain({denormal}, F32({0})), Explanation::kUnexplained) << move;
  }
  for (const char* arithmetic : {"negate(p0)", "ceil(p0)", "convert(p0)", "sqrt(p0)"}) {
    const Case one(absl::StrCat("f32[1] ", arithmetic), {"f32[1]"});
    EXPECT_EQ(one.Explain({denormal}, F32({0})), Explanation::kFlushed) << arithmetic;
  }
  const Case scatter(
      "f32[1] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take",
      {"f32[1]", "s32[1,1]", "f32[1]"},
      "take {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n");
  EXPECT_EQ(scatter.Explain({F32({1}), Literal::Zeros(Shape(ElementType::kS32, {1, 1})), denormal},
                            F32({0})),
            Explanation::kUnexplained);
}

TEST(JudgeInstruction, DenormalsMayBeFlushed) {
  const Case product("f32[1] multiply(p0, p1)", {"f32[1]", "f32[1]"});
  // A denormal result, taken for zero.
  const std::vector<Literal> out = {F32({0x1p-65}), F32({0x1p-65})};
  EXPECT_EQ(product.Explain(out, F32({kDenormal})), Explanation::kEqual);
  EXPECT_EQ(product.Explain(out, F32({0})), Explanation::kFlushed);
  EXPECT_EQ(product.Explain(out, F32({-0.0})), Explanation::kFlushed);
  EXPECT_EQ(product.Explain(out, F32({0x1p-129})), Explanation::kUnexplained);
  // A denormal operand, taken for zero on the way to a normal result.
  const std::vector<Literal> in = {F32({kDenormal}), F32({0x1p30})};
  EXPECT_EQ(product.Explain(in, F32({0x1p-100})), Explanation::kEqual);
  EXPECT_EQ(product.Explain(in, F32({0})), Explanation::kFlushed);
  // Where nothing is a denormal, zero is wrong.
  EXPECT_EQ(product.Explain({F32({0x1p-50}), F32({0x1p-50})}, F32({0})), Explanation::kUnexplained);
}

TEST(JudgeInstruction, FlushedOperandsMayChangeAnInteger) {
  const Case compare("pred[1] compare(p0, p1), direction=GT", {"f32[1]", "f32[1]"});
  const auto pred = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kPred, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  EXPECT_EQ(compare.Explain({F32({kDenormal}), F32({0})}, pred(0)), Explanation::kFlushed);
  EXPECT_EQ(compare.Explain({F32({1}), F32({0})}, pred(0)), Explanation::kUnexplained);
}

TEST(JudgeInstruction, HalvesAreNotFlushed) {
  const Case product("f16[1] multiply(p0, p1)", {"f16[1]", "f16[1]"});
  const auto f16 = [](double value) { return Array(ElementType::kF16, {value}); };
  EXPECT_EQ(product.Explain({f16(0x1p-10), f16(0x1p-10)}, f16(0)), Explanation::kUnexplained);
}

// n terms in any order err by at most (n-1) u sum|terms|, and both values are rounded: n u S
// must pass (accuracy_requirements.md 4), more than a few units above it must not.
TEST(JudgeInstruction, SumsAreBoundedByTheirTerms) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f32[8]", "f32[]"},
                 kAddition);
  // The sum is 1, that of magnitudes 2047.
  const Literal terms = F32({1024, -1023, 0, 0, 0, 0, 0, 0});
  const double s = 2047, n = 8;
  const auto explain = [&](double error) {
    return sum.Explain({terms, Scalar(0)}, Scalar(1 + error));
  };
  EXPECT_EQ(explain(0), Explanation::kEqual);
  EXPECT_EQ(explain(n * kUnit * s), Explanation::kWithin);
  EXPECT_EQ(explain(-n * kUnit * s), Explanation::kWithin);
  EXPECT_EQ(explain((n + 4) * kUnit * s), Explanation::kUnexplained);
  EXPECT_EQ(explain(-(n + 4) * kUnit * s), Explanation::kUnexplained);
  const Judgement judgement = sum.Judge({terms, Scalar(0)}, Scalar(1 + n * kUnit * s));
  EXPECT_EQ(judgement.rule, "n u sum|terms|");
  EXPECT_GT(judgement.largest_fraction, 0.6);
  EXPECT_LE(judgement.largest_fraction, 1);
}

std::string Addition(absl::string_view type) {
  return absl::StrCat("add {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT s = ", type, "[] add(a, b)\n}\n");
}

// The sum of magnitudes may lie beyond the type: 2000 halves of +-100 sum to 0, their magnitudes to
// 200000 > 65504. n u S = 2000 * 2^-11 * 2e5 = 195312 bounds any finite value.
TEST(JudgeInstruction, BoundsOfSumsDoNotOverflow) {
  std::vector<double> values(2000, 100);
  for (size_t i = 0; i < 1000; ++i) values[i] = -100;
  const Case half("f16[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f16[2000]", "f16[]"},
                  Addition("f16"));
  const auto f16 = [](double value) {
    return Literal::Scalar(ElementType::kF16, Element{EncodeFloat(ElementType::kF16, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF16, values), f16(0)};
  EXPECT_EQ(half.Explain(operands, f16(3)), Explanation::kWithin);
  // In some order the terms overflow: infinities and NaN are admitted (ops_structural.md 14.2).
  EXPECT_EQ(half.Explain(operands, f16(kInf)), Explanation::kFreedom);
  EXPECT_EQ(half.Explain(operands, f16(kNan)), Explanation::kFreedom);
  // {60000, 60000, -60000}: golden 60000, an implementation that rounds each step gives inf.
  const Case three("f16[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f16[3]", "f16[]"},
                   Addition("f16"));
  const Literal large = Array(ElementType::kF16, {60000, 60000, -60000});
  EXPECT_EQ(three.Explain({large, f16(0)}, f16(kInf)), Explanation::kFreedom);
  const Literal small = Array(ElementType::kF16, {20000, 20000, -20000});
  EXPECT_EQ(three.Explain({small, f16(0)}, f16(kInf)), Explanation::kUnexplained);
  // An infinite term leaves nothing open.
  const Literal infinite = Array(ElementType::kF16, {kInf, 1, 2});
  EXPECT_EQ(three.Explain({infinite, f16(0)}, f16(60000)), Explanation::kUnexplained);

  const Case wide("f32[] reduce(p0, p1), dimensions={0}, to_apply=add", {"f32[32]", "f32[]"},
                  kAddition);
  std::vector<double> huge(32, 3e37);
  for (size_t i = 0; i < 16; ++i) huge[i] = -3e37;
  // S = 9.6e38; (n-1) u S = 31 * 2^-24 * 9.6e38 = 1.8e33.
  EXPECT_EQ(wide.Explain({F32(huge), Scalar(0)}, Scalar(1.5e33)), Explanation::kWithin);
  EXPECT_EQ(wide.Explain({F32(huge), Scalar(0)}, Scalar(3e33)), Explanation::kUnexplained);
}

// 2000 ones of f8e4m3fn exceed 448. Accumulation in the type itself (u = 2^-4) bounds nothing:
// what f32 accumulation does not explain is "not judgeable" (accuracy_requirements.md 4).
TEST(JudgeInstruction, NarrowAccumulationOverManyTermsIsNotJudgeable) {
  std::vector<double> values(2000, 1);
  for (size_t i = 0; i < 995; ++i) values[i] = -1;
  const Case sum("f8e4m3fn[] reduce(p0, p1), dimensions={0}, to_apply=add",
                 {"f8e4m3fn[2000]", "f8e4m3fn[]"}, Addition("f8e4m3fn"));
  const auto f8 = [](double value) {
    return Literal::Scalar(ElementType::kF8E4M3FN,
                           Element{EncodeFloat(ElementType::kF8E4M3FN, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF8E4M3FN, values), f8(0)};
  EXPECT_EQ(sum.Explain(operands, f8(10)), Explanation::kEqual);
  EXPECT_EQ(sum.Explain(operands, f8(11)), Explanation::kWithin);
  EXPECT_EQ(sum.Explain(operands, f8(14)), Explanation::kNotJudgeable);
}

// The selection looks at the values; only what is scattered counts as a term.
TEST(JudgeInstruction, SelectAndScatterSelectsByTheValues) {
  const Case pool("f32[4] select-and-scatter(p0, p1, p2), window={size=4}, select=ge, scatter=add",
                  {"f32[4]", "f32[1]", "f32[]"},
                  absl::StrCat("ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                               "  ROOT c = pred[] compare(a, b), direction=GE\n}\n",
                               kAddition));
  // -1 is the largest; by magnitude it would be -9.
  const std::vector<Literal> operands = {F32({-9, -1, -3, -2}), F32({0.5}), Scalar(0.25)};
  EXPECT_EQ(pool.Explain(operands, F32({0.25, 0.75, 0.25, 0.25})), Explanation::kEqual);
  EXPECT_EQ(pool.Explain(operands, F32({0.25, Step(0.75, 1), 0.25, 0.25})), Explanation::kWithin);
  EXPECT_EQ(pool.Explain(operands, F32({0.25, Step(0.75, 9), 0.25, 0.25})),
            Explanation::kUnexplained);
}

// Three factors of a thousand columns: n is 3, and (n-1) u |product| = 2 u.
TEST(JudgeInstruction, ProductsAreBoundedByTheirFactors) {
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
    return product.Judge({factors, Scalar(1)}, F32(std::vector<double>(100, actual))).worst;
  };
  EXPECT_EQ(judge(1.5, 1, 1, Step(1.5, 2)), Explanation::kWithin);
  EXPECT_EQ(judge(1.5, 1, 1, Step(1.5, 10)), Explanation::kUnexplained);
  // A partial product that overflows, and one that is a denormal: 2^-140 has 10 bits left.
  EXPECT_EQ(judge(0x1p100, 0x1p100, 0x1p-100, kInf), Explanation::kFreedom);
  EXPECT_EQ(judge(1.5, 1, 1, kInf), Explanation::kUnexplained);
  const double exact = static_cast<float>(0x1.234568p-70) * 0x1p-70 * 0x1p40;
  const double rounded = static_cast<float>(static_cast<double>(
                             static_cast<float>(static_cast<float>(0x1.234568p-70) * 0x1p-70))) *
                         0x1p40;
  EXPECT_NE(exact, rounded);
  EXPECT_EQ(judge(0x1.234568p-70, 0x1p-70, 0x1p40, rounded), Explanation::kWithin);
}

// Real parts that cancel as magnitudes: S of the real part is 2, not |1*1| - |1*1| = 0.
TEST(JudgeInstruction, ComplexDotsCountBothProducts) {
  const Case dot("c64[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"c64[2]", "c64[2]"});
  Literal operand = Literal::Zeros(Shape(ElementType::kC64, {2}));
  const uint64_t one = EncodeFloat(ElementType::kF32, 1);
  operand.Set(0, Element{one, 0});
  operand.Set(1, Element{0, one});
  EXPECT_EQ(dot.Explain({operand, operand}, C64(0, 0)), Explanation::kEqual);
  EXPECT_EQ(dot.Explain({operand, operand}, C64(0x1p-24f, 0)), Explanation::kWithin);
  EXPECT_EQ(dot.Explain({operand, operand}, C64(0x1p-18f, 0)), Explanation::kUnexplained);
}

TEST(JudgeInstruction, DotsAreBoundedByTheirProducts) {
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"f32[4]", "f32[4]"});
  // 64*32 - 64*31 + 8 - 8 = 64; magnitudes 2048 + 1984 + 16 = 4048.
  const std::vector<Literal> operands = {F32({64, -64, 8, 2}), F32({32, 31, 1, -4})};
  const double s = 4048, n = 4;
  const auto explain = [&](double error) { return dot.Explain(operands, Scalar(64 + error)); };
  EXPECT_EQ(explain(0), Explanation::kEqual);
  EXPECT_EQ(explain(n * kUnit * s), Explanation::kWithin);
  EXPECT_EQ(explain(-n * kUnit * s), Explanation::kWithin);
  EXPECT_EQ(explain((n + 4) * kUnit * s), Explanation::kUnexplained);
}

TEST(JudgeInstruction, MaximaAreNoSums) {
  const Case maximum("f32[] reduce(p0, p1), dimensions={0}, to_apply=max", {"f32[2]", "f32[]"},
                     "max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT s = f32[] maximum(a, b)\n}\n");
  EXPECT_EQ(maximum.Explain({F32({1, 2}), Scalar(0)}, Scalar(Step(2, 1))),
            Explanation::kUnexplained);
}

// multiply: 8 ulp of the magnitude, in each part.
TEST(JudgeInstruction, ComplexBoundsAreNormwise) {
  const Case product("c64[] multiply(p0, p1)", {"c64[]", "c64[]"});
  // (1 + 2^-12 i)(1 + 0i): magnitude in the binade of 1, whose ulp is 2^-23.
  const std::vector<Literal> operands = {C64(1, 0x1p-12f), C64(1, 0)};
  const float ulp = 0x1p-23f;
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-12f)), Explanation::kEqual);
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-12f + 8 * ulp)), Explanation::kWithin);
  EXPECT_EQ(product.Explain(operands, C64(1 + 8 * ulp, 0x1p-12f)), Explanation::kWithin);
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-12f + 9 * ulp)), Explanation::kUnexplained);
  EXPECT_EQ(product.Explain(operands, C64(1 + 9 * ulp, 0x1p-12f)), Explanation::kUnexplained);
  EXPECT_EQ(product.Explain(operands, C64(1, kNan)), Explanation::kUnexplained);
}

TEST(JudgeInstruction, EightBitQuotientsAreExact) {
  const Case quotient("f8e4m3fn[1] divide(p0, p1)", {"f8e4m3fn[1]", "f8e4m3fn[1]"});
  const auto f8 = [](double value) { return Array(ElementType::kF8E4M3FN, {value}); };
  EXPECT_EQ(quotient.Explain({f8(3), f8(2)}, f8(1.5)), Explanation::kEqual);
  EXPECT_EQ(quotient.Explain({f8(3), f8(2)}, f8(1.625)), Explanation::kUnexplained);
  const Case exponential("f8e4m3fn[1] exponential(p0)", {"f8e4m3fn[1]"});
  // e = 2.718, nearest to 2.75. One step passes, as the judge does not know how near the exact
  // value is to the middle of two; two steps do not.
  EXPECT_EQ(exponential.Explain({f8(1)}, f8(2.75)), Explanation::kEqual);
  EXPECT_EQ(exponential.Explain({f8(1)}, f8(2.5)), Explanation::kWithin);
  EXPECT_EQ(exponential.Explain({f8(1)}, f8(2.25)), Explanation::kUnexplained);
}

TEST(JudgeInstruction, TuplesAreJudgedLeafByLeaf) {
  const Case sort("(f32[2], f32[2]) sort(p0, p1), dimensions={0}, to_apply=less",
                  {"f32[2]", "f32[2]"},
                  "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                  "  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n"
                  "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  const std::vector<Literal> operands = {F32({2, 1}), F32({5, 6})};
  EXPECT_EQ(sort.Explain(operands, Literal::Tuple({F32({1, 2}), F32({6, 5})})),
            Explanation::kEqual);
  const Judgement wrong = sort.Judge(operands, Literal::Tuple({F32({1, 2}), F32({6, 6})}));
  EXPECT_THAT(wrong.counts, ElementsAre(3, 0, 0, 0, 0, 0, 1));
}

// ops_structural.md 5.3, Disagreement: f(a, x) = 10 a + x over {1, 2}, window 2, padding 1_0,
// init 3. Golden skips the padding: {10*3+1, (10*3+1)*10+2}; else it counts: {(10*3+3)*10+1, 312}.
TEST(JudgeInstruction, PaddingMayBeFoldedWhereTheInitIsNoIdentity) {
  const Case window("f32[2] reduce-window(p0, p1), window={size=2 pad=1_0}, to_apply=digits",
                    {"f32[2]", "f32[]"},
                    "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
                    "  ten = f32[] constant(10)\n  s = f32[] multiply(a, ten)\n"
                    "  ROOT r = f32[] add(s, x)\n}\n");
  const std::vector<Literal> operands = {F32({1, 2}), Scalar(3)};
  EXPECT_EQ(window.Explain(operands, F32({31, 312})), Explanation::kEqual);
  EXPECT_EQ(window.Explain(operands, F32({331, 312})), Explanation::kFreedom);
  EXPECT_EQ(window.Explain(operands, F32({332, 312})), Explanation::kUnexplained);
}

// f over {{1, 2}, {3, 4}}: golden goes row by row, 01234; the other order is 01324.
TEST(JudgeInstruction, CellsOfAWindowMayComeColumnByColumn) {
  const Case window("f32[1,1] reduce-window(p0, p1), window={size=2x2}, to_apply=digits",
                    {"f32[2,2]", "f32[]"},
                    "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
                    "  ten = f32[] constant(10)\n  s = f32[] multiply(a, ten)\n"
                    "  ROOT r = f32[] add(s, x)\n}\n");
  const Literal cells = F32({1, 2, 3, 4}).WithShape(Shape(ElementType::kF32, {2, 2}));
  const auto one = [](float value) {
    return F32({value}).WithShape(Shape(ElementType::kF32, {1, 1}));
  };
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(1234)), Explanation::kEqual);
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(1324)), Explanation::kFreedom);
  EXPECT_EQ(window.Explain({cells, Scalar(0)}, one(4321)), Explanation::kUnexplained);
}

TEST(JudgeInstruction, TheRuleNamesThoseOfEveryLeaf) {
  const Case sort("(f32[2], s32[2]) sort(p0, p1), dimensions={0}, to_apply=less",
                  {"f32[2]", "s32[2]"},
                  "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                  "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n"
                  "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  const Literal values = Literal::Zeros(Shape(ElementType::kS32, {2}));
  EXPECT_EQ(sort.Judge({F32({1, 2}), values}, Literal::Tuple({F32({1, 2}), values})).rule, "exact");
  // Two results: a region that rounds judges the float one, the integer one must be exact.
  const Case pair("(f32[], s32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=both",
                  {"f32[2]", "s32[2]", "f32[]", "s32[]"},
                  "both {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n"
                  "  b = f32[] parameter(2)\n  j = s32[] parameter(3)\n"
                  "  s = f32[] add(a, b)\n  k = s32[] add(i, j)\n"
                  "  ROOT t = (f32[], s32[]) tuple(s, k)\n}\n");
  const Literal zero = Literal::Zeros(Shape(ElementType::kS32, {}));
  EXPECT_EQ(
      pair.Judge({F32({1, 2}), values, Scalar(0), zero}, Literal::Tuple({Scalar(3), zero})).rule,
      "2 runs of 0.5 ulp, exact");
}

TEST(JudgeInstruction, ImaginaryPartsCountInTheDistance) {
  const Case product("c64[] multiply(p0, p1)", {"c64[]", "c64[]"});
  EXPECT_EQ(product.Judge({C64(1, 1), C64(1, 0)}, C64(1, 1 + 0x1p-21f)).largest_distance, 4u);
}

TEST(JudgeInstruction, RefusesAResultOfAnotherShape) {
  const Case negate("f32[1] negate(p0)", {"f32[1]"});
  auto evaluate = [](const Module&, absl::Span<const Literal>) {
    return absl::StatusOr<Literal>(F32({0}));
  };
  const auto judgement =
      JudgeInstruction(negate.root(), {F32({1})}, F32({-1}), F32({-1, 0}), evaluate);
  EXPECT_EQ(judgement.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(judgement.status().message(), HasSubstr("negate"));
  EXPECT_THAT(judgement.status().message(), HasSubstr("f32[2]"));
}

}  // namespace
}  // namespace assay
