// Real products with any number of uses of a start value that is no identity (decision W-12): how
// often it may count, and what f64 and roundings hide.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

Case ProductOf(const std::string& type, int count) {
  return Case(absl::StrCat(type, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
              {absl::StrCat(type, "[", count, "]"), absl::StrCat(type, "[]")},
              absl::StrCat("f {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                           "[] parameter(1)\n  ROOT s = ", type, "[] multiply(a, b)\n}\n"));
}

Literal DoubleStart(double value) {
  return Literal::Scalar(ElementType::kF64, {EncodeFloat(ElementType::kF64, value)});
}

// 0.7^3000 is 2^-1543.7, and the product of its mantissas 1.4 is 2^1456, neither of which f64 has.
// With 16 start values of 2^100 the product is 2^56.28.
TEST(JudgeStartProducts, ProductsOfManyFactors) {
  const Case product = ProductOf("f64", 3000);
  const std::vector<Literal> operands = {Array(ElementType::kF64, std::vector<double>(3000, 0.7)),
                                         DoubleStart(0x1p100)};
  double value = 1;
  for (int k = 0; k < 3000; ++k) value *= k < 1600 && k % 100 == 50 ? 0.7 * 0x1p100 : 0.7;
  EXPECT_EQ(product.Explain(operands, DoubleStart(value)), "implementation_defined");
  EXPECT_EQ(product.Explain(operands, DoubleStart(0)), "golden");
  EXPECT_EQ(product.Explain(operands, DoubleStart(-value)), "wrong");
  // Powers of the start value that f64 has no mantissas for: 0.75^2201 is 2^-913.5.
  const std::vector<Literal> ones = {Array(ElementType::kF64, std::vector<double>(3000, 1)),
                                     DoubleStart(0.75)};
  EXPECT_EQ(product.Explain(ones, DoubleStart(std::pow(0.75, 2201))), "implementation_defined");
  EXPECT_EQ(product.Explain(ones, DoubleStart(1.5)), "wrong");
}

// a c b^3 is just above 2^-126, and below it after four roundings to 24 bits, so that a target that
// flushes gives zero.
TEST(JudgeStartProducts, RoundingsTakeProductsBelowTheNormalNumbers) {
  const float a = 0x1.94158cp-18F, c = 0x1.58a59ap-20F, b = 0x1.3c15e2p-30F;
  const Case product = ProductOf("f32", 2);
  EXPECT_EQ(product.Explain({F32({a, c}), Scalar(b)}, Scalar(0)), "implementation_defined");
  EXPECT_EQ(product.Explain({F32({a, Step(c, 8)}), Scalar(b)}, Scalar(0)), "wrong");
  EXPECT_EQ(product.Explain({F32({a, c}), Scalar(b)}, Scalar(0), "cpu-strict"), "wrong");
}

// 2 * 7 * -0 is a zero of either sign.
TEST(JudgeStartProducts, NegativeZerosCount) {
  const Case product = ProductOf("f64", 2);
  const Literal factors = Array(ElementType::kF64, {2, 7});
  EXPECT_EQ(product.Explain({factors, DoubleStart(-0.0)}, DoubleStart(-0.0)), "golden");
  EXPECT_EQ(product.Explain({factors, DoubleStart(-0.0)}, DoubleStart(0)),
            "implementation_defined");
  EXPECT_EQ(product.Explain({factors, DoubleStart(-0.0)}, DoubleStart(1)), "wrong");
  EXPECT_EQ(product.Explain({factors, DoubleStart(0)}, DoubleStart(-0.0)), "wrong");
}

// Further start values take complex products beyond the range, or below the normal numbers. What is
// left of the parts then depends on the order.
TEST(JudgeStartProducts, ComplexProductsMayLeaveTheRange) {
  const Case product = ProductOf("c64", 2);
  const auto factors = [](float first) {
    Literal literal = Literal::Zeros(Shape(ElementType::kC64, {2}));
    literal.Set(0, C64(first, 0).Get(0));
    literal.Set(1, C64(1, 1).Get(0));
    return literal;
  };
  for (const Literal& actual : {C64(kInf, kNan), C64(kNan, kNan), C64(-kInf, kInf)}) {
    EXPECT_EQ(product.Explain({factors(1e20F), C64(1e12F, 2)}, actual), "not judgeable");
    EXPECT_EQ(product.Explain({factors(1e20F), C64(1e12F, 2)}, actual, "cpu-strict"), "wrong");
    EXPECT_EQ(product.Explain({factors(1e20F), C64(1.5F, 2)}, actual), "wrong");
  }
  EXPECT_EQ(product.Explain({factors(1e-20F), C64(1e-12F, 0)}, C64(0, 0)), "not judgeable");
  EXPECT_EQ(product.Explain({factors(1e-10F), C64(0.5F, 2)}, C64(0, 0)), "wrong");
  EXPECT_EQ(product.Explain({factors(1e-10F), C64(0.5F, 2)}, C64(1, 0)), "wrong");
  EXPECT_NE(product.Explain({factors(1), C64(-0.0F, 0)}, C64(0, -0.0F)), "wrong");
  EXPECT_EQ(product.Explain({factors(1), C64(-0.0F, 0)}, C64(0, 1)), "wrong");
}

// Ten roundings to 3 bits bound nothing, so that 3 is neither right nor wrong.
TEST(JudgeStartProducts, ProductsOfFewBitsTellNothing) {
  constexpr ElementType kType = ElementType::kF8E5M2;
  const Case product = ProductOf("f8e5m2", 8);
  const auto f8 = [](double value) { return Literal::Scalar(kType, {EncodeFloat(kType, value)}); };
  const std::vector<Literal> operands = {Array(kType, std::vector<double>(8, 1)), f8(-2)};
  EXPECT_EQ(product.Explain(operands, f8(-2)), "golden");
  EXPECT_EQ(product.Explain(operands, f8(3)), "not judgeable");
}

// A negative start value decides the sign of an infinity and of a zero by how often it counts. In
// three parts it brings products back that are beyond the range.
TEST(JudgeStartProducts, MayBringAProductBackIntoTheRange) {
  const Case f32 = ProductOf("f32", 2), f64 = ProductOf("f64", 2);
  const std::vector<Literal> large = {F32({1e30F, 1e30F}), Scalar(1e-10F)};
  EXPECT_EQ(f32.Explain(large, Scalar(kInfinity)), "golden");
  EXPECT_EQ(f32.Explain(large, Scalar(1e30F)), "implementation_defined");
  EXPECT_EQ(f32.Explain(large, Scalar(1e30F), "cpu-strict"), "wrong");
  for (const double value : {1.001e30, 2e30, 1e20, -1e30, -kInfinity, 0.0}) {
    EXPECT_EQ(f32.Explain(large, Scalar(value)), "wrong") << value;
  }
  const std::vector<Literal> negative = {F32({1e20F, 1e20F}), Scalar(-1e10F)};
  EXPECT_EQ(f32.Explain(negative, Scalar(-kInfinity)), "golden");
  EXPECT_EQ(f32.Explain(negative, Scalar(kInfinity)), "implementation_defined");
  EXPECT_EQ(f32.Explain({negative[0], Scalar(1e10F)}, Scalar(-kInfinity)), "wrong");
  // Beside the product of 1e-56 with 1e30, partial products of 1e-40 and less have lost digits.
  const std::vector<Literal> small = {F32({1e-28F, 1e-28F}), Scalar(1e10F)};
  EXPECT_EQ(f32.Explain(small, Scalar(0)), "golden");
  EXPECT_EQ(f32.Explain(small, Scalar(1e-26F)), "implementation_defined");
  EXPECT_EQ(f32.Explain(small, Scalar(1e-26F), "cpu-strict"), "wrong");
  EXPECT_EQ(f32.Explain(small, Scalar(1.01e-26F)), "not judgeable");
  for (const double value : {1e-24, 1.0, -1e-26, -kInfinity, kInfinity}) {
    EXPECT_EQ(f32.Explain(small, Scalar(value)), "wrong") << value;
  }
  const std::vector<Literal> doubles = {Array(ElementType::kF64, {1e300, 1e300}),
                                        DoubleStart(1e-100)};
  EXPECT_EQ(f64.Explain(doubles, DoubleStart(kInfinity)), "golden");
  EXPECT_EQ(f64.Explain(doubles, DoubleStart(1e300)), "implementation_defined");
  for (const double value : {1e300 * (1 + 0x1p-40), 1e200, 1e100}) {
    EXPECT_EQ(f64.Explain(doubles, DoubleStart(value)), "wrong") << value;
  }
  const Case complex = ProductOf("c64", 2);
  Literal factors = Literal::Zeros(Shape(ElementType::kC64, {2}));
  for (int k = 0; k < 2; ++k) factors.Set(k, C64(1e30F, 0).Get(0));
  EXPECT_EQ(complex.Explain({factors, C64(0, 1e-10F)}, C64(0, -1e30F)), "implementation_defined");
  EXPECT_EQ(complex.Explain({factors, C64(0, 1e-10F)}, C64(0, -1e30F), "cpu-strict"), "wrong");
  EXPECT_EQ(complex.Explain({factors, C64(0, 1e-10F)}, C64(0, 1e30F)), "wrong");
  EXPECT_EQ(complex.Explain({factors, C64(0, 1e-10F)}, C64(0, -2e30F)), "wrong");
}

}  // namespace
}  // namespace assay::conformance
