// Start values that are no identity (reference ops_structural.md 5.1, 5.3; decisions 12 and 44):
// how often they may count, and nothing beside it.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

Literal Integers(ElementType type, const std::vector<uint64_t>& values, const Dimensions& sizes) {
  Literal literal = Literal::Zeros(Shape(type, sizes));
  for (size_t i = 0; i < values.size(); ++i) literal.Set(static_cast<int64_t>(i), {values[i]});
  return literal;
}

std::string Region(const std::string& type, const std::string& opcode) {
  return absl::StrCat("f {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT s = ", type, "[] ", opcode, "(a, b)\n}\n");
}

// structural_12 and structural_44 (ops_structural.md 15): 10 + (1 + 2 + 3), with the start value in
// none to four parts.
TEST(JudgeStartValues, MayCountAnyNumberOfTimes) {
  const auto reduce = [](const char* type, const char* opcode) {
    return Case(absl::StrCat(type, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                {absl::StrCat(type, "[3]"), absl::StrCat(type, "[]")},
                absl::StrCat("f {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                             "[] parameter(1)\n  ROOT s = ", type, "[] ", opcode, "(a, b)\n}\n"));
  };
  const Case sum = reduce("f32", "add"), product = reduce("f32", "multiply");
  const std::vector<Literal> operands = {F32({1, 2, 3}), Scalar(10)};
  EXPECT_EQ(sum.Explain(operands, Scalar(16)), "golden");
  for (const double value : {6, 26, 36, 46}) {
    EXPECT_EQ(sum.Explain(operands, Scalar(value)), "implementation_defined") << value;
    EXPECT_EQ(sum.Explain(operands, Scalar(value), "golden"), "wrong") << value;
  }
  for (const double value : {-4, 15, 27, 56}) {
    EXPECT_EQ(sum.Explain(operands, Scalar(value)), "wrong") << value;
  }
  EXPECT_EQ(product.Explain(operands, Scalar(6)), "implementation_defined");
  EXPECT_EQ(product.Explain(operands, Scalar(6000)), "implementation_defined");
  EXPECT_EQ(product.Explain(operands, Scalar(120)), "wrong");
  const Case integers = reduce("s32", "add");
  const auto s32 = [](std::vector<uint64_t> values, const Dimensions& sizes) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, sizes));
    for (size_t i = 0; i < values.size(); ++i) literal.Set(static_cast<int64_t>(i), {values[i]});
    return literal;
  };
  const std::vector<Literal> whole = {s32({1, 2, 3}, {3}), s32({10}, {})};
  EXPECT_EQ(integers.Explain(whole, s32({6}, {})), "implementation_defined");
  EXPECT_EQ(integers.Explain(whole, s32({46}, {})), "implementation_defined");
  EXPECT_EQ(integers.Explain(whole, s32({17}, {})), "wrong");
  const Case bits = reduce("s32", "xor");
  EXPECT_EQ(bits.Explain(whole, s32({10}, {})), "golden");
  EXPECT_EQ(bits.Explain(whole, s32({0}, {})), "implementation_defined");
  EXPECT_EQ(bits.Explain(whole, s32({0}, {}), "golden"), "wrong");
  EXPECT_EQ(bits.Explain(whole, s32({2}, {})), "wrong");
  EXPECT_EQ(integers.Explain(whole, s32({56}, {})), "wrong");
}

// XLA CPU folds 1031 truth values as a tree, every part of which begins with the start value.
TEST(JudgeStartValues, CountAgainInParities) {
  const Case parity("pred[] reduce(p0, p1), dimensions={0}, to_apply=f", {"pred[3]", "pred[]"},
                    Region("pred", "xor"));
  const auto pred = [](std::vector<uint64_t> values, const Dimensions& sizes) {
    return Integers(ElementType::kPred, values, sizes);
  };
  const std::vector<Literal> from_true = {pred({1, 1, 0}, {3}), pred({1}, {})};
  EXPECT_EQ(parity.Explain(from_true, pred({1}, {})), "golden");
  EXPECT_EQ(parity.Explain(from_true, pred({0}, {})), "implementation_defined");
  EXPECT_EQ(parity.Explain(from_true, pred({0}, {}), "golden"), "wrong");
  const std::vector<Literal> from_false = {pred({1, 1, 0}, {3}), pred({0}, {})};
  EXPECT_EQ(parity.Explain(from_false, pred({1}, {})), "wrong");
}

