// Factorisations, solves and batch normalisation, judged: what the bounds of ops_structural.md 14.6
// and 14.8 let pass, at their edges and beyond.
#include <cmath>

#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

// 2 by 2: gam(3), and 4 ulp or 8 roundings for each of the two roots.
TEST(JudgeCholesky, ByWhatIsLeftOver) {
  const Case factor("f32[2,2] cholesky(p0), lower=true", {"f32[2,2]"});
  const Literal a = Matrix(2, 2, {4, 2, 2, 5});
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {2, 0, 1, 2})), "golden");
  // 4 - L^2 is 8 k u for 2 + k u: 19 u 4 are allowed.
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {2 + 8 * kUlp, 0, 1, 2})), "within bound");
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {2 + 10 * kUlp, 0, 1, 2})), "wrong");
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {2, 0, 1 + 32 * kUlp, 2})), "wrong");
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {-2, 0, -1, 2})), "wrong");
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {kNan, 0, kNan, kNan})), "wrong");
  // The other triangle is nobody's business.
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {2, 7, 1, 2})), "implementation_defined");
  const Case upper("f32[2,2] cholesky(p0)", {"f32[2,2]"});
  EXPECT_EQ(upper.Explain({a}, Matrix(2, 2, {2, 1, 0, 2})), "golden");
  EXPECT_EQ(upper.Explain({a}, Matrix(2, 2, {2, 1.5, 0, 2})), "wrong");
}

TEST(JudgeCholesky, WhatHasNoFactorIsUnconstrained) {
  const Case factor("f32[2,2,2] cholesky(p0), lower=true", {"f32[2,2,2]"});
  const auto batch = [](const std::vector<double>& values) {
    return Array(ElementType::kF32, values).WithShape(Shape(ElementType::kF32, {2, 2, 2}));
  };
  const Literal operands = batch({1, 2, 2, 1, 4, 2, 2, 5});
  EXPECT_EQ(factor.Explain({operands}, batch({1, 0, 2, 3, 2, 0, 1, 2})), "implementation_defined");
  // The other matrices of the batch are not affected.
  EXPECT_EQ(factor.Explain({operands}, batch({1, 0, 2, kNan, kNan, 0, kNan, kNan})), "wrong");
}

// The second pivot is 2^-24 of the diagonal: roundings may make it negative.
TEST(JudgeCholesky, NearlySingularMatricesMayFail) {
  const Case factor("f32[2,2] cholesky(p0), lower=true", {"f32[2,2]"});
  const Literal a = Matrix(2, 2, {1, 1, 1, 1 + kUlp});
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {kNan, 0, kNan, kNan})), "not judgeable");
}

// 1.1e-36 / 100 is denormal. Times 100 it is what is left over.
TEST(JudgeCholesky, FlushedElementsCountTimesTheirRow) {
  const Case factor("f32[2,2] cholesky(p0), lower=true", {"f32[2,2]"});
  const Literal a = Matrix(2, 2, {1e4, 1.1e-36, 1.1e-36, 1});
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {100, 0, 0, 1})), "within bound");
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {100, 0, 0, 1}), "cpu-strict"), "wrong");
  EXPECT_EQ(factor.Explain({a}, Matrix(2, 2, {100, 0, 5e-38, 1})), "wrong");
}

TEST(JudgeCholesky, ComplexDiagonalsAreReal) {
  const Case factor("c64[1,1] cholesky(p0), lower=true", {"c64[1,1]"});
  const auto one = [](float real, float imag) {
    return C64(real, imag).WithShape(Shape(ElementType::kC64, {1, 1}));
  };
  EXPECT_EQ(factor.Explain({one(25, 0)}, one(5, 0)), "golden");
  EXPECT_EQ(factor.Explain({one(25, 0)}, one(3, 4)), "wrong");
  EXPECT_EQ(factor.Explain({one(25, 1)}, one(5, 0.1F)), "implementation_defined");
}

