// What the judge lets pass and what it does not: budgets of accuracy_requirements.md 3 measured as
// its section 1 says, and results that are equal, or refused, by what they are.
#include "conformance/judge/allowance.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/judge/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Elements by verdict: exact, correctly rounded, within bound, allowed, known deviation, not
// judgeable, wrong.
TEST(JudgeInstruction, EqualBitsAreExactAndNansFree) {
  const Case negate("f32[4] negate(p0)", {"f32[4]"});
  Literal actual = F32({-1, -kInf, kNan, -0.0});
  actual.Set(2, {0xffc00123, 0});
  const Judgement judgement = negate.Judge({F32({1, kInf, kNan, 0})}, actual);
  EXPECT_EQ(judgement.verdict, Verdict::kAllowed);
  EXPECT_THAT(judgement.counts, ElementsAre(3, 0, 0, 1, 0, 0, 0));
  EXPECT_EQ(judgement.freedoms[static_cast<int>(Freedom::kNanPayload)], 1);
  EXPECT_EQ(judgement.rule, "exact");
  EXPECT_EQ(judgement.largest_distance, 0u);
  EXPECT_TRUE(judgement.evidence.empty());
}

// The current sizes of every leaf are compared, and those of tokens are none.
TEST(JudgeInstruction, OtherCurrentSizesAreRefused) {
  const Case pair("(s32[<=3], token[], s32[<=3]) tuple(p0, p1, p2)",
                  {"s32[<=3]", "token[]", "s32[<=3]"});
  const auto sized = [](int64_t size) {
    Shape shape(ElementType::kS32, {3});
    shape.set_dynamic_dimension(0, true);
    Literal array = Literal::Zeros(shape);
    array.set_dynamic_size(0, size);
    return array;
  };
  const auto judge = [&](int64_t first, int64_t second) {
    const std::vector<Literal> operands = {sized(2), Literal::Token(), sized(1)};
    return JudgeInstruction(pair.root(), operands, Literal::Tuple(operands),
                            Literal::Tuple({sized(first), Literal::Token(), sized(second)}),
                            BuiltInProfile("xla-cpu"),
                            [](const Module& module, absl::Span<const Literal> arguments) {
                              return Interpret(module, arguments);
                            });
  };
  ASSERT_TRUE(judge(2, 1).ok()) << judge(2, 1).status();
  EXPECT_EQ(judge(2, 1)->verdict, Verdict::kExact);
  for (const auto& other : {judge(3, 1), judge(2, 2)}) {
    EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(other.status().message()),
                HasSubstr("has other sizes in dynamic dimensions"));
  }
}

// IEEE 754 5.5.1 (N-10). Eight-bit types are none of its formats.
TEST(JudgeInstruction, AbsAndNegateSetTheSignOfANan) {
  const auto verdict = [](const char* operation, const char* type, bool negative) {
    const ElementType element = *ElementTypeFromName(type);
    const Case one(absl::StrCat(type, "[1] ", operation, "(p0)"), {absl::StrCat(type, "[1]")});
    const uint64_t nan = CanonicalNan(element);
    const uint64_t sign = uint64_t{1} << (Info(element).bits - 1);
    const Literal operand = Literal::Zeros(Shape(element, {1}));
    Literal given = operand, actual = operand;
    given.Set(0, {nan | sign, 0});
    actual.Set(0, {negative ? nan | sign : nan, 0});
    return one.Judge({given}, actual).verdict;
  };
  for (const char* operation : {"abs", "negate"}) {
    for (const char* type : {"f64", "f32", "f16", "bf16"}) {
      EXPECT_EQ(verdict(operation, type, false), Verdict::kExact) << operation << " " << type;
      EXPECT_EQ(verdict(operation, type, true), Verdict::kWrong) << operation << " " << type;
    }
    EXPECT_EQ(verdict(operation, "f8e5m2", true), Verdict::kAllowed) << operation;
    EXPECT_EQ(verdict(operation, "f8e4m3fn", true), Verdict::kAllowed) << operation;
  }
}

