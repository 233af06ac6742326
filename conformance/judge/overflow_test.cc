// What overflow on the way leaves open (reference ops_structural.md 14.2), and nothing beside it:
// sums beyond f64, complex ones, running products, transforms.
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

using ElementType::kC128;
using ElementType::kC64;
using ElementType::kF16;
using ElementType::kF32;
using ElementType::kF64;

Literal ScalarOf(ElementType type, double value) {
  return Literal::Scalar(type, Element{EncodeFloat(type, value)});
}

Literal Complex(ElementType type, const std::vector<std::pair<double, double>>& values) {
  const ElementType part = Info(type).component;
  Literal literal = Literal::Zeros(Shape(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i),
                {EncodeFloat(part, values[i].first), EncodeFloat(part, values[i].second)});
  }
  return literal;
}

std::string DotText(const std::string& type) {
  return type + "[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
}

// 2e400 is infinite, and of products that are infinite a sum may be NaN. It is no finite number.
TEST(JudgeOverflow, SumsBeyondF64) {
  const Case dot(DotText("f64"), {"f64[2]", "f64[2]"});
  const Literal large = Array(kF64, {1e200, 1e200});
  EXPECT_EQ(dot.Explain({large, large}, ScalarOf(kF64, kInf)), "golden");
  for (const char* profile : {"cpu-strict", "xla-cpu", "gpu"}) {
    EXPECT_EQ(dot.Explain({large, large}, ScalarOf(kF64, kNan), profile), "reassociation");
    EXPECT_EQ(dot.Explain({large, large}, ScalarOf(kF64, 5), profile), "wrong");
    EXPECT_EQ(dot.Explain({large, large}, ScalarOf(kF64, 1.7e308), profile), "wrong");
  }
  EXPECT_EQ(dot.Explain({large, large}, ScalarOf(kF64, kNan), "golden"), "wrong");
  // 2e308 is 2e307 beyond the largest value, 2 u S is 4e292.
  const Literal half = Array(kF64, {1e154, 1e154});
  EXPECT_EQ(dot.Explain({half, half}, ScalarOf(kF64, 1.79e308)), "wrong");
  // The sum is 2^1024, n u S = 2^972, the step below the largest value 2^971.
  const Literal powers = Array(kF64, {0x1p512, 0x1p511});
  const Literal others = Array(kF64, {0x1p511, 0x1p512});
  EXPECT_EQ(dot.Explain({powers, others}, ScalarOf(kF64, kInf)), "golden");
  EXPECT_EQ(dot.Explain({powers, others}, ScalarOf(kF64, 0x1.fffffffffffffp1023)), "reassociation");
  EXPECT_EQ(dot.Explain({powers, others}, ScalarOf(kF64, 0x1.ffffffffffffcp1023)), "wrong");
}

// 1e400 - 1e400 + 5: any finite number is within 3 u 2e400 of 5.
TEST(JudgeOverflow, WhatCancelsBeyondF64IsUnconstrained) {
  const Case dot(DotText("f64"), {"f64[3]", "f64[3]"});
  const std::vector<Literal> operands = {Array(kF64, {1e200, 1e200, 1}),
                                         Array(kF64, {1e200, -1e200, 5})};
  for (const double value : {5.5, -1e308, static_cast<double>(kNan), static_cast<double>(kInf)}) {
    EXPECT_EQ(dot.Explain(operands, ScalarOf(kF64, value)), "reassociation") << value;
    EXPECT_EQ(dot.Explain(operands, ScalarOf(kF64, value), "golden"), "wrong") << value;
  }
}

// The real parts meet an infinity, and the imaginary ones overflow on the way: 2^127 + 2^127 -
// 2^127.
TEST(JudgeOverflow, OnePartBesideAnInfiniteOne) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[3]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  const Literal zero = Literal::Scalar(kC64, {});
  const auto c64 = [](double real, double imag) {
    return Literal::Scalar(kC64, {EncodeFloat(kF32, real), EncodeFloat(kF32, imag)});
  };
  const Literal terms = Complex(kC64, {{kInf, 0x1p127}, {1, 0x1p127}, {1, -0x1p127}});
  EXPECT_EQ(sum.Explain({terms, zero}, c64(kInf, kInf), "xla-cpu"), "reassociation");
  EXPECT_EQ(sum.Explain({terms, zero}, c64(kInf, kInf), "golden"), "wrong");
  const Literal small = Complex(kC64, {{kInf, 0x1p120}, {1, 0x1p120}, {1, -0x1p120}});
  EXPECT_EQ(sum.Explain({small, zero}, c64(kInf, kInf), "xla-cpu"), "wrong");
}