// sqrt(4) is one step off: what a budget of 1 ulp for the root permits, and one of 0.51 does not.
TEST(JudgeCholesky, TheBudgetOfTheRootCounts) {
  const Case factor("bf16[1,1] cholesky(p0), lower=true", {"bf16[1,1]"});
  const auto one = [](double value) { return Matrix(1, 1, {value}, ElementType::kBF16); };
  EXPECT_EQ(factor.Explain({one(4)}, one(2.015625), "tpu-like"), "within bound");
  EXPECT_EQ(factor.Explain({one(4)}, one(2.125), "tpu-like"), "wrong");
  EXPECT_EQ(factor.Explain({one(4)}, one(2.015625), "xla-cpu"), "wrong");
}

// Every side, triangle and transpose of 2 X = 6 beside 4 X - 1 X' = 9: solutions by hand.
TEST(JudgeTriangularSolve, EverySystem) {
  struct Row {
    const char* attributes;
    std::vector<double> a, x;
  };
  // b = {6, 9}. Lower: x0 = 3, x1 = (9 - 3) / 4; upper: x1 = 9 / 4, x0 = (6 - 9 / 4) / 2.
  const std::vector<double> lower = {2, kNan, 1, 4}, upper = {2, 1, kNan, 4};
  const Row rows[] = {
      {"left_side=true, lower=true, transpose_a=NO_TRANSPOSE", lower, {3, 1.5}},
      {"left_side=true, lower=false, transpose_a=NO_TRANSPOSE", upper, {1.875, 2.25}},
      {"left_side=true, lower=false, transpose_a=TRANSPOSE", upper, {3, 1.5}},
      {"left_side=true, lower=true, transpose_a=ADJOINT", lower, {1.875, 2.25}},
      {"left_side=false, lower=false, transpose_a=NO_TRANSPOSE", upper, {3, 1.5}},
      {"left_side=false, lower=true, transpose_a=NO_TRANSPOSE", lower, {1.875, 2.25}},
      {"left_side=false, lower=true, transpose_a=TRANSPOSE", lower, {3, 1.5}},
      {"left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE", lower, {6, 3}}};
  for (const Row& row : rows) {
    const bool left = std::string(row.attributes).find("left_side=true") == 0;
    const Shape shape(ElementType::kF32,
                      left ? std::vector<int64_t>{2, 1} : std::vector<int64_t>{1, 2});
    const Case solve(absl::StrCat(shape.ToString(), " triangular-solve(p0, p1), ", row.attributes),
                     {"f32[2,2]", shape.ToString()});
    const std::vector<Literal> operands = {Matrix(2, 2, row.a), F32({6, 9}).WithShape(shape)};
    const auto explain = [&](double x0, double x1) {
      return solve.Explain(operands, F32({x0, x1}).WithShape(shape));
    };
    EXPECT_EQ(explain(row.x[0], row.x[1]), "golden") << row.attributes;
    EXPECT_EQ(explain(row.x[0] + 8 * kUlp, row.x[1]), "within bound") << row.attributes;
    EXPECT_EQ(explain(row.x[0] + 100 * kUlp, row.x[1]), "wrong") << row.attributes;
    EXPECT_EQ(explain(row.x[0], row.x[1] - 0.01), "wrong") << row.attributes;
    EXPECT_EQ(explain(row.x[0], kNan), "wrong") << row.attributes;
  }
}

// x = 1, 5 - 3: the diagonal, which is 7, is not read.
TEST(JudgeTriangularSolve, ADiagonalOfOnesIsNotRead) {
  const Case solve(
      "f32[2,1] triangular-solve(p0, p1), left_side=true, lower=true, unit_diagonal=true, "
      "transpose_a=NO_TRANSPOSE",
      {"f32[2,2]", "f32[2,1]"});
  const std::vector<Literal> operands = {Matrix(2, 2, {7, 0, 3, 7}), Matrix(2, 1, {1, 5})};
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {1, 2 + 2 * kUlp}), profile), "within bound");
    EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {1, 2.001}), profile), "wrong");
    EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {1, 4}), profile), "wrong");
  }
}