// The same of windows: {1, 2, 3} in windows of 2 from 10.
TEST(JudgeStartValues, CountInWindowsAsInReductions) {
  const auto windows = [](const std::string& type, const std::string& opcode) {
    return Case(absl::StrCat(type, "[2] reduce-window(p0, p1), window={size=2}, to_apply=f"),
                {absl::StrCat(type, "[3]"), absl::StrCat(type, "[]")}, Region(type, opcode));
  };
  const Case sum = windows("s32", "add"), floats = windows("f32", "add");
  const auto s32 = [](std::vector<uint64_t> values, const Dimensions& sizes) {
    return Integers(ElementType::kS32, values, sizes);
  };
  const std::vector<Literal> whole = {s32({1, 2, 3}, {3}), s32({10}, {})};
  EXPECT_EQ(sum.Explain(whole, s32({13, 15}, {2})), "golden");
  EXPECT_EQ(sum.Explain(whole, s32({3, 35}, {2})), "implementation_defined");
  EXPECT_EQ(sum.Explain(whole, s32({23, 35}, {2}), "golden"), "wrong");
  EXPECT_EQ(sum.Explain(whole, s32({13, 16}, {2})), "wrong");
  EXPECT_EQ(floats.Explain({F32({1, 2, 3}), Scalar(10)}, F32({23, 5})), "implementation_defined");
  EXPECT_EQ(floats.Explain({F32({1, 2, 3}), Scalar(10)}, F32({24, 5})), "wrong");
}

// 1000 ones and a start value of 5 in f16: an accumulator of f32 tells 1005, 1010, 1015 ... apart,
// and what is rounded to f16 at the end is within half a unit, 1/4 there.
TEST(JudgeStartValues, UsesAreToldByTheAccumulator) {
  const Case sum("f16[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f16[1000]", "f16[]"},
                 Region("f16", "add"));
  const auto f16 = [](double value) {
    return Literal::Scalar(ElementType::kF16, {EncodeFloat(ElementType::kF16, value)});
  };
  const std::vector<Literal> operands = {Array(ElementType::kF16, std::vector<double>(1000, 1)),
                                         f16(5)};
  const auto verdict = [&](double actual, const char* text) {
    const auto profile = TargetProfile::FromText(text, "here");
    EXPECT_TRUE(profile.ok()) << profile.status();
    return sum.JudgeBy(*profile, operands, f16(actual)).verdict;
  };
  constexpr char kWide[] = "extends: 'cpu-strict' admit: 'W-12'";
  for (const double value : {1000, 1010, 1015, 2005}) {
    EXPECT_EQ(verdict(value, kWide), Verdict::kAllowed) << value;
  }
  for (const double value : {1007.5, 1008.0, 1012.5, 2008.0, 990.0}) {
    EXPECT_EQ(verdict(value, kWide), Verdict::kWrong) << value;
  }
  // Partial sums of f16 blur the numbers of uses, so that between them nothing is known. Nothing is
  // above the greatest number.
  constexpr char kPartials[] = "extends: 'xla-cpu'";
  EXPECT_EQ(verdict(2005, kPartials), Verdict::kAllowed);
  EXPECT_EQ(verdict(2008, kPartials), Verdict::kNotJudgeable);
  EXPECT_EQ(verdict(12000, kPartials), Verdict::kWrong);
}

// 2 * 3 * 5 by 7, modulo 2^64 or 2^32; in none to four parts.
TEST(JudgeStartValues, ProductsOfIntegers) {
  for (const ElementType type : {ElementType::kS64, ElementType::kU64, ElementType::kS32}) {
    const std::string name(Info(type).name);
    const Case product(absl::StrCat(name, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                       {absl::StrCat(name, "[3]"), absl::StrCat(name, "[]")},
                       Region(name, "multiply"));
    const std::vector<Literal> operands = {Integers(type, {2, 3, 5}, {3}), Integers(type, {7}, {})};
    const auto explain = [&](uint64_t value, const char* profile) {
      return product.Explain(operands, Integers(type, {value}, {}), profile);
    };
    EXPECT_EQ(explain(210, "xla-cpu"), "golden");
    for (const uint64_t value : {30, 30 * 49, 30 * 343, 30 * 2401}) {
      EXPECT_EQ(explain(value, "xla-cpu"), "implementation_defined") << value;
      EXPECT_EQ(explain(value, "cpu-strict"), "wrong") << value;
    }
    EXPECT_EQ(explain(30 * 16807, "xla-cpu"), "wrong");
    EXPECT_EQ(explain(211, "xla-cpu"), "wrong");
  }
}

// A part that is infinite or a NaN however often the start value counts says nothing. The other
// part is judged as in every sum: (inf, 1) + (0, 2) from (3, 4).
TEST(JudgeStartValues, CountInPartsBesideInfinities) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[2]", "c64[]"},
                 Region("c64", "add"));
  for (const double special : std::vector<double>{kInfinity, -kInfinity, kNan}) {
    Literal terms = Literal::Zeros(Shape(ElementType::kC64, {2}));
    terms.Set(0, C64(special, 1).Get(0));
    terms.Set(1, C64(0, 2).Get(0));
    const std::vector<Literal> operands = {terms, C64(3, 4)};
    EXPECT_EQ(sum.Explain(operands, C64(special, 7)), "golden");
    for (const double value : {3, 11, 15}) {
      EXPECT_EQ(sum.Explain(operands, C64(special, value)), "implementation_defined") << value;
      EXPECT_EQ(sum.Explain(operands, C64(special, value), "cpu-strict"), "wrong") << value;
    }
    for (const double value : {8, -1, 19}) {
      EXPECT_EQ(sum.Explain(operands, C64(special, value)), "wrong") << value;
    }
    EXPECT_EQ(sum.Explain(operands, C64(5, 11)), "wrong");
    EXPECT_EQ(sum.Explain(operands, C64(special, kNan)), "wrong");
  }
}

