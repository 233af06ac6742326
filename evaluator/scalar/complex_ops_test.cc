// Complex operations: the worked examples of reference ops_elementwise_and_types.md 8.7 and 8.4
// that need no transcendental function.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator::complex_ops_test {
namespace {

using enum ElementType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Element Complex(ElementType type, double real, double imag) {
  const ElementType part = Info(type).component;
  return {EncodeFloat(part, real), EncodeFloat(part, imag)};
}

struct Pair {
  double real, imag;
};
Element Binary(Opcode opcode, ElementType type, Pair a, Pair b) {
  return EvaluateBinary(opcode, type, Complex(type, a.real, a.imag), Complex(type, b.real, b.imag));
}

TEST(ComplexOpsTest, SumsByComponent) {
  for (const ElementType type : {kC64, kC128}) {
    EXPECT_EQ(Binary(Opcode::kAdd, type, {1, 2}, {3, -4}), Complex(type, 4, -2));
    EXPECT_EQ(Binary(Opcode::kSubtract, type, {1, 2}, {3, -4}), Complex(type, -2, 6));
    EXPECT_EQ(Binary(Opcode::kAdd, type, {-0.0, 1}, {-0.0, -1}), Complex(type, -0.0, 0));
    EXPECT_EQ(Binary(Opcode::kAdd, type, {kInf, 1}, {-kInf, 1}), Complex(type, kNan, 2));
    EXPECT_EQ(EvaluateUnary(Opcode::kNegate, type, Complex(type, 0, -1)), Complex(type, -0.0, 1));
  }
  EXPECT_EQ(Binary(Opcode::kAdd, kC64, {1, 0.1}, {0x1p-24, 0.2}),
            (Element{0x3f800000, 0x3e99999a}));
}

TEST(ComplexOpsTest, Parts) {
  const Element z = Complex(kC128, 1, 2);
  EXPECT_EQ(EvaluateUnary(Opcode::kReal, kC128, z), (Element{z.bits, 0}));
  EXPECT_EQ(EvaluateUnary(Opcode::kImag, kC128, z), (Element{z.imag, 0}));
  EXPECT_EQ(EvaluateBinary(Opcode::kComplex, kF64, {z.bits}, {z.imag}), z);
  EXPECT_EQ(EvaluateBinary(Opcode::kComplex, kF32, {0x7f800001}, {0x80000000}),
            (Element{0x7f800001, 0x80000000}));
}

TEST(ComplexOpsTest, Products) {
  EXPECT_EQ(Binary(Opcode::kMultiply, kC128, {1, 2}, {3, 4}), Complex(kC128, -5, 10));
  EXPECT_EQ(Binary(Opcode::kMultiply, kC128, {1.5, 2.5}, {2.5, 1.5}), Complex(kC128, 0, 8.5));
  // The products cancel but for 2^-24, which rounding them would lose.
  EXPECT_EQ(Binary(Opcode::kMultiply, kC64, {1 + 0x1p-12, 1}, {1 + 0x1p-12, 1 + 0x1p-11}).bits,
            EncodeFloat(kF32, 0x1p-24));
}

TEST(ComplexOpsTest, Quotients) {
  EXPECT_EQ(Binary(Opcode::kDivide, kC128, {1, 2}, {3, 4}), Complex(kC128, 0.44, 0.08));
  EXPECT_EQ(Binary(Opcode::kDivide, kC128, {1.5, 2.5}, {2.5, 1.5}),
            Complex(kC128, 0.8823529411764706, 0.47058823529411764));
  EXPECT_EQ(Binary(Opcode::kDivide, kC128, {7.5, 5.5}, {5.5, 7.5}),
            Complex(kC128, 0.953757225433526, -0.30057803468208094));
  EXPECT_EQ(Binary(Opcode::kDivide, kC128, {-2.5, 1}, {10, 0}), Complex(kC128, -0.25, 0.1));
}

TEST(ComplexOpsTest, ModulusAndSign) {
  const auto modulus = [](ElementType type, double real, double imag) {
    return EvaluateUnary(Opcode::kAbs, type, Complex(type, real, imag));
  };
  EXPECT_EQ(modulus(kC64, 3, -4).bits, EncodeFloat(kF32, 5));
  EXPECT_EQ(modulus(kC64, kInf, kNan).bits, EncodeFloat(kF32, kInf));
  EXPECT_EQ(modulus(kC128, 1, 2).bits, EncodeFloat(kF64, 2.23606797749979));
  EXPECT_EQ(modulus(kC64, 3e38, 4e37).bits, EncodeFloat(kF32, 3.0265493e+38));
  EXPECT_EQ(EvaluateUnary(Opcode::kSign, kC64, Complex(kC64, 3, 4)), Complex(kC64, 0.6, 0.8));
  EXPECT_EQ(EvaluateUnary(Opcode::kSign, kC64, Complex(kC64, 0, -0.0)), Complex(kC64, 0, 0));
}

}  // namespace
}  // namespace assay::evaluator::complex_ops_test
