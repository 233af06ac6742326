// Facts of sums are compared with sums of rational numbers, for every operation that adds.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/facts.h"
#include "spec/element/element.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

using boost::multiprecision::cpp_rational;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr char kAdd[] =
    "f { a = $T[] parameter(0) b = $T[] parameter(1) ROOT c = $T[] add(a, b) }\n";

struct Found {
  std::unique_ptr<Module> module;
  std::vector<Literal> operands;
  absl::StatusOr<std::vector<AccumulationFact>> facts;
};

Literal Floats(const Shape& shape, const std::vector<double>& values) {
  Literal literal = Literal::Zeros(shape);
  const ElementType part = Info(shape.element_type()).component;
  const bool complex = IsComplex(shape.element_type());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (!complex) {
      literal.Set(i, {EncodeFloat(part, values[i % values.size()])});
    } else {
      literal.Set(i, {EncodeFloat(part, values[2 * i % values.size()]),
                      EncodeFloat(part, values[(2 * i + 1) % values.size()])});
    }
  }
  return literal;
}

// `root` on operands p0, p1, ... of these values; integers are rounded from them.
Found Facts(absl::string_view type, const std::string& root, const std::vector<std::string>& shapes,
            const std::vector<std::vector<double>>& values) {
  std::string text = std::string(kAdd) + "ENTRY e {\n";
  for (size_t i = 0; i < shapes.size(); ++i) {
    absl::StrAppend(&text, "p", i, " = ", shapes[i], " parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "ROOT r = ", root, " }");
  for (size_t at; (at = text.find("$T")) != std::string::npos;)
    text.replace(at, 2, std::string(type));
  Found run;
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  run.module = *std::move(module);
  const Instruction& instruction = *run.module->entry()->root();
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (IsFloat(shape.element_type()) || IsComplex(shape.element_type())) {
      run.operands.push_back(Floats(shape, values[i]));
      continue;
    }
    run.operands.push_back(Literal::Zeros(shape));
    for (int64_t k = 0; k < shape.element_count(); ++k) {
      run.operands.back().Set(
          k, {EncodeInteger(shape.element_type(), static_cast<uint64_t>(values[i][k]))});
    }
  }
  run.facts = FindAccumulationFacts(instruction, run.operands);
  return run;
}

double ValueAt(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}

// Terms of one element, exactly.
struct Terms {
  int count = 0;
  cpp_rational sum = 0, magnitudes = 0;
  void Add(const cpp_rational& term) {
    ++count;
    sum += term;
    magnitudes += abs(term);
  }
};

// Magnitudes: no less than they are and at most so many ulps more.
void ExpectRoundedUp(double given, double exact, int ulps = 2) {
  EXPECT_GE(given, exact);
  EXPECT_LE(given, exact * (1 + ulps * 0x1p-52));
}

// The ulps of the magnitudes, and half of one for the sum, the quotient and the expected value.
void ExpectCondition(double given, double exact, int ulps = 2) {
  EXPECT_LE(std::fabs(given - exact), exact * (ulps + 2) * 0x1p-52) << given << " for " << exact;
}

void ExpectFact(const AccumulationFact& fact, const Terms& exact, const std::string& where) {
  EXPECT_EQ(fact.terms, exact.count) << where;
  cpp_rational given(fact.magnitudes);
  const cpp_rational scale(boost::multiprecision::cpp_int(1) << fact.exponent);
  given *= scale;
  EXPECT_GE(given, exact.magnitudes) << where;
  EXPECT_LE(given, exact.magnitudes * (1 + cpp_rational(0x1p-51))) << where;
  if (exact.sum == 0) {
    EXPECT_EQ(fact.condition, exact.magnitudes == 0 ? 1 : kInfinity) << where;
    return;
  }
  const auto condition = static_cast<double>(cpp_rational(exact.magnitudes / abs(exact.sum)));
  SCOPED_TRACE(where);
  ExpectCondition(fact.condition, condition);
}

std::vector<double> Random(int64_t n, double scale, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(static_cast<int64_t>(random() % 2001) - 1000);
    values.push_back(value * scale * std::ldexp(1.0, static_cast<int>(random() % 20)));
  }
  return values;
}