// 1e38 + 0 from 2e38 is 3e38. With the start value in two parts it is beyond f32.
TEST(JudgeStartValues, MayOverflow) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[2]", "f32[]"},
                 Region("f32", "add"));
  const std::vector<Literal> operands = {F32({1e38F, 0}), Scalar(2e38F)};
  EXPECT_EQ(sum.Explain(operands, Scalar(kInfinity)), "implementation_defined");
  EXPECT_EQ(sum.Explain(operands, Scalar(kInfinity), "cpu-strict"), "wrong");
  EXPECT_EQ(sum.Explain(operands, Scalar(-kInfinity)), "wrong");
  EXPECT_EQ(sum.Explain(operands, Scalar(kNan)), "wrong");
  EXPECT_EQ(sum.Explain({operands[0], Scalar(1e37F)}, Scalar(kInfinity)), "wrong");
  const Case product("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[2]", "f32[]"},
                     Region("f32", "multiply"));
  const std::vector<Literal> factors = {F32({1e20F, -1}), Scalar(1e10F)};
  EXPECT_EQ(product.Explain(factors, Scalar(-kInfinity)), "implementation_defined");
  EXPECT_EQ(product.Explain(factors, Scalar(kInfinity)), "wrong");
  EXPECT_EQ(product.Explain({factors[0], Scalar(10)}, Scalar(-kInfinity)), "wrong");
  const std::vector<Literal> small = {F32({1e-20F, 1}), Scalar(1e-15F)};
  EXPECT_EQ(product.Explain(small, Scalar(0)), "implementation_defined");
  EXPECT_EQ(product.Explain({small[0], Scalar(1e-5F)}, Scalar(0)), "wrong");
}

// Partial sums overflow by the terms of one sign: 2e37 + 3e38 are in the range of f32, two more
// uses of the start value take them beyond it, although the sum of all terms stays small.
TEST(JudgeStartValues, MayOverflowOnTheWay) {
  const auto sum = [](const char* count) {
    return Case("f32[] reduce(p0, p1), dimensions={0}, to_apply=f",
                {absl::StrCat("f32[", count, "]"), "f32[]"}, Region("f32", "add"));
  };
  const std::vector<Literal> operands = {F32({3e38F, -3e38F}), Scalar(2e37F)};
  EXPECT_EQ(sum("2").Explain(operands, Scalar(kInfinity)), "implementation_defined");
  EXPECT_EQ(sum("2").Explain(operands, Scalar(kInfinity), "cpu-strict"), "wrong");
  EXPECT_EQ(sum("2").Explain(operands, Scalar(-kInfinity)), "wrong");
  EXPECT_EQ(sum("2").Explain(operands, Scalar(kNan)), "wrong");
  const std::vector<Literal> small = {operands[0], Scalar(1e37F)};
  EXPECT_EQ(sum("2").Explain(small, Scalar(kInfinity)), "wrong");
  const std::vector<Literal> negative = {operands[0], Scalar(-2e37F)};
  EXPECT_EQ(sum("2").Explain(negative, Scalar(-kInfinity)), "implementation_defined");
  EXPECT_EQ(sum("2").Explain(negative, Scalar(kInfinity)), "wrong");
  // The negative terms may overflow anyhow. The two infinities may meet.
  const std::vector<Literal> both = {F32({3e38F, -3e38F, -1e38F}), Scalar(2e37F)};
  EXPECT_EQ(sum("3").Explain(both, Scalar(kInfinity)), "implementation_defined");
  EXPECT_EQ(sum("3").Explain(both, Scalar(kNan)), "implementation_defined");
  EXPECT_EQ(sum("3").Explain({both[0], Scalar(5e36F)}, Scalar(kNan)), "wrong");
  // In the parts of a complex sum.
  const Case complex("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[2]", "c64[]"},
                     Region("c64", "add"));
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {2}));
  terms.Set(0, C64(3e38F, 1).Get(0));
  terms.Set(1, C64(-3e38F, 2).Get(0));
  const std::vector<Literal> parts = {terms, C64(2e37F, 0)};
  EXPECT_EQ(complex.Explain(parts, C64(kInfinity, 3)), "implementation_defined");
  EXPECT_EQ(complex.Explain(parts, C64(kInfinity, 5)), "wrong");
  EXPECT_EQ(complex.Explain(parts, C64(kNan, 3)), "wrong");
}