// The bound of complex solutions by inverses, 2^(1/2) (6 8 + 4 + 6 31.5) u = 341 u of the solution
// 1/2, is beyond that of substitution, 2^(1/2) (2 8 + 4 + 63) u.
TEST(JudgeTriangularSolve, ComplexInversesHaveTheirOwnBound) {
  const Case solve(
      "c64[8,1] triangular-solve(p0, p1), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE",
      {"c64[8,8]", "c64[8,1]"});
  Literal matrix = Literal::Zeros(Shape(ElementType::kC64, {8, 8}));
  Literal right = Literal::Zeros(Shape(ElementType::kC64, {8, 1}));
  for (int64_t i = 0; i < 8; ++i) matrix.Set(9 * i, C64(2, 0).Get(0));
  for (int64_t i = 0; i < 8; ++i) right.Set(i, C64(1, 0).Get(0));
  const auto off = [&](double units, const char* profile) {
    Literal actual = Literal::Zeros(right.shape());
    for (int64_t i = 0; i < 8; ++i) actual.Set(i, C64(0.5, 0).Get(0));
    actual.Set(5, C64(static_cast<float>(0.5 * (1 + units * kUnit)), 0).Get(0));
    return solve.Explain({matrix, right}, actual, profile);
  };
  EXPECT_EQ(off(100, "xla-cpu"), "within bound");
  EXPECT_EQ(off(330, "xla-cpu"), "within bound");
  EXPECT_EQ(off(-330, "xla-cpu"), "within bound");
  EXPECT_EQ(off(360, "xla-cpu"), "wrong");
  EXPECT_EQ(off(330, "cpu-strict"), "wrong");
}

TEST(JudgeTriangularSolve, DivisionsByZeroAreFree) {
  const Case solve(
      "f32[2,1] triangular-solve(p0, p1), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE",
      {"f32[2,2]", "f32[2,1]"});
  const std::vector<Literal> operands = {Matrix(2, 2, {0, 0, 1, 1}), Matrix(2, 1, {1, 1})};
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {kInf, -kInf})), "golden");
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {kNan, kNan})), "implementation_defined");
}

// (0.0124 / -15000) is -8.3e-7, of which 0.0124 is 2.2e-3 times the second element, 16500 / -2920.
// The inverse has 2.2e-3 / (15000 2920) = 5e-11 for it, which f16 has as 0: the first element is 0.
TEST(JudgeTriangularSolve, ElementsOfAnInverseMayUnderflow) {
  const ElementType f16 = ElementType::kF16;
  const Case solve(
      "f16[2,1] triangular-solve(p0, p1), left_side=true, lower=false, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE",
      {"f16[2,2]", "f16[2,1]"});
  const std::vector<Literal> operands = {Matrix(2, 2, {-15000, 2.2e-3, 0, -2920}, f16),
                                         Matrix(2, 1, {0, 16500}, f16)};
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {0, -5.65}, f16)), "within bound");
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {0, -5.65}, f16), "cpu-strict"), "wrong");
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {0.25, -5.65}, f16)), "wrong");
}

// 1 / 2^-17 is infinite in f16, and with it whatever an inverse gives for this row and those
// behind.
TEST(JudgeTriangularSolve, AnInverseMayOverflow) {
  const ElementType f16 = ElementType::kF16;
  const Case solve(
      "f16[3,1] triangular-solve(p0, p1), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE",
      {"f16[3,3]", "f16[3,1]"});
  const std::vector<Literal> operands = {Matrix(3, 3, {1, 0, 0, 0, 0x1p-17, 0, 0, 0, 1}, f16),
                                         Matrix(3, 1, {1, 0.0078125, 1}, f16)};
  EXPECT_EQ(solve.Explain(operands, Matrix(3, 1, {1, 1024, 1}, f16)), "golden");
  EXPECT_EQ(solve.Explain(operands, Matrix(3, 1, {1, kInfinity, kNan}, f16)), "not judgeable");
  EXPECT_EQ(solve.Explain(operands, Matrix(3, 1, {1, kInfinity, kNan}, f16), "cpu-strict"),
            "wrong");
  EXPECT_EQ(solve.Explain(operands, Matrix(3, 1, {kNan, 1024, 1}, f16)), "wrong");
  EXPECT_EQ(solve.Explain(operands, Matrix(3, 1, {1, 1100, 1}, f16)), "wrong");
}