// Decision X-1 holds for the products that a dot or a reduction forms.
TEST(JudgeOverflow, ComplexProductsThatAreNotFinite) {
  const Case dot(DotText("c64"), {"c64[2]", "c64[2]"});
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[2]", "c64[]"},
                     "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                     "  ROOT s = c64[] multiply(a, b)\n}\n");
  const auto c64 = [](double real, double imag) {
    return Literal::Scalar(kC64, {EncodeFloat(kF32, real), EncodeFloat(kF32, imag)});
  };
  const Literal infinite = Complex(kC64, {{kInf, 2}, {3, 4}});
  const Literal others = Complex(kC64, {{1, 0}, {1, 1}});
  for (const Literal& value : {c64(kNan, -kInf), c64(-kInf, kNan)}) {
    EXPECT_EQ(dot.Explain({infinite, others}, value, "xla-cpu"), "implementation_defined");
    EXPECT_EQ(dot.Explain({infinite, others}, value, "golden"), "wrong");
    EXPECT_EQ(product.Explain({infinite, c64(1, 0)}, value, "xla-cpu"), "implementation_defined");
    EXPECT_EQ(product.Explain({infinite, c64(1, 0)}, value, "golden"), "wrong");
  }
  EXPECT_EQ(dot.Explain({infinite, others}, c64(5, 5), "xla-cpu"), "wrong");
  EXPECT_EQ(dot.Explain({others, others}, c64(kNan, kNan), "xla-cpu"), "wrong");
}

// 3 * 3.4e38 overflows in f32; beside -inf it makes a NaN in some order, and never +inf.
TEST(JudgeOverflow, InfiniteTermsBesideSumsThatOverflow) {
  const Case dot("bf16[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"bf16[3]", "bf16[3]"});
  const auto bf16 = [](double value) { return ScalarOf(ElementType::kBF16, value); };
  const Literal factors = Array(ElementType::kBF16, {1, 3, 1});
  const std::vector<Literal> open = {Array(ElementType::kBF16, {-kInf, 0x1.fep127, 5}), factors};
  const std::vector<Literal> certain = {Array(ElementType::kBF16, {-kInf, 0x1.fep125, 5}), factors};
  for (const char* profile : {"cpu-strict", "xla-cpu", "gpu"}) {
    EXPECT_EQ(dot.Explain(open, bf16(-kInf), profile), "golden");
    EXPECT_EQ(dot.Explain(open, bf16(kNan), profile), "reassociation");
    EXPECT_EQ(dot.Explain(open, bf16(kInf), profile), "wrong");
    EXPECT_EQ(dot.Explain(open, bf16(5), profile), "wrong");
    EXPECT_EQ(dot.Explain(certain, bf16(kNan), profile), "wrong");
  }
  EXPECT_EQ(dot.Explain(open, bf16(kNan), "golden"), "wrong");
}

// Terms of the infinity's own sign take nothing to the other one.
TEST(JudgeOverflow, InfiniteTermsBesideSumsOfTheirSign) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[4]", "f32[]"},
                 "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                 "  ROOT s = f32[] add(a, b)\n}\n");
  const auto explain = [&](const std::vector<double>& terms, double value) {
    return sum.Explain({Array(kF32, terms), ScalarOf(kF32, 0)}, ScalarOf(kF32, value));
  };
  EXPECT_EQ(explain({kInf, 3e38, 3e38, 1}, kNan), "wrong");
  EXPECT_EQ(explain({kInf, -3e38, -3e38, 1}, kNan), "reassociation");
  EXPECT_EQ(explain({-kInf, 3e38, 3e38, 1}, kNan), "reassociation");
  EXPECT_EQ(explain({-kInf, -3e38, -3e38, 1}, kNan), "wrong");
}