// A start value that hides the elements may be missing: 1 + 2 from infinity or NaN, 2 * 3 from 0.
TEST(JudgeStartValues, MayBeMissingFromSumsAndProducts) {
  const auto reduce = [](const std::string& opcode) {
    return Case("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[2]", "f32[]"},
                Region("f32", opcode));
  };
  const Case sum = reduce("add"), product = reduce("multiply");
  for (const double start : std::vector<double>{kInfinity, -kInfinity, kNan}) {
    const std::vector<Literal> operands = {F32({1, 2}), Scalar(start)};
    EXPECT_EQ(sum.Explain(operands, Scalar(start)), "golden");
    EXPECT_EQ(sum.Explain(operands, Scalar(3)), "implementation_defined");
    EXPECT_EQ(sum.Explain(operands, Scalar(3), "cpu-strict"), "wrong");
    EXPECT_EQ(sum.Explain(operands, Scalar(4)), "wrong");
  }
  EXPECT_EQ(product.Explain({F32({2, 3}), Scalar(0)}, Scalar(6)), "implementation_defined");
  EXPECT_EQ(product.Explain({F32({2, 3}), Scalar(0)}, Scalar(7)), "wrong");
  EXPECT_EQ(product.Explain({F32({2, 3}), Scalar(0)}, Scalar(6), "cpu-strict"), "wrong");
}

// The start value hides what the elements are, but the value without it has errors of its own. The
// product 1.1 * 1.3 * 1.7 * 1.9 is 4.6189, one ulp there 4.8e-7. 1e8 + 1 - 1e8 + 1 is 2, in f32 0
// to 2 by the order of the terms, and 4 u sum|terms| is 48.
TEST(JudgeStartValues, MissingHasItsOwnBound) {
  const auto reduce = [](const std::string& opcode) {
    return Case("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[4]", "f32[]"},
                Region("f32", opcode));
  };
  const Case sum = reduce("add"), product = reduce("multiply");
  const Literal factors = F32({1.1F, 1.3F, 1.7F, 1.9F}), terms = F32({1e8F, 1, -1e8F, 1});
  for (const double start : std::vector<double>{0, kInfinity, kNan}) {
    for (const float value : {4.6188993F, 4.6189003F, 4.618901F}) {
      EXPECT_EQ(product.Explain({factors, Scalar(start)}, Scalar(value)), "implementation_defined")
          << start << ' ' << value;
      EXPECT_EQ(product.Explain({factors, Scalar(start)}, Scalar(value), "cpu-strict"), "wrong");
    }
    EXPECT_EQ(product.Explain({factors, Scalar(start)}, Scalar(4.61892F)), "wrong") << start;
  }
  for (const double start : std::vector<double>{kInfinity, -kInfinity, kNan}) {
    for (const double value : {0, 1, 2}) {
      EXPECT_EQ(sum.Explain({terms, Scalar(start)}, Scalar(value)), "implementation_defined")
          << start << ' ' << value;
    }
    EXPECT_EQ(sum.Explain({terms, Scalar(start)}, Scalar(1000)), "wrong") << start;
  }
}