TEST(JudgeInstruction, ElementwiseMovesKeepTheBitsOfANan) {
  struct Row {
    const char* operation;
    std::vector<std::string> operands;
  };
  for (const Row& row : {Row{"f32[1] select(p0, p1, p2)", {"pred[1]", "f32[1]", "f32[1]"}},
                         Row{"c64[1] complex(p0, p1)", {"f32[1]", "f32[1]"}},
                         Row{"f32[1] real(p0)", {"c64[1]"}}, Row{"f32[1] imag(p0)", {"c64[1]"}}}) {
    const Case one(row.operation, row.operands);
    std::vector<Literal> operands;
    for (const Instruction* operand : one.root().operands()) {
      operands.push_back(Literal::Zeros(operand->shape()));
      const bool complex = IsComplex(operand->shape().element_type());
      if (IsPred(operand->shape().element_type())) continue;
      operands.back().Set(0, {0xffc00123, complex ? 0xffc00123u : 0});
    }
    const absl::StatusOr<Literal> golden = one.Evaluate(operands);
    ASSERT_TRUE(golden.ok()) << golden.status();
    EXPECT_EQ(one.Judge(operands, *golden).verdict, Verdict::kExact) << row.operation;
    for (const uint64_t other : {0x7fc00123u, 0xffc00000u}) {
      Literal actual = *golden;
      actual.Set(0, {other, IsComplex(golden->element_type()) ? other : 0});
      EXPECT_EQ(one.Judge(operands, actual).verdict, Verdict::kWrong) << row.operation;
    }
  }
}

TEST(JudgeInstruction, WhatRoundsIsCorrectlyRounded) {
  const Case sum("f32[1] add(p0, p1)", {"f32[1]", "f32[1]"});
  EXPECT_EQ(sum.Judge({F32({1}), F32({2})}, F32({3})).verdict, Verdict::kCorrectlyRounded);
  const std::vector<Literal> operands = {F32({0})};
  for (const char* exact : {"negate(p0)", "abs(p0)", "copy(p0)", "maximum(p0, p0)", "floor(p0)"}) {
    const Case one(absl::StrCat("f32[1] ", exact), {"f32[1]"});
    EXPECT_EQ(one.Judge({F32({0})}, *one.Evaluate(operands)).verdict, Verdict::kExact) << exact;
  }
}

TEST(JudgeInstruction, NansMatchByClassOnly) {
  const Case exponential("f32[2] exponential(p0)", {"f32[2]"});
  EXPECT_EQ(exponential.Explain({F32({kNan, 0})}, F32({1, 1})), "wrong");
  EXPECT_EQ(exponential.Explain({F32({kNan, 0})}, F32({kNan, kNan})), "wrong");
}

TEST(JudgeInstruction, ANanHasNoDistance) {
  const Case exponential("f32[1] exponential(p0)", {"f32[1]"});
  for (const auto& [operand, actual] : {std::pair(0.0f, kNan), std::pair(1.0f, -kNan)}) {
    const Judgement judgement = exponential.Judge({F32({operand})}, F32({actual}));
    ASSERT_EQ(judgement.evidence.size(), 1u);
    EXPECT_EQ(judgement.evidence[0].distance, std::nullopt);
    EXPECT_EQ(judgement.evidence[0].bound, std::nullopt);
  }
}

// atan2(0, -0) is pi: both operands count as zero, the second as a negative one.
TEST(JudgeInstruction, BothOperandsMayBeFlushed) {
  const Case angle("f32[1] atan2(p0, p1)", {"f32[1]", "f32[1]"});
  const std::vector<Literal> operands = {F32({1e-40}), F32({1e-40})};
  EXPECT_EQ(angle.Explain(operands, F32({M_PI})), "denormals");
  EXPECT_EQ(angle.Explain(operands, F32({-M_PI})), "denormals");
  EXPECT_EQ(angle.Explain(operands, F32({M_PI}), "cpu-strict"), "wrong");
  EXPECT_EQ(angle.Explain(operands, F32({2})), "wrong");
}

// A NaN has no distance in ulp.
TEST(JudgeInstruction, NansHaveNoDistance) {
  const Case sum("f32[1] add(p0, p1)", {"f32[1]", "f32[1]"});
  for (const auto& [operand, actual] : {std::pair{1.0F, kNan}, std::pair{kNan, 1.0F}}) {
    const Judgement judgement = sum.Judge({F32({operand}), F32({0})}, F32({actual}));
    EXPECT_EQ(judgement.verdict, Verdict::kWrong);
    EXPECT_EQ(judgement.largest_distance, 0u);
    EXPECT_EQ(judgement.histogram, Judgement().histogram);
  }
}