// An infinity in another row says nothing of this one: 3e38 squared is infinite, times 0 NaN.
TEST(JudgeOverflow, ProductsOverflowRowByRow) {
  const Case product("f32[3] reduce(p0, p1), dimensions={1}, to_apply=f", {"f32[3,3]", "f32[]"},
                     "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT s = f32[] multiply(a, b)\n}\n");
  const Literal rows =
      Array(kF32, {3e38, 3e38, 0, kInf, 2, 2, kInf, 1e-30, 1e-30}).WithShape(Shape(kF32, {3, 3}));
  const auto explain = [&](double first, double second, double third) {
    return product.Explain({rows, ScalarOf(kF32, 1)}, Array(kF32, {first, second, third}));
  };
  EXPECT_EQ(explain(0, kInf, kInf), "golden");
  EXPECT_EQ(explain(kNan, kInf, kInf), "reassociation");
  EXPECT_EQ(explain(0, kNan, kInf), "wrong");
  // 1e-30 squared is zero, times infinity NaN.
  EXPECT_EQ(explain(0, kInf, kNan), "reassociation");
}

// Partial sums reach an infinity by terms of its sign, and a NaN by both. Products keep their sign.
TEST(JudgeOverflow, ReachesTheInfinityOfItsTerms) {
  const auto fold = [](const std::string& type, const std::string& opcode) {
    return Case(absl::StrCat(type, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                {absl::StrCat(type, "[4]"), absl::StrCat(type, "[]")},
                absl::StrCat("f {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                             "[] parameter(1)\n  ROOT s = ", type, "[] ", opcode, "(a, b)\n}\n"));
  };
  for (const auto& [type, large] : {std::make_pair(kF32, 3e38), std::make_pair(kF64, 1.5e308)}) {
    const std::string name = type == kF32 ? "f32" : "f64";
    const auto sum = [&, type = type](const std::vector<double>& terms, double value) {
      return fold(name, "add")
          .Explain({Array(type, terms), ScalarOf(type, 0)}, ScalarOf(type, value), "cpu-strict");
    };
    for (const double side : {1.0, -1.0}) {
      const double one = side * large;
      EXPECT_EQ(sum({one, one, 1, 2}, side * kInfinity), "golden");
      for (const double value : {-side * kInfinity, double{kNan}}) {
        EXPECT_EQ(sum({one, one, 1, 2}, value), "wrong") << name << value;
        EXPECT_EQ(sum({one, one, one, -one}, value), "wrong") << name << value;
        EXPECT_EQ(sum({one, one, -one, -one}, value), "reassociation") << name << value;
      }
      EXPECT_EQ(sum({one, one, -one, 1}, side * kInfinity), "reassociation");
    }
    const double root = type == kF32 ? 1e20 : 1e160;
    const auto product = [&, type = type](const std::vector<double>& factors, double value) {
      return fold(name, "multiply")
          .Explain({Array(type, factors), ScalarOf(type, 1)}, ScalarOf(type, value), "cpu-strict");
    };
    for (const double side : {1.0, -1.0}) {
      const double infinity = side * kInfinity;
      EXPECT_EQ(product({root, side * root, 1, 1}, infinity), "golden");
      EXPECT_EQ(product({root, side * root, 1, 1}, -infinity), "wrong");
      EXPECT_EQ(product({root, side * root, 1, 1}, kNan), "wrong");
      EXPECT_EQ(product({root, side * root, 1, 1}, side * root), "wrong");
      EXPECT_EQ(product({root, side * root, 1 / root, 1}, infinity), "reassociation");
      EXPECT_EQ(product({root, side * root, 1 / root, 1}, -infinity), "wrong");
      EXPECT_EQ(product({root, side * root, 1 / root, 1}, kNan), "wrong");
      const double tiny = 1 / root / root / 1e5;  // denormal, and its square is zero
      EXPECT_EQ(product({root, side * root, tiny, 1e5}, kNan), "reassociation");
      EXPECT_EQ(product({root, side * root, tiny, 1e5}, -infinity), "wrong");
    }
  }
}

// The parts of a complex sum overflow each on its own.
TEST(JudgeOverflow, PartsReachTheInfinityOfTheirTerms) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[2]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {2}));
  for (int k = 0; k < 2; ++k) terms.Set(k, C64(3e38F, -3e38F).Get(0));
  const auto explain = [&](float real, float imag) {
    return sum.Explain({terms, C64(0, 0)}, C64(real, imag), "cpu-strict");
  };
  EXPECT_EQ(explain(kInf, -kInf), "golden");
  EXPECT_EQ(explain(-kInf, -kInf), "wrong");
  EXPECT_EQ(explain(kInf, kInf), "wrong");
  EXPECT_EQ(explain(kNan, -kInf), "wrong");
}