// 1 + 1 + 2 + 2 is 6, however large the start value is that is left out.
TEST(JudgeStartValues, LargeStartsDoNotMakeTheSumFree) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[4]", "f32[]"},
                 Region("f32", "add"));
  const std::vector<Literal> operands = {F32({1, 1, 2, 2}), Scalar(1e30F)};
  EXPECT_EQ(sum.Explain(operands, Scalar(1e30F)), "golden");
  for (const float value : {6.0F, 2e30F, 5e30F}) {
    EXPECT_EQ(sum.Explain(operands, Scalar(value)), "implementation_defined") << value;
  }
  for (const float value : {1e22F, -5.0F, 0.0F, 7.0F, 6e30F, -1e30F}) {
    EXPECT_EQ(sum.Explain(operands, Scalar(value)), "wrong") << value;
  }
}

// With the start value the result leaves the range of the type; without it, it does not.
TEST(JudgeStartValues, MayBeMissingWhereTheResultLeavesTheRange) {
  const auto reduce = [](const std::string& opcode) {
    return Case("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[2]", "f32[]"},
                Region("f32", opcode));
  };
  const Case sum = reduce("add"), product = reduce("multiply");
  const std::vector<Literal> terms = {F32({3e38F, -1e38F}), Scalar(3e38F)};
  EXPECT_EQ(sum.Explain(terms, Scalar(2e38F)), "implementation_defined");
  EXPECT_EQ(sum.Explain(terms, Scalar(2e38F), "cpu-strict"), "wrong");
  EXPECT_EQ(sum.Explain(terms, Scalar(1e38F)), "wrong");
  const std::vector<Literal> large = {F32({1e20F, 1e10F}), Scalar(1e10F)};
  EXPECT_EQ(product.Explain(large, Scalar(1e30F)), "implementation_defined");
  EXPECT_EQ(product.Explain(large, Scalar(1e30F), "cpu-strict"), "wrong");
  EXPECT_EQ(product.Explain(large, Scalar(2e30F)), "wrong");
  EXPECT_EQ(product.Explain(large, Scalar(1e10F)), "wrong");
  const std::vector<Literal> small = {F32({1e-15F, 1e-15F}), Scalar(1e-20F)};
  EXPECT_EQ(product.Explain(small, Scalar(1e-30F)), "implementation_defined");
  EXPECT_EQ(product.Explain(small, Scalar(1e-30F), "cpu-strict"), "wrong");
  EXPECT_EQ(product.Explain(small, Scalar(2e-30F)), "wrong");
}