TEST(AccumulationFactsTest, DotsOfEveryFloatType) {
  for (const ElementType type : kArrayTypes) {
    if (!IsFloat(type) || !Info(type).format->has_sign) continue;
    const std::string name(Name(type));
    const Found run =
        Facts("f32",
              absl::StrCat(name,
                           "[3,4] dot(p0, p1), lhs_contracting_dims={1}, "
                           "rhs_contracting_dims={0}"),
              {name + "[3,7]", name + "[7,4]"}, {Random(21, 0x1p-12, 1), Random(28, 0x1p-10, 2)});
    ASSERT_TRUE(run.facts.ok()) << run.facts.status();
    ASSERT_EQ(run.facts->size(), 12u);
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        Terms exact;
        bool finite = true;
        for (int64_t k = 0; k < 7; ++k) {
          const double a = ValueAt(run.operands[0], i * 7 + k);
          const double b = ValueAt(run.operands[1], k * 4 + j);
          finite = finite && std::isfinite(a) && std::isfinite(b);
          if (finite) exact.Add(cpp_rational(a) * cpp_rational(b));
        }
        if (finite) ExpectFact((*run.facts)[i * 4 + j], exact, absl::StrCat(name, " ", i, ",", j));
      }
    }
  }
}

TEST(AccumulationFactsTest, FoldsAndTheirStartValues) {
  for (const double init : {0.0, -0.0, 2.5}) {
    const std::vector<double> x = Random(24, 0x1p-4, 3);
    const auto start = [init] {
      Terms terms;
      if (init != 0) terms.Add(cpp_rational(init));
      return terms;
    };
    const Found rows = Facts("f32", "f32[4] reduce(p0, p1), dimensions={1}, to_apply=f",
                             {"f32[4,6]", "f32[]"}, {x, {init}});
    const Found running =
        Facts("f32", "f32[24] reduce-window(p0, p1), window={size=24 pad=23_0}, to_apply=f",
              {"f32[24]", "f32[]"}, {x, {init}});
    ASSERT_TRUE(rows.facts.ok() && running.facts.ok());
    for (int64_t i = 0; i < 4; ++i) {
      Terms exact = start();
      for (int64_t j = 0; j < 6; ++j) exact.Add(cpp_rational(ValueAt(rows.operands[0], 6 * i + j)));
      ExpectFact((*rows.facts)[i], exact, absl::StrCat("row ", i));
    }
    Terms exact = start();
    for (int64_t i = 0; i < 24; ++i) {
      exact.Add(cpp_rational(ValueAt(running.operands[0], i)));
      ExpectFact((*running.facts)[i], exact, absl::StrCat("running sum ", i));
    }
  }
}

TEST(AccumulationFactsTest, ScattersCountWhatMeetsACell) {
  // Cell 1 gets the first and third update, cell 3 the second; an index of 9 is outside.
  const Found run = Facts("f64",
                          "f64[4] scatter(p0, p1, p2), update_window_dims={}, "
                          "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                          "index_vector_dim=1, to_apply=f",
                          {"f64[4]", "s32[4,1]", "f64[4]"},
                          {{1, 2, 3, 4}, {1, 3, 1, 9}, {-2, 0.5, 0x1p-60, 100}});
  ASSERT_TRUE(run.facts.ok()) << run.facts.status();
  EXPECT_EQ((*run.facts)[0].terms, 1);
  EXPECT_EQ((*run.facts)[0].condition, 1 + 0x1p-52);  // magnitudes are rounded up
  EXPECT_EQ((*run.facts)[1].terms, 3);
  ExpectRoundedUp((*run.facts)[1].magnitudes, 4);
  ExpectCondition((*run.facts)[1].condition, 4 * 0x1p60);
  EXPECT_EQ((*run.facts)[3].terms, 2);
  ExpectRoundedUp((*run.facts)[3].magnitudes, 4.5);
}