// An infinity meets its opposite in the part in which finite terms reach it: the real part of
// (inf, inf) + (-3e38, -1) + (-3e38, 3e38).
TEST(JudgeOverflow, InfinitiesMeetInTheirOwnPart) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[3]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {3}));
  terms.Set(0, C64(kInf, kInf).Get(0));
  terms.Set(1, C64(-3e38F, -1).Get(0));
  terms.Set(2, C64(-3e38F, 3e38F).Get(0));
  const auto explain = [&](float real, float imag) {
    return sum.Explain({terms, C64(0, 0)}, C64(real, imag), "cpu-strict");
  };
  EXPECT_EQ(explain(kInf, kInf), "golden");
  EXPECT_EQ(explain(kNan, kInf), "reassociation");
  EXPECT_EQ(explain(kInf, kNan), "wrong");
  EXPECT_EQ(explain(kNan, kNan), "wrong");
}

// What a select-and-scatter selects by is not added up: cell 2 gets all three.
TEST(JudgeOverflow, InfinitiesThatSelect) {
  const Case scatter(
      "f32[5] select-and-scatter(p0, p1, p2), window={size=3}, select=ge, scatter=add",
      {"f32[5]", "f32[3]", "f32[]"},
      "ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=GE\n}\n"
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n");
  const Literal source = Array(kF32, {kInf, -3e38, -3e38});
  for (const double largest : {2.0, static_cast<double>(kInf)}) {
    const std::vector<Literal> operands = {Array(kF32, {1, 1, largest, 1, 1}), source,
                                           ScalarOf(kF32, 0)};
    EXPECT_EQ(scatter.Explain(operands, Array(kF32, {0, 0, kNan, 0, 0})), "reassociation");
    EXPECT_EQ(scatter.Explain(operands, Array(kF32, {0, kNan, kInf, 0, 0})), "wrong");
  }
}

// Four products of 0.4 of the least denormal: each is zero as it is rounded.
TEST(JudgeOverflow, ProductsOfF64ThatUnderflow) {
  const Case dot(DotText("f64"), {"f64[4]", "f64[4]"});
  const Literal small = Array(kF64, {0x1p-537, 0x1p-537, 0x1p-537, 0x1p-537});
  const Literal other = Array(kF64, {0x1.9999p-539, 0x1.9999p-539, 0x1.9999p-539, 0x1.9999p-539});
  EXPECT_EQ(dot.Explain({small, other}, ScalarOf(kF64, 0), "cpu-strict"), "reassociation");
  EXPECT_EQ(dot.Explain({small, other}, ScalarOf(kF64, 0x1p-1070), "cpu-strict"), "wrong");
}

// Products of integers are exact; their sum is that of the result's type.
TEST(JudgeOverflow, IntegersSummedAsFloats) {
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"s8[4]", "s8[4]"});
  Literal ones = Literal::Zeros(Shape(ElementType::kS8, {4}));
  for (int64_t i = 0; i < 4; ++i) ones.Set(i, {1});
  EXPECT_EQ(dot.Explain({ones, ones}, ScalarOf(kF32, 4)), "golden");
  EXPECT_EQ(dot.Explain({ones, ones}, ScalarOf(kF32, 7)), "wrong");
}