// 3e38 + 3e38 is beyond f32 with a start value of -1e38 in one or two parts. In three, which are
// the most, it is 3e38. A second infinity needs more.
TEST(JudgeStartValues, MayBringASumBackIntoTheRange) {
  const auto sum = [](const std::string& type, int count) {
    return Case(absl::StrCat(type, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                {absl::StrCat(type, "[", count, "]"), absl::StrCat(type, "[]")},
                Region(type, "add"));
  };
  const std::vector<Literal> operands = {F32({3e38F, 3e38F}), Scalar(-1e38F)};
  EXPECT_EQ(sum("f32", 2).Explain(operands, Scalar(kInfinity)), "golden");
  EXPECT_EQ(sum("f32", 2).Explain(operands, Scalar(3e38F)), "implementation_defined");
  EXPECT_EQ(sum("f32", 2).Explain(operands, Scalar(3e38F), "cpu-strict"), "wrong");
  for (const double value : {2e38, 2.5e38, 2.999e38, -3e38, -kInfinity}) {
    EXPECT_EQ(sum("f32", 2).Explain(operands, Scalar(value)), "wrong") << value;
  }
  // With zeros beside them there may be six parts: 6e38 - 5 * 2e38 is below the range.
  const std::vector<Literal> more = {F32({3e38F, 3e38F, 0, 0, 0}), Scalar(-2e38F)};
  EXPECT_EQ(sum("f32", 5).Explain(more, Scalar(-2e38F)), "implementation_defined");
  EXPECT_EQ(sum("f32", 5).Explain(more, Scalar(-kInfinity)), "implementation_defined");
  EXPECT_EQ(sum("f32", 5).Explain(more, Scalar(-1e38F)), "wrong");
  // Six start values alone may be added up first.
  EXPECT_EQ(sum("f32", 5).Explain({more[0], Scalar(-6e37F)}, Scalar(-kInfinity)),
            "implementation_defined");
  EXPECT_EQ(sum("f32", 5).Explain({more[0], Scalar(-5e37F)}, Scalar(-kInfinity)), "wrong");
  const auto f64 = [](const std::vector<double>& values) {
    return Array(ElementType::kF64, values);
  };
  const auto start = [](double value) {
    return Literal::Scalar(ElementType::kF64, {EncodeFloat(ElementType::kF64, value)});
  };
  const std::vector<Literal> doubles = {f64({1.5e308, 1.5e308}), start(-6e307)};
  EXPECT_EQ(sum("f64", 2).Explain(doubles, start(kInfinity)), "golden");
  EXPECT_EQ(sum("f64", 2).Explain(doubles, start(1.2e308)), "implementation_defined");
  for (const double value : {1.3e308, 1.1e308, 6e307}) {
    EXPECT_EQ(sum("f64", 2).Explain(doubles, start(value)), "wrong") << value;
  }
  EXPECT_EQ(sum("f64", 2).Explain(doubles, start(-kInfinity)), "implementation_defined");
  EXPECT_EQ(sum("f64", 2).Explain({doubles[0], start(-5e307)}, start(-kInfinity)), "wrong");
}

// Terms whose magnitudes add up beyond the largest double tell how often 1e300 counts, as do those
// of complex numbers.
TEST(JudgeStartValues, CountBesideTermsBeyondTheLargestDouble) {
  const Case sum("f64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f64[4]", "f64[]"},
                 Region("f64", "add"));
  const auto f64 = [](double value) {
    return Literal::Scalar(ElementType::kF64, {EncodeFloat(ElementType::kF64, value)});
  };
  const std::vector<Literal> operands = {
      Array(ElementType::kF64, {1.5e308, -1.5e308, 1.5e308, -1.5e308}), f64(1e300)};
  EXPECT_EQ(sum.Explain(operands, f64(1e300)), "golden");
  EXPECT_EQ(sum.Explain(operands, f64(0)), "implementation_defined");
  EXPECT_EQ(sum.Explain(operands, f64(3e300)), "implementation_defined");
  for (const double value : {2.5e300, -1e300, 7e300, 1e305}) {
    EXPECT_EQ(sum.Explain(operands, f64(value)), "wrong") << value;
  }
  const Case complex("c128[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c128[4]", "c128[]"},
                     Region("c128", "add"));
  const auto c128 = [](double real, double imag) {
    return Literal::Scalar(ElementType::kC128, {EncodeFloat(ElementType::kF64, real),
                                                EncodeFloat(ElementType::kF64, imag)});
  };
  Literal terms = Literal::Zeros(Shape(ElementType::kC128, {4}));
  for (int k = 0; k < 4; ++k) terms.Set(k, c128(k % 2 == 0 ? 1.5e308 : -1.5e308, 1).Get(0));
  const std::vector<Literal> both = {terms, c128(1e300, 1)};
  EXPECT_EQ(complex.Explain(both, c128(1e300, 5)), "golden");
  EXPECT_EQ(complex.Explain(both, c128(3e300, 7)), "implementation_defined");
  EXPECT_EQ(complex.Explain(both, c128(3e300, 6)), "wrong");
  EXPECT_EQ(complex.Explain(both, c128(2.5e300, 7)), "wrong");
}

// f8e8m0fnu has no zero to start from instead: 1 + 1 + 2 + 4 is 8, whatever it starts from.
TEST(JudgeStartValues, MayBeMissingWithoutAZero) {
  constexpr ElementType kType = ElementType::kF8E8M0FNU;
  const Case sum("f8e8m0fnu[] reduce(p0, p1), dimensions={0}, to_apply=f",
                 {"f8e8m0fnu[4]", "f8e8m0fnu[]"}, Region("f8e8m0fnu", "add"));
  const auto scale = [](double value) {
    return Literal::Scalar(kType, {EncodeFloat(kType, value)});
  };
  const auto admits = TargetProfile::FromText("extends: 'cpu-strict' admit: 'W-12'", "here");
  ASSERT_TRUE(admits.ok()) << admits.status();
  for (const double start : std::vector<double>{0x1p100, kNan}) {
    const std::vector<Literal> operands = {Array(kType, {1, 1, 2, 4}), scale(start)};
    EXPECT_EQ(sum.Explain(operands, scale(start)), "golden");
    EXPECT_EQ(sum.Explain(operands, scale(8)), "implementation_defined") << start;
    EXPECT_EQ(sum.Explain(operands, scale(8), "cpu-strict"), "wrong") << start;
    EXPECT_EQ(sum.JudgeBy(*admits, operands, scale(8)).verdict, Verdict::kAllowed) << start;
    for (const double value : {0x1p50, 16.0, 4.0, 1.0 / 16}) {
      EXPECT_EQ(sum.JudgeBy(*admits, operands, scale(value)).verdict, Verdict::kWrong) << value;
    }
  }
}