// What another row's right side loses is nothing to a row that does not read it.
TEST(JudgeTriangularSolve, RowsLoseWhatTheyRead) {
  const Case solve(
      "f32[2,1] triangular-solve(p0, p1), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE",
      {"f32[2,2]", "f32[2,1]"});
  const std::vector<Literal> operands = {Matrix(2, 2, {1, 0, 0, 1}), Matrix(2, 1, {1, 3e38})};
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {1, 3e38})), "golden");
  EXPECT_EQ(solve.Explain(operands, Matrix(2, 1, {5, 3e38})), "wrong");
  // 1 / 2e38 is denormal: the inverse has 0 for it, and the second element is 0 in place of -1.
  const std::vector<Literal> large = {Matrix(2, 2, {2e38, 0, 2e38, 1}), Matrix(2, 1, {2e38, 0})};
  EXPECT_EQ(solve.Explain(large, Matrix(2, 1, {1, -2e38})), "golden");
  EXPECT_NE(solve.Explain(large, Matrix(2, 1, {0, 0})), "wrong");
}

// {4.1, 4.1, 4.4}: mean 4.2, variance 0.02. By E[x^2] - E[x]^2 in f32 the variance is 0.019997 and
// the first output -0.69011 (9.1); 0.021 is neither.
// 1 - 1.5 2e38 + 1.5 2e38: half the terms overflow, though the solution is 1.
TEST(JudgeTriangularSolve, TermsThatOverflowTogetherMayBeInfinite) {
  const Case solve(
      "f32[3,1] triangular-solve(p0, p1), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE",
      {"f32[3,3]", "f32[3,1]"});
  const Literal b = Matrix(3, 1, {2e38, 2e38, 1});
  const Literal large = Matrix(3, 3, {1, 0, 0, 0, 1, 0, 1.5, -1.5, 1});
  EXPECT_EQ(solve.Explain({large, b}, b), "golden");
  EXPECT_EQ(solve.Explain({large, b}, Matrix(3, 1, {2e38, 2e38, kInfinity})), "not judgeable");
  EXPECT_EQ(solve.Explain({large, b}, Matrix(3, 1, {2e38, kInfinity, 1})), "wrong");
  const Literal small = Matrix(3, 3, {1, 0, 0, 0, 1, 0, 0.25, -0.25, 1});
  EXPECT_EQ(solve.Explain({small, b}, Matrix(3, 1, {2e38, 2e38, kInfinity})), "wrong");
}