// atan2 of two denormals is pi / 4, and 0 if the first counts as zero: more than 10^6 bounds away.
TEST(JudgeInstruction, TheLargestFractionIsOfElementsWithinTheirBounds) {
  const Case angle("f32[2] atan2(p0, p1)", {"f32[2]", "f32[2]"});
  const std::vector<Literal> operands = {F32({0x1p-140f, 1}), F32({0x1p-140f, 2})};
  const Judgement judgement = angle.Judge(operands, F32({0, Step(std::atan(0.5), 1)}));
  EXPECT_THAT(judgement.counts, ElementsAre(0, 0, 1, 1, 0, 0, 0));
  EXPECT_GT(judgement.largest_fraction, 0);
  EXPECT_LE(judgement.largest_fraction, 1);
}

// sine: 4 ulp from the exact value, which the nearest float misses by 0.289 and -0.470 ulp.
TEST(JudgeInstruction, FunctionsHaveTheirBudget) {
  const Case sine("f32[3] sine(p0)", {"f32[3]"});
  const Literal operand = F32({0.75, 1, 0});
  // sin(0.75) = 0.68163876, sin(1) = 0.84147098: rounded, and both in the binade of 1/2.
  const double a = 0.68163876002333416673, b = 0.84147098480789650665;
  const auto judge = [&](int first, int second) {
    return sine.Judge({operand}, F32({Step(a, first), Step(b, second), 0}));
  };
  const Judgement edge = judge(-4, 4);
  EXPECT_EQ(edge.verdict, Verdict::kWithinBound);
  EXPECT_THAT(edge.counts, ElementsAre(0, 1, 2, 0, 0, 0, 0));
  EXPECT_EQ(edge.largest_distance, 4u);
  EXPECT_EQ(edge.histogram[UlpBucket(4)], 2);
  EXPECT_EQ(edge.rule, "4 ulp");
  // Both differences are exact but for the last place of a and b.
  const double budget = 4 * 0x1p-24;
  const double largest = std::max(a - Step(a, -4), Step(b, 4) - b);
  EXPECT_NEAR(edge.largest_fraction, largest / budget, 0x1p-54 / budget);
  EXPECT_THAT(judge(4, 0).counts, ElementsAre(0, 2, 0, 0, 0, 0, 1));
  EXPECT_THAT(judge(0, -4).counts, ElementsAre(0, 2, 0, 0, 0, 0, 1));
  const Judgement beyond = judge(0, 5);
  EXPECT_EQ(beyond.verdict, Verdict::kWrong);
  EXPECT_EQ(beyond.largest_distance, 5u);
  ASSERT_EQ(beyond.evidence.size(), 1u);
  const Evidence& evidence = beyond.evidence[0];
  EXPECT_EQ(evidence.position, 1);
  EXPECT_THAT(evidence.index, ElementsAre(1));
  EXPECT_THAT(evidence.golden, StartsWith("0.84147"));
  EXPECT_EQ(evidence.golden_bits, "0x3f576aa4");
  EXPECT_EQ(evidence.actual_bits, "0x3f576aa9");
  EXPECT_THAT(evidence.operands, ElementsAre("1"));
  EXPECT_EQ(*evidence.bound, budget);
  EXPECT_GT(*evidence.distance, budget);
}

// The exact value of a special point is a float, |sin| is at most 1: no budget there.
TEST(JudgeInstruction, SpecialPointsAndRangesHaveNoBudget) {
  struct Row {
    const char* opcode;
    double x, legal, wrong;
  };
  const Row rows[] = {
      {"exponential", 0, 1, 1 + 0x1p-23},
      {"log", 1, 0, 0x1p-149},
      {"cosine", 0, 1, 1 - 0x1p-24},
      {"sqrt", 1, 1, 1 + 0x1p-23},
      {"cosine", 0x1p-12, 1 - 0x1p-24, 1 + 0x1p-23},
      {"tanh", 9, 1 - 0x1p-23, 1 + 0x1p-23},
      {"cosh", 0x1p-12, 1 + 0x1p-22, 1 - 0x1p-24},
      {"logistic", 20, 1 - 0x1p-22, 1 + 0x1p-23},
  };
  for (const Row& row : rows) {
    const Case one(absl::StrCat("f32[1] ", row.opcode, "(p0)"), {"f32[1]"});
    EXPECT_NE(one.Explain({F32({row.x})}, F32({row.legal})), "wrong") << row.opcode;
    EXPECT_EQ(one.Explain({F32({row.x})}, F32({row.wrong})), "wrong") << row.opcode;
  }
}

