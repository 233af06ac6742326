// Bounds of folds that are logarithms of sums of exponentials, or sums scaled by their maximum.
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/testing.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::conformance {
namespace {

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

// The maximum and the sum that it scales, of a softmax in one pass.
Case PairOfASoftmax() {
  return Case(
      "(f32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f",
      {"f32[16]", "f32[16]", "f32[]", "f32[]"},
      "f {\n  m1 = f32[] parameter(0)\n  v1 = f32[] parameter(1)\n  m2 = f32[] parameter(2)\n"
      "  v2 = f32[] parameter(3)\n  m = f32[] maximum(m1, m2)\n  d1 = f32[] subtract(m1, m)\n"
      "  d2 = f32[] subtract(m2, m)\n  e1 = f32[] exponential(d1)\n"
      "  e2 = f32[] exponential(d2)\n  t1 = f32[] multiply(v1, e1)\n"
      "  t2 = f32[] multiply(e2, v2)\n  s = f32[] add(t1, t2)\n"
      "  ROOT r = (f32[], f32[]) tuple(m, s)\n}\n");
}

// The pair of a softmax in one pass: the maximum exactly, and the sum that it scales.
TEST(JudgeBounds, SumsScaledByTheirMaximumInAnyOrder) {
  const Case pair = PairOfASoftmax();
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

// Fifteen terms of 1000 e^-100 are nothing beside 1.
TEST(JudgeBounds, TermsThatAreScaledAwayWidenNothing) {
  const Case pair = PairOfASoftmax();
  std::vector<double> exponents(16, -100), sums(16, 1000);
  exponents[3] = 0;
  sums[3] = 1;
  const std::vector<Literal> operands = {F32(exponents), F32(sums), Scalar(-kInf), Scalar(0)};
  const auto explain = [&](double sum) {
    return pair.Explain(operands, Literal::Tuple({Scalar(0), Scalar(sum)}), "cpu-strict");
  };
  EXPECT_EQ(explain(1), "golden");
  EXPECT_EQ(explain(1 + 4 * kUlp), "reassociation");
  EXPECT_EQ(explain(1 + 3000 * kUlp), "wrong");
}

}  // namespace
}  // namespace assay::conformance