TEST(AccumulationFactsTest, WhatIsBeyondDouble) {
  const double large = 0x1.8p1023;
  const Found sum = Facts("f64", "f64[] reduce(p0, p1), dimensions={0}, to_apply=f",
                          {"f64[3]", "f64[]"}, {{large, large, -large}, {0}});
  ASSERT_TRUE(sum.facts.ok());
  Terms exact;
  for (const double sign : {1.0, 1.0, -1.0}) exact.Add(cpp_rational(sign * large));
  ExpectFact((*sum.facts)[0], exact, "sum");
  EXPECT_EQ((*sum.facts)[0].sum_of_magnitudes(), kInfinity);

  // Each part of a complex number is in the type's range, their sum is not.
  const Found parts = Facts("c128", "c128[] reduce(p0, p1), dimensions={0}, to_apply=f",
                            {"c128[2]", "c128[]"}, {{large, large, -large, 1}, {0, 0}});
  ASSERT_TRUE(parts.facts.ok());
  const AccumulationFact& beyond = (*parts.facts)[0];
  EXPECT_NEAR(std::ldexp(beyond.magnitudes, beyond.exponent - 1024), 2.25, 1e-9);

  const Found dot =
      Facts("f64", "f64[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            {"f64[2]", "f64[2]"}, {{large, -large}, {large, large}});
  ASSERT_TRUE(dot.facts.ok());
  Terms products;
  products.Add(cpp_rational(large) * cpp_rational(large));
  products.Add(-cpp_rational(large) * cpp_rational(large));
  ExpectFact((*dot.facts)[0], products, "dot");
}

TEST(AccumulationFactsTest, ComplexTermsAreBoundedByTwiceTheirMagnitudes) {
  const std::vector<double> x = Random(10, 0x1p-8, 5), y = Random(10, 0x1p-8, 6);
  const Found run =
      Facts("f32", "c64[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            {"c64[5]", "c64[5]"}, {x, y});
  ASSERT_TRUE(run.facts.ok());
  double magnitudes = 0, re = 0, im = 0;
  for (int i = 0; i < 5; ++i) {
    magnitudes += std::hypot(x[2 * i], x[2 * i + 1]) * std::hypot(y[2 * i], y[2 * i + 1]);
    re += x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
    im += x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
  }
  const AccumulationFact& fact = (*run.facts)[0];
  EXPECT_EQ(fact.terms, 5);
  EXPECT_GE(fact.magnitudes, magnitudes);
  EXPECT_LE(fact.magnitudes, 2 * magnitudes);
  // The parts of the sum are rounded to f32, each by 2^-24 at most.
  EXPECT_LE(std::fabs(fact.condition - fact.magnitudes / std::hypot(re, im)),
            fact.condition * 0x1p-23);
}

TEST(AccumulationFactsTest, NormsOfFourierTransforms) {
  const std::vector<double> x = {3, 4, 0, 0, 0, 0, 0, 0};  // one element of magnitude 5
  const Found forward =
      Facts("f32", "c64[4] fft(p0), fft_type=FFT, fft_length={4}", {"c64[4]"}, {x});
  const Found inverse =
      Facts("f32", "c64[4] fft(p0), fft_type=IFFT, fft_length={4}", {"c64[4]"}, {x});
  ASSERT_TRUE(forward.facts.ok() && inverse.facts.ok());
  constexpr int kUlps = 8 + 12;  // a block has 8 real parts
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ((*forward.facts)[i].terms, 4);
    ExpectRoundedUp((*forward.facts)[i].magnitudes, 10, kUlps);  // sqrt(4) * 5
    ExpectCondition((*forward.facts)[i].condition, 2, kUlps);    // every |X| is 5
    ExpectRoundedUp((*inverse.facts)[i].magnitudes, 2.5, kUlps);
  }
}

TEST(AccumulationFactsTest, MeansAndVariances) {
  // Feature 0: 1, 2, 6 and -5; feature 1: four times 3.
  const Found found =
      Facts("f32",
            "(f32[4,2], f32[2], f32[2]) batch-norm-training(p0, p1, p2), "
            "epsilon=1, feature_index=1",
            {"f32[4,2]", "f32[2]", "f32[2]"}, {{1, 3, 2, 3, 6, 3, -5, 3}, {1, 1}, {0, 0}});
  const Instruction& root = *found.module->entry()->root();
  const auto means =
      FindAccumulationFacts(root, found.operands, FactsWanted::kCondition, nullptr, 1);
  const auto variances =
      FindAccumulationFacts(root, found.operands, FactsWanted::kCondition, nullptr, 2);
  ASSERT_TRUE(means.ok() && variances.ok());
  for (int feature = 0; feature < 2; ++feature) {
    EXPECT_EQ((*means)[feature].terms, 4);
    EXPECT_EQ((*variances)[feature].terms, 4);
    EXPECT_EQ((*variances)[feature].condition, 1);
  }
  ExpectRoundedUp((*means)[0].magnitudes, 3.5);  // (1 + 2 + 6 + 5) / 4
  ExpectCondition((*means)[0].condition, 3.5);   // 14 / 4
  ExpectCondition((*means)[1].condition, 1);
  ExpectRoundedUp((*variances)[0].magnitudes, 15.5);  // (0 + 1 + 25 + 36) / 4
  EXPECT_EQ((*variances)[1].magnitudes, 0);
  EXPECT_FALSE(found.facts.ok());  // leaf 0 is no sum
}

// Facts of every leaf of a scan along dimension 1 of [2,steps,3]: sums before and after each step,
// and the last ones.
void CheckScan(const std::string& type, int64_t steps, bool reverse, const std::vector<double>& x,
               const std::vector<double>& init) {
  const std::string all = absl::StrCat(type, "[2,", steps, ",3]"), one = type + "[2,3]";
  const std::string step =
      absl::StrCat(", to_apply={ x = ", one, " parameter(0) c = ", one, " parameter(1) s = ", one,
                   " add(x, c) ROOT r = (", one, ", ", one, ", ", one, ") tuple(c, s, s) }");
  const Found found =
      Facts(type,
            absl::StrCat("(", all, ", ", all, ", ", one, ") scan(p0, p1), dimensions={1}, ",
                         "num_carries=1, is_reverse=", reverse ? "true" : "false", step),
            {all, one}, {x, init});
  const Instruction& root = *found.module->entry()->root();
  std::vector<AccumulationFact> facts[3];
  for (int64_t leaf = 0; leaf < 3; ++leaf) {
    const auto of_leaf =
        FindAccumulationFacts(root, found.operands, FactsWanted::kCondition, nullptr, leaf);
    ASSERT_TRUE(of_leaf.ok()) << of_leaf.status();
    ASSERT_EQ(of_leaf->size(), leaf < 2 ? 6u * steps : 6u);
    facts[leaf] = *of_leaf;
  }
  for (int64_t lane = 0; lane < 6; ++lane) {
    Terms exact;
    const double start = ValueAt(found.operands[1], lane);
    if (start != 0) exact.Add(cpp_rational(start));
    for (int64_t n = 0; n < steps; ++n) {
      const int64_t t = reverse ? steps - 1 - n : n, at = (lane / 3 * steps + t) * 3 + lane % 3;
      const std::string where = absl::StrCat("lane ", lane, ", step ", n);
      ExpectFact(facts[0][at], exact, "before " + where);
      exact.Add(cpp_rational(ValueAt(found.operands[0], at)));
      ExpectFact(facts[1][at], exact, "after " + where);
    }
    ExpectFact(facts[2][lane], exact, absl::StrCat("end of lane ", lane));
  }
}

TEST(AccumulationFactsTest, RunningSumsOfScans) {
  CheckScan("f32", 7, false, Random(42, 0x1p-12, 3), {0, 0x1p20, -1});
  CheckScan("f32", 7, true, Random(42, 0x1p-12, 4), {0, 0x1p20, -1});
  CheckScan("bf16", 4, false, {3, -3, 0.5, 1}, {0});
  CheckScan("f64", 5, false, {0x1.8p1023, 0x1.8p1023, 0x1p1000, -0x1p1022}, {1});
  CheckScan("f32", 0, false, {}, {5});
}

TEST(AccumulationFactsTest, RunningSumsOfComplexScans) {
  const Found found = Facts("c64",
                            "(c64[2], c64[]) scan(p0, p1), dimensions={0}, num_carries=1, "
                            "to_apply={ x = c64[] parameter(0) c = c64[] parameter(1) "
                            "s = c64[] add(x, c) ROOT r = (c64[], c64[]) tuple(s, s) }",
                            {"c64[2]", "c64[]"}, {{3, 4, 0, -4}, {0, 0}});
  ASSERT_TRUE(found.facts.ok()) << found.facts.status();
  EXPECT_EQ((*found.facts)[1].terms, 2);
  ExpectRoundedUp((*found.facts)[1].magnitudes, 11, 8);  // |3| + |4| + |4|
  ExpectCondition((*found.facts)[1].condition, 11. / 3, 8);
}

TEST(AccumulationFactsTest, WhatAddsNothingUp) {
  const Found run = Facts("f32", "f32[4] negate(p0)", {"f32[4]"}, {{1}});
  EXPECT_EQ(run.facts.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(run.facts.status().message().find("negate"), std::string::npos);
}

}  // namespace
}  // namespace assay::evaluator