// Accumulated in f64 and rounded to f32, or accumulated in f32 (decision structural_52): products
// of 1e40 are infinite there, those of 1e36 are not.
TEST(JudgeOverflow, SumsOfF64RoundedToF32) {
  const Case dot("f32[] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                 {"f64[2]", "f64[2]"});
  const std::vector<Literal> operands = {Array(kF64, {1e200, -1e200}), Array(kF64, {1e200, 1e200})};
  EXPECT_EQ(dot.Explain(operands, Scalar(0)), "golden");
  EXPECT_EQ(dot.Explain(operands, Scalar(kNan)), "reassociation");
  const std::vector<Literal> narrow = {Array(kF64, {1e20, -1e20}), Array(kF64, {1e20, 1e20})};
  EXPECT_EQ(dot.Explain(narrow, Scalar(kNan)), "reassociation");
  const std::vector<Literal> finite = {Array(kF64, {1e18, -1e18}), Array(kF64, {1e18, 1e18})};
  EXPECT_EQ(dot.Explain(finite, Scalar(kNan)), "wrong");
}

// The sum, 4e38, is beyond bf16; a number far below it is none that its bound reaches.
TEST(JudgeOverflow, InfiniteSumsAreNoSmallNumbers) {
  const Case sum("bf16[] reduce(p0, p1), dimensions={0}, to_apply=f", {"bf16[2]", "bf16[]"},
                 "f {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n"
                 "  ROOT s = bf16[] add(a, b)\n}\n");
  const ElementType bf16 = ElementType::kBF16;
  const std::vector<Literal> operands = {Array(bf16, {2e38, 2e38}), ScalarOf(bf16, 0)};
  EXPECT_EQ(sum.Explain(operands, ScalarOf(bf16, kInf)), "golden");
  EXPECT_EQ(sum.Explain(operands, ScalarOf(bf16, 5), "cpu-strict"), "wrong");
  EXPECT_EQ(sum.Explain(operands, ScalarOf(bf16, 3.38e38), "cpu-strict"), "wrong");
  // An infinite element leaves nothing open where it is a term, and nothing less elsewhere.
  const Case rows("f32[2] reduce(p0, p1), dimensions={1}, to_apply=f", {"f32[2,2]", "f32[]"},
                  "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                  "  ROOT s = f32[] add(a, b)\n}\n");
  const Literal mixed = F32({kInf, 1, 3e38, 3e38}).WithShape(Shape(kF32, {2, 2}));
  EXPECT_EQ(rows.Explain({mixed, Scalar(0)}, F32({kInf, kNan})), "reassociation");
  EXPECT_EQ(rows.Explain({mixed, Scalar(0)}, F32({kNan, kInf})), "wrong");
}

// Each part overflows alone. (1e30 + i)(1e30 + 0i) = 1e60 + 1e30 i, twice.
TEST(JudgeOverflow, ComplexSums) {
  const Case dot(DotText("c64"), {"c64[2]", "c64[2]"});
  const std::vector<Literal> operands = {Complex(kC64, {{1e30, 1}, {1e30, 1}}),
                                         Complex(kC64, {{1e30, 0}, {1e30, 0}})};
  const Literal golden = *dot.Evaluate(operands);
  const auto imag = static_cast<float>(DecodeFloat(kF32, golden.Get(0).imag));
  EXPECT_EQ(dot.Explain(operands, C64(kInf, imag)), "golden");
  EXPECT_EQ(dot.Explain(operands, C64(kNan, kNan)), "reassociation");
  EXPECT_EQ(dot.Explain(operands, C64(kNan, imag)), "reassociation");
  EXPECT_EQ(dot.Explain(operands, C64(kNan, kNan), "golden"), "wrong");
  EXPECT_EQ(dot.Explain(operands, C64(5, imag)), "wrong");
  // Computed by three products, the terms of the imaginary part are those of the real one.
  EXPECT_EQ(dot.Explain(operands, C64(kInf, 0)), "reassociation");
  const std::vector<Literal> small = {Complex(kC64, {{1, 1}, {1, 1}}),
                                      Complex(kC64, {{1, 0}, {1, 0}})};
  EXPECT_EQ(dot.Explain(small, C64(kNan, 2)), "wrong");
  const Case wide(DotText("c128"), {"c128[2]", "c128[2]"});
  const std::vector<Literal> beyond = {Complex(kC128, {{1e200, 1}, {1e200, 1}}),
                                       Complex(kC128, {{1e200, 0}, {1e200, 0}})};
  const auto c128 = [](double real, double imaginary) {
    return Complex(kC128, {{real, imaginary}}).WithShape(Shape(kC128, {}));
  };
  EXPECT_EQ(wide.Explain(beyond, c128(kNan, kNan)), "reassociation");
  EXPECT_EQ(wide.Explain(beyond, c128(5, 2e200)), "wrong");
}

std::string RunningProduct(const std::string& type) {
  return absl::StrCat("f {\n  x = ", type, "[] parameter(0)\n  c = ", type,
                      "[] parameter(1)\n  s = ", type, "[] multiply(c, x)\n  ROOT r = (", type,
                      "[], ", type, "[]) tuple(s, s)\n}\n");
}

Literal Leaves(ElementType type, const std::vector<double>& running, double last) {
  return Literal::Tuple({Array(type, running), ScalarOf(type, last)});
}

// 2^16 is beyond f16: one that multiplies in f16 stays infinite.
TEST(JudgeOverflow, RunningProductsOverflowOnTheWay) {
  const auto scan = [](const char* associative) {
    return Case(absl::StrCat("(f16[3], f16[]) scan(p0, p1), dimensions={0}, num_carries=1, ",
                             "is_associative=", associative, ", to_apply=f"),
                {"f16[3]", "f16[]"}, RunningProduct("f16"));
  };
  const std::vector<Literal> operands = {Array(kF16, {256, 256, 0x1p-8}), ScalarOf(kF16, 1)};
  const Case sequential = scan("false"), any = scan("true");
  EXPECT_EQ(sequential.Explain(operands, Leaves(kF16, {256, kInf, 256}, 256)), "golden");
  EXPECT_EQ(sequential.Explain(operands, Leaves(kF16, {256, kInf, kInf}, kInf)), "reassociation");
  EXPECT_EQ(sequential.Explain(operands, Leaves(kF16, {256, kInf, kInf}, kInf), "golden"), "wrong");
  EXPECT_EQ(sequential.Explain(operands, Leaves(kF16, {kInf, kInf, kInf}, kInf)), "wrong");
  // One after the other they are 256, 1, 256; 256 by 256 comes about in another order.
  const std::vector<Literal> later = {Array(kF16, {256, 0x1p-8, 256}), ScalarOf(kF16, 1)};
  EXPECT_EQ(sequential.Explain(later, Leaves(kF16, {256, 1, kInf}, 256)), "wrong");
  EXPECT_EQ(any.Explain(later, Leaves(kF16, {256, 1, kInf}, 256)), "reassociation");
}

// Each of n - 1 products may be rounded.
TEST(JudgeOverflow, RunningProductsAreRounded) {
  const Case scan("(f32[3], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=f",
                  {"f32[3]", "f32[]"}, RunningProduct("f32"));
  const std::vector<Literal> operands = {F32({1.5, 1.5, 1.5}), Scalar(1)};
  const auto explain = [&](double a, double b, double c) {
    return scan.Explain(operands, Leaves(kF32, {a, b, c}, c));
  };
  EXPECT_EQ(explain(1.5, 2.25, 3.375), "golden");
  EXPECT_EQ(explain(1.5, Step(2.25, 1), Step(3.375, 2)), "reassociation");
  EXPECT_EQ(explain(Step(1.5, 1), 2.25, 3.375), "wrong");
  EXPECT_EQ(explain(1.5, Step(2.25, 9), 3.375), "wrong");
}

// What an infinity becomes at the end of a line, factors of 0 decide; it does not vanish.
TEST(JudgeOverflow, TransformsOfWhatIsNotFinite) {
  const Case fft("c64[2,2] fft(p0), fft_type=FFT, fft_length={2}", {"c64[2,2]"});
  const auto lines = [](const std::vector<std::pair<double, double>>& values) {
    return Complex(kC64, values).WithShape(Shape(kC64, {2, 2}));
  };
  const std::vector<Literal> operands = {lines({{1, 0}, {2, 0}, {kInf, 0}, {4, 0}})};
  EXPECT_EQ(fft.Explain(operands, lines({{3, 0}, {-1, 0}, {kInf, 0}, {kInf, 0}})), "reassociation");
  EXPECT_EQ(fft.Explain(operands, lines({{3, 0}, {-1, 0}, {kInf, 0}, {4, 0}})), "wrong");
  EXPECT_EQ(fft.Explain(operands, lines({{kInf, 0}, {-1, 0}, {kInf, 0}, {kInf, 0}})), "wrong");
  // 6e38 is beyond f32, and inf - inf on the way NaN.
  const std::vector<Literal> large = {lines({{3e38, 0}, {3e38, 0}, {1, 0}, {1, 0}})};
  EXPECT_EQ(fft.Explain(large, lines({{kNan, kNan}, {0, 0}, {2, 0}, {0, 0}})), "reassociation");
  EXPECT_EQ(fft.Explain(large, lines({{5, 0}, {0, 0}, {2, 0}, {0, 0}})), "wrong");
  EXPECT_EQ(fft.Explain(large, lines({{kInf, 0}, {0, 0}, {kInf, 0}, {0, 0}})), "wrong");
}

// structural_53: bin 0 of a real transform, and the last bin of an even length, add real numbers.
TEST(JudgeOverflow, SumsOfRealNumbersHaveNoImaginaryPart) {
  const auto judged = [](const std::string& length, int bin, double imaginary) {
    const Case fft(absl::StrCat("c64[4] fft(p0), fft_type=RFFT, fft_length={", length, "}"),
                   {absl::StrCat("f32[", length, "]")});
    std::vector<double> operand(length == "6" ? 6 : 7, 1.0);
    operand[1] = kNan;
    std::vector<std::pair<double, double>> values(4, {kNan, kNan});
    values[bin].second = imaginary;
    return fft.Explain({F32(operand)}, Complex(kC64, values));
  };
  EXPECT_EQ(judged("6", 0, 0), "reassociation");
  EXPECT_EQ(judged("6", 0, -0.0), "reassociation");
  EXPECT_EQ(judged("6", 0, 5), "wrong");
  EXPECT_EQ(judged("6", 0, kInf), "wrong");
  EXPECT_EQ(judged("6", 3, 0), "reassociation");
  EXPECT_EQ(judged("6", 3, 1), "wrong");
  EXPECT_EQ(judged("7", 0, 1), "wrong");
  // Factors that are not 1 and -1.
  EXPECT_EQ(judged("6", 1, 5), "reassociation");
  EXPECT_EQ(judged("7", 3, 5), "reassociation");
}

// +-1e30 and +-1e200: mean 0, a variance beyond the type. The outputs are 5 +- 2; where squares
// have overflowed they are divided by infinity, or NaN.
TEST(JudgeOverflow, StatisticsOfABatch) {
  for (const auto& [type, name, size] :
       {std::tuple(kF32, "f32", 1e30), std::tuple(kF64, "f64", 1e200)}) {
    const std::string row = absl::StrCat(name, "[1]"), column = absl::StrCat(name, "[2,1]");
    const Case norm(absl::StrCat("(", column, ", ", row, ", ", row,
                                 ") batch-norm-training(p0, p1, p2), epsilon=0.001, "
                                 "feature_index=1"),
                    {column, row, row});
    const std::vector<Literal> operands = {Matrix(2, 1, {size, -size}, type), Array(type, {2}),
                                           Array(type, {5})};
    const auto explain = [&, type = type](double y0, double y1, double mean, double variance) {
      return norm.Explain(operands, Literal::Tuple({Matrix(2, 1, {y0, y1}, type),
                                                    Array(type, {mean}), Array(type, {variance})}));
    };
    EXPECT_EQ(explain(7, 3, 0, kInf), "golden") << name;
    EXPECT_EQ(explain(5, 5, 0, kInf), "reassociation") << name;
    EXPECT_EQ(explain(kNan, kNan, 0, kNan), "reassociation") << name;
    EXPECT_EQ(explain(6, 4, 0, kInf), "wrong") << name;
    EXPECT_EQ(explain(0, 0, 0, kInf), "wrong") << name;
    EXPECT_EQ(explain(7, 3, 0, 5), "wrong") << name;
    EXPECT_EQ(explain(7, 3, kNan, kInf), "wrong") << name;
    EXPECT_EQ(explain(7, 3, size / 2, kInf), "wrong") << name;
  }
}

// The sum of three times 3e38 is infinite though their mean is not.
TEST(JudgeOverflow, MeansOfABatch) {
  const Case norm(
      "(f32[3,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=0.001, feature_index=1",
      {"f32[3,1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> operands = {Matrix(3, 1, {3e38, 3e38, 3e38}), F32({2}), F32({5})};
  const auto explain = [&](double mean, double variance) {
    return norm.Explain(operands,
                        Literal::Tuple({Matrix(3, 1, {5, 5, 5}), F32({mean}), F32({variance})}));
  };
  EXPECT_EQ(explain(3e38, 0), "golden");
  EXPECT_EQ(explain(kInf, kInf), "reassociation");
  EXPECT_EQ(explain(2e38, 0), "wrong");
  EXPECT_EQ(explain(0, 0), "wrong");
}

// A NaN in one feature leaves the errors of the other feature's sum what they are: 1 - 2^30 + 2^30
// may be 0 in f32.
TEST(JudgeOverflow, FeaturesBesideOneThatIsNotFinite) {
  const Case norm(
      "(f32[3,2], f32[2], f32[2]) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=1, feature_index=1",
      {"f32[3,2]", "f32[2]", "f32[2]", "f32[2]", "f32[3,2]"});
  const std::vector<Literal> operands = {Matrix(3, 2, {0, 0, 0, 0, 0, 0}), F32({1, 0}), F32({0, 0}),
                                         F32({0, 0}),
                                         Matrix(3, 2, {kNan, 1, 0, -0x1p30, 0, 0x1p30})};
  const auto explain = [&](double offset) {
    return norm.Explain(operands, Literal::Tuple({Matrix(3, 2, {kNan, 0, kNan, -0.0, kNan, 0}),
                                                  F32({kNan, 0}), F32({kNan, offset})}));
  };
  // The gradients of the operand are zeros of either sign.
  EXPECT_EQ(explain(1), "signed_zero");
  EXPECT_EQ(explain(0), "signed_zero");
  EXPECT_EQ(explain(1000), "wrong");
}

// Squares of 1e-30 are denormal and may be flushed: nothing is left to divide by.
TEST(JudgeOverflow, SquaresThatUnderflowInABatch) {
  const Case norm(
      "(f32[2,1], f32[1], f32[1]) batch-norm-training(p0, p1, p2), epsilon=0, feature_index=1",
      {"f32[2,1]", "f32[1]", "f32[1]"});
  const std::vector<Literal> operands = {Matrix(2, 1, {1e-30, -1e-30}), F32({2}), F32({5})};
  EXPECT_EQ(
      norm.Explain(operands, Literal::Tuple({Matrix(2, 1, {kInf, -kInf}), F32({0}), F32({0})})),
      "reassociation");
}

// (2^-127 - 1) / sqrt(0.5 + 0.5) + 1 is 2^-127, and 0 where the difference is rounded: NaN in a
// type that has no zero. Of x = 2 the result 2 is far from 0.
TEST(JudgeOverflow, WhatCancelsInATypeWithoutZero) {
  constexpr ElementType kType = ElementType::kF8E8M0FNU;
  const Case norm(
      "f8e8m0fnu[1,1] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.5, feature_index=1",
      {"f8e8m0fnu[1,1]", "f8e8m0fnu[1]", "f8e8m0fnu[1]", "f8e8m0fnu[1]", "f8e8m0fnu[1]"});
  const auto explain = [&](double x, double y) {
    const auto matrix = [](double value) {
      Literal literal = Literal::Zeros(Shape(kType, {1, 1}));
      literal.Set(0, Element{EncodeFloat(kType, value)});
      return literal;
    };
    const Literal one = Array(kType, {1});
    return norm.Explain({matrix(x), one, one, one, Array(kType, {0.5})}, matrix(y));
  };
  EXPECT_EQ(explain(0x1p-127, 0x1p-127), "golden");
  EXPECT_EQ(explain(0x1p-127, kNan), "reassociation");
  EXPECT_EQ(explain(2, 2), "golden");
  EXPECT_EQ(explain(2, kNan), "wrong");
}

// What a given variance below zero has for a root is NaN, of zero it is no finite divisor.
TEST(JudgeOverflow, VariancesThatArePositiveOnlyForOthers) {
  const Case norm("f32[1,1] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=1, feature_index=1",
                  {"f32[1,1]", "f32[1]", "f32[1]", "f32[1]", "f32[1]"});
  const auto explain = [&](double variance, double y) {
    return norm.Explain({Matrix(1, 1, {4}), F32({2}), F32({5}), F32({1}), F32({variance})},
                        Matrix(1, 1, {y}));
  };
  EXPECT_EQ(explain(-2, kNan), "golden");
  EXPECT_EQ(explain(-2, 6), "wrong");
  EXPECT_EQ(explain(-2, kInf), "wrong");
  EXPECT_EQ(explain(-1, kInf), "golden");
  EXPECT_EQ(explain(-1, kNan), "reassociation");
  EXPECT_EQ(explain(-1, 6), "wrong");
  EXPECT_EQ(explain(3, 8), "golden");
}

}  // namespace
}  // namespace assay::conformance