// sin(1) again: HIGHEST is level B, 2 ulp; a tolerance is its formula.
TEST(JudgeInstruction, AnInstructionMayAskForItsOwnAccuracy) {
  const double b = 0.84147098480789650665;
  const auto explain = [&](const char* accuracy, int steps) {
    const Case sine(absl::StrCat("f32[1] sine(p0), result_accuracy=", accuracy), {"f32[1]"});
    return sine.Explain({F32({1})}, F32({Step(b, steps)}));
  };
  EXPECT_EQ(explain("{mode=highest}", 2), "within bound");
  EXPECT_EQ(explain("{mode=highest}", -2), "wrong");
  // 16 eps |f| = 26.9 ulp in the binade of 1/2.
  EXPECT_EQ(explain("{tolerance={atol=0,rtol=0,ulps=16}}", 27), "within bound");
  EXPECT_EQ(explain("{tolerance={atol=0,rtol=0,ulps=16}}", 28), "wrong");
  EXPECT_EQ(explain("{tolerance={atol=0.001,rtol=0,ulps=0}}", 16000), "within bound");
  EXPECT_EQ(explain("{tolerance={atol=0.001,rtol=0,ulps=0}}", 17000), "wrong");
}

TEST(JudgeInstruction, RoundedOperationsHaveNone) {
  const Case sum("f32[1] add(p0, p1)", {"f32[1]", "f32[1]"});
  EXPECT_EQ(sum.Explain({F32({1}), F32({2})}, F32({3})), "golden");
  EXPECT_EQ(sum.Explain({F32({1}), F32({2})}, F32({Step(3, 1)})), "wrong");
}

// exp(88) is far from overflow, exp(89) = 4.49e38 far beyond; exp(88.72284) = 3.40284e38 is 14 ulp
// beyond 2^128 - 2^104, which 7 ulp do not reach, exp(88.722832) is 116 below.
TEST(JudgeInstruction, OverflowIsMeasuredFromTheFirstPowerOfTwo) {
  const Case exponential("f32[1] exponential(p0)", {"f32[1]"});
  const double max = std::numeric_limits<float>::max();
  EXPECT_EQ(exponential.Explain({F32({88})}, F32({kInf})), "wrong");
  EXPECT_EQ(exponential.Explain({F32({89})}, F32({max})), "wrong");
  EXPECT_EQ(exponential.Explain({F32({89})}, F32({kInf})), "golden");
  const Case wide("f32[1] exponential(p0), result_accuracy={tolerance={atol=0,rtol=0,ulps=2000}}",
                  {"f32[1]"});
  EXPECT_EQ(wide.Explain({F32({88.722839})}, F32({max})), "within bound");
  EXPECT_EQ(wide.Explain({F32({88.722832})}, F32({kInf})), "within bound");
  EXPECT_EQ(wide.Explain({F32({88})}, F32({kInf})), "wrong");
}

TEST(JudgeInstruction, IntegersMustBeEqual) {
  const Case sum("s32[1] add(p0, p1)", {"s32[1]", "s32[1]"});
  const auto s32 = [](uint64_t value) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, {1}));
    literal.Set(0, Element{value});
    return literal;
  };
  EXPECT_EQ(sum.Explain({s32(3), s32(4)}, s32(7)), "golden");
  const Judgement wrong = sum.Judge({s32(3), s32(4)}, s32(8));
  EXPECT_EQ(wrong.verdict, Verdict::kWrong);
  ASSERT_EQ(wrong.evidence.size(), 1u);
  EXPECT_EQ(wrong.evidence[0].golden, "7");
  EXPECT_EQ(wrong.evidence[0].actual, "8");
  EXPECT_THAT(wrong.evidence[0].operands, ElementsAre("3", "4"));
}

TEST(JudgeInstruction, TheFirstWrongElementsAreShown) {
  const Case sum("f32[4] add(p0, p1)", {"f32[4]", "f32[4]"});
  const Judgement wrong = sum.Judge({F32({1, 2, 3, 4}), F32({1, 1, 1, 1})}, F32({2, 9, 4, kNan}));
  ASSERT_EQ(wrong.evidence.size(), 2u);
  EXPECT_EQ(wrong.evidence[0].position, 1);
  EXPECT_EQ(wrong.evidence[1].position, 3);
  EXPECT_EQ(wrong.evidence[1].golden, "5");
  EXPECT_EQ(wrong.evidence[1].actual, "nan");
}