// (1, 1) + (1, 2) from (inf, 1): the imaginary part tells how often the start value counts. In
// (0, 1) + (0, 2) from (3e38, 1e-30) the real part alone tells that it counts twice.
TEST(JudgeStartValues, OnePartTellsTheUses) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[2]", "c64[]"},
                 Region("c64", "add"));
  const auto terms = [](double real) {
    Literal both = Literal::Zeros(Shape(ElementType::kC64, {2}));
    both.Set(0, C64(real, 1).Get(0));
    both.Set(1, C64(real, 2).Get(0));
    return both;
  };
  const std::vector<Literal> infinite = {terms(1), C64(kInfinity, 1)};
  EXPECT_EQ(sum.Explain(infinite, C64(kInfinity, 4)), "golden");
  EXPECT_EQ(sum.Explain(infinite, C64(2, 3)), "implementation_defined");
  for (const double value : {5, 6}) {
    EXPECT_EQ(sum.Explain(infinite, C64(kInfinity, value)), "implementation_defined") << value;
    EXPECT_EQ(sum.Explain(infinite, C64(kInfinity, value), "cpu-strict"), "wrong") << value;
  }
  for (const double value : {2.0, 4.5, 9.0}) {
    EXPECT_EQ(sum.Explain(infinite, C64(kInfinity, value)), "wrong") << value;
  }
  const std::vector<Literal> large = {terms(0), C64(3e38F, 1e-30F)};
  EXPECT_EQ(sum.Explain(large, C64(kInfinity, 3)), "implementation_defined");
  EXPECT_EQ(sum.Explain(large, C64(kInfinity, 3), "cpu-strict"), "wrong");
  EXPECT_EQ(sum.Explain(large, C64(-kInfinity, 3)), "wrong");
  EXPECT_EQ(sum.Explain(large, C64(kInfinity, 4)), "wrong");
}

// Two empty halves, each of which begins with the start value.
TEST(JudgeStartValues, CountTwiceWithoutElements) {
  const Case sum("f32[2] reduce(p0, p1), dimensions={1}, to_apply=f", {"f32[2,0]", "f32[]"},
                 Region("f32", "add"));
  const std::vector<Literal> operands = {Literal::Zeros(Shape(ElementType::kF32, {2, 0})),
                                         Scalar(4)};
  EXPECT_EQ(sum.Explain(operands, F32({4, 4})), "golden");
  EXPECT_EQ(sum.Explain(operands, F32({8, 8})), "implementation_defined");
  EXPECT_EQ(sum.Explain(operands, F32({8, 8}), "cpu-strict"), "wrong");
  EXPECT_EQ(sum.Explain(operands, F32({5, 5})), "wrong");
}

// -1 is no identity: it may change the sign.
TEST(JudgeStartValues, MinusOne) {
  const Case product("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[3]", "f32[]"},
                     Region("f32", "multiply"));
  const std::vector<Literal> operands = {F32({1, 2, 3}), Scalar(-1)};
  EXPECT_EQ(product.Explain(operands, Scalar(-6)), "golden");
  EXPECT_EQ(product.Explain(operands, Scalar(6)), "implementation_defined");
  EXPECT_EQ(product.Explain(operands, Scalar(6), "cpu-strict"), "wrong");
  EXPECT_EQ(product.Explain({operands[0], Scalar(1)}, Scalar(-6)), "wrong");
}

// (1 + i) 3 2i: another 2i makes 6i (1 + i) * 2i = -12 - 12 i, none 3 + 3 i.
TEST(JudgeStartValues, ComplexProducts) {
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[2]", "c64[]"},
                     Region("c64", "multiply"));
  Literal factors = Literal::Zeros(Shape(ElementType::kC64, {2}));
  factors.Set(0, C64(1, 1).Get(0));
  factors.Set(1, C64(3, 0).Get(0));
  const std::vector<Literal> operands = {factors, C64(0, 2)};
  EXPECT_EQ(product.Explain(operands, C64(-6, 6)), "golden");
  EXPECT_EQ(product.Explain(operands, C64(-12, -12)), "implementation_defined");
  EXPECT_EQ(product.Explain(operands, C64(3, 3)), "implementation_defined");
  EXPECT_EQ(product.Explain(operands, C64(3, 3), "cpu-strict"), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(12, 12)), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(3, -3)), "wrong");
}

