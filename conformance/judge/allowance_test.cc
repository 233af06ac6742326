// What the judge lets pass and what it does not: the budgets of accuracy_requirements.md 3 (column
// C) as written there, and results that are equal, or refused, by what they are.
#include "conformance/judge/allowance.h"

#include <cstdint>
#include <vector>

#include "conformance/judge/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