TEST(JudgeBatchNorm, TrainingByEitherFormOfTheVariance) {
  const Case norm(
      "(f32[3,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=0.001, "
      "feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> operands = {Matrix(3, 1, {4.1, 4.1, 4.4}), F32({1}), F32({0})};
  const auto explain = [&](double y0, double mean, double variance) {
    return norm.Explain(operands, Literal::Tuple({Matrix(3, 1, {y0, -0.690066, 1.38013}),
                                                  F32({mean}), F32({variance})}));
  };
  EXPECT_EQ(explain(-0.69011, 4.2, 0.019997), "within bound");
  EXPECT_EQ(explain(-0.69011, 4.2, 0.021), "wrong");
  EXPECT_EQ(explain(-0.69011, 4.2001, 0.02), "wrong");
  EXPECT_EQ(explain(-0.7, 4.2, 0.02), "wrong");
}

// A constant of 1000: the variance may be 1000^2 gam(6) and more, of either sign, and epsilon is
// below it.
TEST(JudgeBatchNorm, ACancelledVarianceLeavesNothingKnown) {
  const Case norm(
      "(f32[3,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=0.001, "
      "feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> operands = {Matrix(3, 1, {1000, 1000, 1000}), F32({1}), F32({0})};
  const auto judge = [&](double y, double variance) {
    return norm.Explain(operands,
                        Literal::Tuple({Matrix(3, 1, {y, y, y}), F32({1000}), F32({variance})}));
  };
  EXPECT_EQ(judge(0, 0), "golden");
  EXPECT_EQ(judge(kNan, -0.0625), "reassociation");
  EXPECT_EQ(judge(0, 10), "wrong");
}

// 9.2: gamma 2, beta 5, mean 1, variance 3, epsilon 1.
TEST(JudgeBatchNorm, InferenceAndGradient) {
  const Case inference(
      "f32[2,1] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=1, "
      "feature_index=1",
      {"f32[2,1]", "f32[1]", "f32[1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> given = {Matrix(2, 1, {1, 3}), F32({2}), F32({5}), F32({1}), F32({3})};
  EXPECT_EQ(inference.Explain(given, Matrix(2, 1, {5, 7})), "golden");
  EXPECT_EQ(inference.Explain(given, Matrix(2, 1, {5 + 4 * kUlp, 7})), "within bound");
  EXPECT_EQ(inference.Explain(given, Matrix(2, 1, {5.0001, 7})), "wrong");
  // x = {1, 2, 6}, mean 3, variance 4, epsilon 1, gamma 2, dy = {1, 0, -1}: sum dy = 0,
  // sum dy (x - mean) = -5, so grad_scale is -5 / sqrt(5) and grad_offset 0.
  const Case grad(
      "(f32[3,1], f32[1], f32[1]) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=1, "
      "feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]", "f32[1]", "f32[3,1]"});
  const std::vector<Literal> operands = {Matrix(3, 1, {1, 2, 6}), F32({2}), F32({3}), F32({4}),
                                         Matrix(3, 1, {1, 0, -1})};
  // 2 / (3 sqrt(5)) (3 dy - 0 + x - mean).
  const double k = 2 / (3 * std::sqrt(5.0));
  const auto explain = [&](double first, double scale, double offset) {
    return grad.Explain(
        operands, Literal::Tuple({Matrix(3, 1, {first, -k, 0}), F32({scale}), F32({offset})}));
  };
  EXPECT_LE(explain(k, -std::sqrt(5.0), 0), "within bound");
  EXPECT_EQ(explain(k, -std::sqrt(5.0), 4e-7), "wrong");
  EXPECT_EQ(explain(k, -2.2361, 0), "wrong");
  EXPECT_EQ(explain(k + 0.001, -std::sqrt(5.0), 0), "wrong");
  // The last bracket is zero, or what rounding 1/3 leaves of it: infinity times either. The first
  // two are not.
  std::vector<Literal> infinite = operands;
  infinite[1] = F32({INFINITY});
  const auto unbounded = [&](double first, double last) {
    return grad.Explain(infinite, Literal::Tuple({Matrix(3, 1, {first, -INFINITY, last}),
                                                  F32({-std::sqrt(5.0f)}), F32({0})}));
  };
  EXPECT_EQ(unbounded(INFINITY, NAN), "golden");
  EXPECT_EQ(unbounded(INFINITY, INFINITY), "reassociation");
  EXPECT_EQ(unbounded(INFINITY, -INFINITY), "reassociation");
  EXPECT_EQ(unbounded(INFINITY, 1), "wrong");
  EXPECT_EQ(unbounded(-INFINITY, NAN), "wrong");
  EXPECT_EQ(unbounded(NAN, NAN), "wrong");
}

// A value that is not finite says nothing of results that do not depend on it: other cells of an
// inference, the statistics beside a scale, the gradients of offset and scale.
TEST(JudgeBatchNorm, ResultsHaveBoundsBesideValuesThatAreNotFinite) {
  const Case inference(
      "f32[3,1] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=1, feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> given = {Matrix(3, 1, {1, kNan, 3}), F32({2}), F32({5}), F32({1}),
                                      F32({3})};
  EXPECT_EQ(inference.Explain(given, Matrix(3, 1, {5 + 12 * kUlp, kNan, 7})), "within bound");
  EXPECT_EQ(inference.Explain(given, Matrix(3, 1, {5.0001, kNan, 7})), "wrong");
  EXPECT_EQ(inference.Explain(given, Matrix(3, 1, {5, 5, 7})), "wrong");

  const Case training(
      "(f32[3,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=0.001, "
      "feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]"});
  const auto trained = [&](double mean, double variance) {
    return training.Explain(
        {Matrix(3, 1, {4.1, 4.1, 4.4}), F32({kNan}), F32({0})},
        Literal::Tuple({Matrix(3, 1, {kNan, kNan, kNan}), F32({mean}), F32({variance})}));
  };
  EXPECT_EQ(trained(4.2 + 4 * kUlp, 0.02), "within bound");
  EXPECT_EQ(trained(4.2, 0.019997), "within bound");
  EXPECT_EQ(trained(4.2001, 0.02), "wrong");
  EXPECT_EQ(trained(4.2, 0.021), "wrong");

  // Sums of dy and of dy (x - mean), over sqrt(3 + 1).
  const Case grad(
      "(f32[3,1], f32[1], f32[1]) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=1, "
      "feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]", "f32[1]", "f32[3,1]"});
  const Literal nan = Matrix(3, 1, {kNan, kNan, kNan});
  const auto gradients = [&](double scale, double mean, double of_scale, double of_offset) {
    return grad.Explain(
        {Matrix(3, 1, {1, 2, 6}), F32({scale}), F32({mean}), F32({3}), Matrix(3, 1, {0.1, 0.1, 1})},
        Literal::Tuple({nan, F32({of_scale}), F32({of_offset})}));
  };
  EXPECT_EQ(gradients(kNan, 3, 1.35 + 4 * kUlp, 1.2), "within bound");
  EXPECT_EQ(gradients(kNan, 3, 1.35, 1.2 + 2 * kUlp), "within bound");
  EXPECT_EQ(gradients(1, kNan, kNan, 1.2 + 2 * kUlp), "within bound");
  EXPECT_EQ(gradients(kNan, 3, 1.351, 1.2), "wrong");
  EXPECT_EQ(gradients(1, kNan, kNan, 1.201), "wrong");
  EXPECT_EQ(gradients(1, kNan, 1.35, 1.2), "wrong");
}

// 2 32768 = 65536 is infinite in f16, and 65504 within the bound of it. So is the sum of gradients.
TEST(JudgeBatchNorm, ResultsBeyondTheLargestNumberMayBeTheLargestNumber) {
  const ElementType f16 = ElementType::kF16;
  const auto row = [](double value) { return Array(ElementType::kF16, {value}); };
  const Case inference(
      "f16[1,1] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0, feature_index=1",
      {"f16[1,1]", "f16[1]", "f16[1]", "f16[1]", "f16[1]"});
  const std::vector<Literal> given = {Matrix(1, 1, {2}, f16), row(32768), row(0), row(0), row(1)};
  EXPECT_EQ(inference.Explain(given, Matrix(1, 1, {INFINITY}, f16)), "golden");
  EXPECT_EQ(inference.Explain(given, Matrix(1, 1, {65504}, f16)), "reassociation");
  EXPECT_EQ(inference.Explain(given, Matrix(1, 1, {60000}, f16)), "wrong");
  const Case grad(
      "(f16[2,1], f16[1], f16[1]) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=1, feature_index=1",
      {"f16[2,1]", "f16[1]", "f16[1]", "f16[1]", "f16[2,1]"});
  const std::vector<Literal> sums = {Matrix(2, 1, {1, 1}, f16), row(1), row(1), row(1),
                                     Matrix(2, 1, {60000, 5536}, f16)};
  const absl::StatusOr<Literal> golden = grad.Evaluate(sums);
  ASSERT_TRUE(golden.ok()) << golden.status();
  const auto with_offset = [&](double value) {
    return grad.Explain(sums, Literal::Tuple({golden->element(0), golden->element(1), row(value)}));
  };
  EXPECT_EQ(with_offset(INFINITY), "golden");
  EXPECT_EQ(with_offset(65504), "reassociation");
  EXPECT_EQ(with_offset(50000), "wrong");
}

// An infinite cell makes the mean infinite, in any order, and not NaN.
TEST(JudgeBatchNorm, AnInfiniteCellDecidesTheMean) {
  const Case training(
      "(f32[3,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=0.001, feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> operands = {Matrix(3, 1, {1, kInf, 2}), F32({1}), F32({0})};
  const Literal nans = Matrix(3, 1, {kNan, kNan, kNan});
  EXPECT_EQ(training.Explain(operands, Literal::Tuple({nans, F32({kInf}), F32({kNan})})), "golden");
  EXPECT_EQ(training.Explain(operands, Literal::Tuple({nans, F32({kNan}), F32({kNan})})), "wrong");
  EXPECT_EQ(training.Explain(operands, Literal::Tuple({nans, F32({1e30}), F32({kNan})})), "wrong");
}

// (n + 3) u (var + E^2) + E^2 of the mean's error E, by both passes.
TEST(JudgeBatchNorm, TheErrorOfTheMeanCountsTwiceInTheVariance) {
  const Case training(
      "(f32[2,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=1, feature_index=1",
      {"f32[2,1]", "f32[1]", "f32[1]"});
  const BatchNormErrors errors(training.root(), ElementType::kF32, 2, BuiltInProfile("golden"));
  BatchNormMagnitudes f;
  f.cells = 2;
  f.sum_abs = 2;
  f.mean = f.mean_square = 1;
  errors.FindStatistics(&f);
  const WideReal e = f.mean_error, u = kUnit;
  EXPECT_GE(e, 2 * u);
  EXPECT_GE(f.variance_error, 5 * u * e * e + e * e);
  // What underflows is a few of the least denormal.
  EXPECT_LE(f.variance_error, 10 * u * e * e + e * e + 8 * 0x1p-149);
}

// The variance overflows, so that its root may be infinite, and infinity / infinity is NaN.
TEST(JudgeBatchNorm, AnInfiniteScaleMayMeetAnInfiniteRoot) {
  const Case norm(
      "(f32[2,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=1, feature_index=1",
      {"f32[2,1]", "f32[1]", "f32[1]"});
  const auto explain = [&](double x, double y, double variance) {
    return norm.Explain(
        {Matrix(2, 1, {0, x}), F32({INFINITY}), F32({0})},
        Literal::Tuple({Matrix(2, 1, {-INFINITY, y}), F32({x / 2}), F32({variance})}));
  };
  EXPECT_EQ(explain(0x1p70, INFINITY, INFINITY), "golden");
  EXPECT_EQ(explain(0x1p70, NAN, INFINITY), "reassociation");
  EXPECT_EQ(explain(4, INFINITY, 4), "golden");
  EXPECT_EQ(explain(4, NAN, 4), "wrong");
}

// A selection that narrows what it compares may be left what it was.
TEST(JudgeSelectAndScatter, SelectionsThatNarrowAreNotJudgeable) {
  const Case narrow(
      "f32[2] select-and-scatter(p0, p1, p2), window={size=2 stride=2}, select=ge, scatter=add",
      {"f32[2]", "f32[1]", "f32[]"},
      "ge {\n  a = f32[] parameter(0)\n  b = bf16[] parameter(1)\n  w = f32[] convert(b)\n"
      "  ROOT r = pred[] compare(a, w), direction=GE\n}\n"
      "add {\n  c = f32[] parameter(0)\n  d = f32[] parameter(1)\n  ROOT s = f32[] add(c, d)\n}\n");
  const std::vector<Literal> operands = {F32({1, 1.0009765625f}), F32({5}), Scalar(0)};
  EXPECT_EQ(narrow.Explain(operands, F32({5, 0})), "golden");
  EXPECT_EQ(narrow.Explain(operands, F32({0, 5})), "not judgeable");
  EXPECT_EQ(narrow.Explain(operands, F32({0, 5}), "golden"), "wrong");

  // f16 has as many bits as bf16, and neither 1e30 nor 2e30, which are infinite in it.
  const Case as_wide(
      "bf16[2] select-and-scatter(p0, p1, p2), window={size=2 stride=2}, select=ge, scatter=add",
      {"bf16[2]", "bf16[1]", "bf16[]"},
      "ge {\n  a = f16[] parameter(0)\n  b = f16[] parameter(1)\n"
      "  ROOT r = pred[] compare(a, b), direction=GE\n}\n"
      "add {\n  c = bf16[] parameter(0)\n  d = bf16[] parameter(1)\n"
      "  ROOT s = bf16[] add(c, d)\n}\n");
  const auto of = [](absl::string_view text) { return *ParseTypedLiteral(text); };
  const std::vector<Literal> wide = {of("bf16[2] {1e30, 2e30}"), of("bf16[1] {5}"), of("bf16[] 0")};
  EXPECT_EQ(as_wide.Explain(wide, of("bf16[2] {5, 0}")), "golden");
  EXPECT_EQ(as_wide.Explain(wide, of("bf16[2] {0, 5}")), "not judgeable");
  EXPECT_EQ(as_wide.Explain(wide, of("bf16[2] {0, 5}"), "golden"), "wrong");
}

}  // namespace
}  // namespace assay::conformance