// Where nothing is folded the element itself may come back, whatever the reducer does.
TEST(JudgeStartValues, MayBeDroppedWhereNothingIsFolded) {
  const auto s32 = [](uint64_t value, const Dimensions& sizes) {
    return Integers(ElementType::kS32, {value}, sizes);
  };
  const Case window("s32[] reduce-window(p0, p1), to_apply=f", {"s32[]", "s32[]"},
                    Region("s32", "add"));
  EXPECT_EQ(window.Explain({s32(3, {}), s32(10, {})}, s32(13, {})), "golden");
  EXPECT_EQ(window.Explain({s32(3, {}), s32(10, {})}, s32(3, {})), "implementation_defined");
  EXPECT_EQ(window.Explain({s32(3, {}), s32(10, {})}, s32(3, {}), "cpu-strict"), "wrong");
  EXPECT_EQ(window.Explain({s32(3, {}), s32(10, {})}, s32(23, {})), "wrong");
  const Case largest("s32[1] reduce(p0, p1), dimensions={1}, to_apply=f", {"s32[1,1]", "s32[]"},
                     Region("s32", "maximum"));
  EXPECT_EQ(largest.Explain({s32(3, {1, 1}), s32(10, {})}, s32(3, {1})), "implementation_defined");
  EXPECT_EQ(largest.Explain({s32(3, {1, 1}), s32(10, {})}, s32(4, {1})), "wrong");
  const Case two("s32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"s32[2]", "s32[]"},
                 Region("s32", "maximum"));
  const std::vector<Literal> more = {Integers(ElementType::kS32, {3, 4}, {2}), s32(10, {})};
  EXPECT_EQ(two.Explain(more, s32(4, {})), "implementation_defined");
  EXPECT_EQ(two.Explain(more, s32(3, {})), "wrong");
}

// Counting it again changes nothing in a minimum, maximum, and or or; leaving it out does.
TEST(JudgeStartValues, MayBeMissing) {
  const auto reduce = [](const std::string& type, const std::string& opcode) {
    return Case(absl::StrCat(type, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                {absl::StrCat(type, "[2]"), absl::StrCat(type, "[]")}, Region(type, opcode));
  };
  const std::vector<Literal> least = {F32({3, 4}), Scalar(-1)}, most = {F32({3, 4}), Scalar(5)},
                             nan = {F32({3, 4}), Scalar(kNan)};
  const Case minimum = reduce("f32", "minimum"), maximum = reduce("f32", "maximum");
  EXPECT_EQ(minimum.Explain(least, Scalar(-1)), "golden");
  EXPECT_EQ(minimum.Explain(least, Scalar(3)), "implementation_defined");
  EXPECT_EQ(minimum.Explain(least, Scalar(3), "cpu-strict"), "wrong");
  EXPECT_EQ(minimum.Explain(least, Scalar(4)), "wrong");
  EXPECT_EQ(maximum.Explain(most, Scalar(4)), "implementation_defined");
  EXPECT_EQ(maximum.Explain(most, Scalar(3)), "wrong");
  EXPECT_EQ(maximum.Explain(nan, Scalar(kNan)), "golden");
  EXPECT_EQ(maximum.Explain(nan, Scalar(4)), "implementation_defined");
  EXPECT_EQ(minimum.Explain(nan, Scalar(4)), "wrong");
  const auto u8 = [](const std::vector<uint64_t>& values, const Dimensions& sizes) {
    return Integers(ElementType::kU8, values, sizes);
  };
  const std::vector<Literal> bits = {u8({0b1110, 0b0111}, {2}), u8({0b0011}, {})};
  const Case conjunction = reduce("u8", "and"), disjunction = reduce("u8", "or");
  EXPECT_EQ(conjunction.Explain(bits, u8({0b0010}, {})), "golden");
  EXPECT_EQ(conjunction.Explain(bits, u8({0b0110}, {})), "implementation_defined");
  EXPECT_EQ(conjunction.Explain(bits, u8({0b0110}, {}), "golden"), "wrong");
  EXPECT_EQ(conjunction.Explain(bits, u8({0b0111}, {})), "wrong");
  const std::vector<Literal> more = {u8({0b1000, 0b0100}, {2}), u8({0b0001}, {})};
  EXPECT_EQ(disjunction.Explain(more, u8({0b1100}, {})), "implementation_defined");
  EXPECT_EQ(disjunction.Explain(more, u8({0b1000}, {})), "wrong");
  // The type has no infinity: its least number is neutral.
  const auto narrow = [](double value) {
    return Literal::Scalar(ElementType::kF8E4M3FN, {EncodeFloat(ElementType::kF8E4M3FN, value)});
  };
  EXPECT_EQ(reduce("f8e4m3fn", "maximum")
                .Explain({Array(ElementType::kF8E4M3FN, {-448, -3}), narrow(2)}, narrow(-3)),
            "implementation_defined");
}

}  // namespace
}  // namespace assay::conformance