TEST(JudgeInstruction, EightBitQuotientsAreExact) {
  const Case quotient("f8e4m3fn[1] divide(p0, p1)", {"f8e4m3fn[1]", "f8e4m3fn[1]"});
  const auto f8 = [](double value) { return Array(ElementType::kF8E4M3FN, {value}); };
  EXPECT_EQ(quotient.Explain({f8(3), f8(2)}, f8(1.5)), "golden");
  EXPECT_EQ(quotient.Explain({f8(3), f8(2)}, f8(1.625)), "wrong");
  const Case exponential("f8e4m3fn[1] exponential(p0)", {"f8e4m3fn[1]"});
  // e = 2.718 is far from the middle of two values.
  EXPECT_EQ(exponential.Explain({f8(1)}, f8(2.75)), "golden");
  EXPECT_EQ(exponential.Explain({f8(1)}, f8(2.5)), "wrong");
  // exp(1.75) = 5.7546 is 1.18 ulp of f16 above the middle of 5.5 and 6, exp(-0.171875) = 0.84208
  // 3.4 below that of 0.8125 and 0.875: level C has 3, level B 1.
  EXPECT_EQ(exponential.Explain({f8(1.75)}, f8(6)), "golden");
  EXPECT_EQ(exponential.Explain({f8(1.75)}, f8(5.5)), "within bound");
  EXPECT_EQ(exponential.Explain({f8(1.75)}, f8(5.5), "cpu-strict"), "wrong");
  EXPECT_EQ(exponential.Explain({f8(-0.171875)}, f8(0.875)), "wrong");
}

TEST(JudgeInstruction, TuplesAreJudgedLeafByLeaf) {
  const Case sort("(f32[2], f32[2]) sort(p0, p1), dimensions={0}, to_apply=less",
                  {"f32[2]", "f32[2]"},
                  "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                  "  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n"
                  "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  const std::vector<Literal> operands = {F32({2, 1}), F32({5, 6})};
  EXPECT_EQ(sort.Explain(operands, Literal::Tuple({F32({1, 2}), F32({6, 5})})), "golden");
  const Judgement wrong = sort.Judge(operands, Literal::Tuple({F32({1, 2}), F32({6, 6})}));
  EXPECT_THAT(wrong.counts, ElementsAre(3, 0, 0, 0, 0, 0, 1));
}

TEST(JudgeInstruction, TheRuleNamesThoseOfEveryLeaf) {
  const Case sort("(f32[2], s32[2]) sort(p0, p1), dimensions={0}, to_apply=less",
                  {"f32[2]", "s32[2]"},
                  "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                  "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n"
                  "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  const Literal values = Literal::Zeros(Shape(ElementType::kS32, {2}));
  EXPECT_EQ(sort.Judge({F32({1, 2}), values}, Literal::Tuple({F32({1, 2}), values})).rule, "exact");
  // Two results, each by its own part of the reducer.
  const Case pair("(f32[], s32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=both",
                  {"f32[2]", "s32[2]", "f32[]", "s32[]"},
                  "both {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n"
                  "  b = f32[] parameter(2)\n  j = s32[] parameter(3)\n"
                  "  s = f32[] add(a, b)\n  k = s32[] add(i, j)\n"
                  "  ROOT t = (f32[], s32[]) tuple(s, k)\n}\n");
  const Literal zero = Literal::Zeros(Shape(ElementType::kS32, {}));
  EXPECT_EQ(
      pair.Judge({F32({1, 2}), values, Scalar(0), zero}, Literal::Tuple({Scalar(4), zero})).rule,
      "n u sum|terms|, exact");
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
  const auto judgement = JudgeInstruction(negate.root(), {F32({1})}, F32({-1}), F32({-1, 0}),
                                          *TargetProfile::Find("golden"), evaluate);
  EXPECT_EQ(judgement.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(judgement.status().message(), HasSubstr("negate"));
  EXPECT_THAT(judgement.status().message(), HasSubstr("f32[2]"));
}

}  // namespace
}  // namespace assay::conformance
