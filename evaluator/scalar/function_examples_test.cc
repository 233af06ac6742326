// Elementary functions through the table of scalar definitions: the worked examples of reference
// ops_elementwise_and_types.md 8.5, 8.6, 8.7 and 8.12. (evaluator/real tests the functions
// themselves.)
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator::function_examples_test {
namespace {

using enum ElementType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct UnaryExample {
  Opcode opcode;
  ElementType type;
  double x;
  uint64_t bits;
};

TEST(FunctionExamplesTest, RealFunctions) {
  using enum Opcode;
  const UnaryExample examples[] = {
      {kExp, kF32, 1, 0x402df854},
      {kExp, kF32, 2, 0x40ec7326},
      {kExp, kF32, -1, 0x3ebc5ab2},
      {kExp, kF32, -103, 1},
      {kExp, kF64, 1, 0x4005bf0a8b145769},
      {kExp, kF64, 3, 0x403415e5bf6fb106},
      {kExp, kF16, 11, 0x7b4f},
      {kExp, kF16, -17, 1},
      {kExp, kBF16, -1, 0x3ebc},
      {kExp, kF8E4M3FN, 6, 0x7d},
      {kExp, kF8E4M3FN, 6.5, 0x7f},
      {kExp, kF8E4M3FN, -7, 0},
      {kExpm1, kF32, 1, 0x3fdbf0a9},
      {kExpm1, kF32, 1e-05, 0x3727c5e3},
      {kExpm1, kF32, -1e-10, 0xaedbe6ff},
      {kExpm1, kF32, -20, 0xbf800000},
      {kExpm1, kF64, 1, 0x3ffb7e151628aed3},
      {kLog, kF32, 2, 0x3f317218},
      {kLog, kF32, 0.1, 0xc0135d8e},
      {kLog, kF32, 0x1p-149, 0xc2ce8ed0},
      {kLog, kF64, 3, 0x3ff193ea7aad030b},
      {kLog, kBF16, 10, 0x4013},
      {kLog, kF8E4M3FN, 448, 0x4c},
      {kLog, kF8E5M2, 0, 0xfc},
      {kLog, kF32, -0.0, 0xff800000},
      {kLog, kF32, -1, 0x7fc00000},
      {kLog1p, kF32, 7, 0x40051592},
      {kLog1p, kF32, -0.999, 0xc0dd0c70},
      {kLog1p, kF32, 1e-07, 0x33d6bf94},
      {kLog1p, kF64, -0.999, 0xc01ba18a998fff9f},
      {kLogistic, kF32, 1, 0x3f3b26a8},
      {kLogistic, kF32, 17, 0x3f7fffff},
      {kLogistic, kF32, -89, 0x001840fc},
      {kLogistic, kF32, -88.5, 0x0027fce2},
      {kLogistic, kF64, 2, 0x3fec2f7d5a8a79ca},
      {kLogistic, kF16, -10, 0x02fa},
      {kLogistic, kF32, -kInf, 0},
      {kTanh, kF32, 1, 0x3f42f7d6},
      {kTanh, kF32, 9, 0x3f7fffff},
      {kTanh, kF64, 1, 0x3fe85efab514f394},
      {kTanh, kF16, 4.5078125, 0x3c00},
      {kTanh, kF32, -kInf, 0xbf800000},
      {kSin, kF32, 1, 0x3f576aa4},
      {kSin, kF32, 3.1415927, 0xb3bbbd2e},
      {kSin, kF32, 1e22, 0xbf3becc4},
      {kSin, kF16, 300, 0xbbff},
      {kSin, kF16, 65504, 0x3bce},
      {kSin, kF32, -0.0, 0x80000000},
      {kCos, kF32, 1, 0x3f0a5140},
      {kCos, kF32, 1.5707964, 0xb33bbd2e},
      {kCos, kF32, 1e22, 0x3f2dd6f7},
      {kTan, kF32, 1, 0x3fc75923},
      {kTan, kF32, 1.5707964, 0xcbae8a4a},
      {kSinh, kF32, 1, 0x3f966cfe},
      {kSinh, kF32, 89, 0x7f28e166},
      {kSinh, kF16, 11, 0x774f},
      {kCosh, kF32, 1, 0x3fc583ab},
      {kCosh, kF32, 89, 0x7f28e166},
      {kAsin, kF32, 0.5, 0x3f060a92},
      {kAcos, kF32, 0.5, 0x3f860a92},
      {kAcos, kF32, -1, 0x40490fdb},
      {kAsinh, kF32, 1, 0x3f61a1b3},
      {kAsinh, kF32, 1e20, 0x423afaba},
      {kAcosh, kF32, 2, 0x3fa89214},
      {kAcosh, kF32, 1e20, 0x423afaba},
      {kAcosh, kF32, 0.5, 0x7fc00000},
      {kAtanh, kF32, 0.5, 0x3f0c9f54},
      {kAtanh, kF32, 0.999, 0x4073369a},
      {kAtanh, kF32, -1, 0xff800000},
      {kErf, kF32, 0.5, 0x3f053f7b},
      {kErf, kF32, 3, 0x3f7ffe8d},
      {kErf, kF32, 1e-10, 0x2ef8221a},
      {kErf, kF32, kInf, 0x3f800000},
      {kSqrt, kF32, 2, 0x3fb504f3},
      {kSqrt, kF32, 0x1p-149, 0x1a3504f3},
      {kSqrt, kBF16, 2, 0x3fb5},
      {kSqrt, kF8E5M2, 3, 0x3f},
      {kSqrt, kF8E5M2, 57344, 0x5b},
      {kSqrt, kF4E2M1FN, 6, 0x4},
      {kSqrt, kF32, -0.0, 0x80000000},
      {kRsqrt, kF32, 2, 0x3f3504f3},
      {kRsqrt, kF32, 9, 0x3eaaaaab},
      {kRsqrt, kF32, 0x1p-149, 0x64b504f3},
      {kRsqrt, kF16, 3, 0x389e},
      {kRsqrt, kF32, 0, 0x7f800000},
      {kRsqrt, kF32, -0.0, 0xff800000},
      {kCbrt, kF32, 2, 0x3fa14518},
      {kCbrt, kF32, -8, 0xc0000000},
      {kCbrt, kF32, 0x1p-149, 0x26a14518},
      {kCbrt, kF64, 2, 0x3ff428a2f98d728b},
  };
  for (const UnaryExample& e : examples) {
    EXPECT_EQ(EvaluateUnary(e.opcode, e.type, {EncodeFloat(e.type, e.x)}).bits, e.bits)
        << Name(e.opcode) << " " << Name(e.type) << " " << e.x;
  }
  EXPECT_TRUE(IsNan(kF8E4M3FN, EvaluateUnary(kLog, kF8E4M3FN, {0}).bits));  // no infinity
}

struct BinaryExample {
  Opcode opcode;
  ElementType type;
  double a, b;
  double expected;
};

TEST(FunctionExamplesTest, PowerAndAtan2) {
  using enum Opcode;
  const BinaryExample examples[] = {
      {kPower, kF32, 2, 0.5, 1.4142135f},
      {kPower, kF32, 10, -2, 0.01f},
      {kPower, kF32, 0.5, 149, 0x1p-149},
      {kPower, kF32, 0.5, 150, 0},
      {kPower, kF32, 3, -1, 0.33333334f},
      {kPower, kF32, 10000, 10, kInf},
      {kPower, kF32, 1.1f, 100, 13780.643f},
      {kPower, kF32, -2, 3, -8},
      {kPower, kF32, -2, 0.5, kNan},
      {kPower, kF32, -3, 3.5, kNan},
      {kPower, kF32, 2, 127.5, 2.4061597e38f},
      {kPower, kF32, kNan, 0, 1},
      {kPower, kF32, 1, kNan, 1},
      {kPower, kF32, -1, kInf, 1},
      {kPower, kF32, 0.5, -kInf, kInf},
      {kPower, kF32, -0.0, -3, -kInf},
      {kPower, kF32, -0.0, -2, kInf},
      {kPower, kF32, -0.0, 3, -0.0},
      {kPower, kF32, -kInf, 0.5, kInf},
      {kPower, kF32, -kInf, -1, -0.0},
      {kPower, kF32, -kInf, 3, -kInf},
      {kPower, kF32, 0, -kInf, kInf},
      {kPower, kF64, 10000, 10, 1e40},
      {kPower, kF16, 3, 9, 19680},
      {kPower, kF16, 3, 10, 59040},
      {kPower, kF16, 3, 11, kInf},
      {kPower, kF8E4M3FN, 3, 5, 240},
      {kPower, kF8E4M3FN, 3, 6, kNan},
      {kAtan2, kF32, 1, 1, 0.7853982f},
      {kAtan2, kF32, 1, -1, 2.3561945f},
      {kAtan2, kF32, -1, -1, -2.3561945f},
      {kAtan2, kF32, 3, 4, 0.6435011f},
      {kAtan2, kF32, 0, -0.0, 3.1415927f},
      {kAtan2, kF32, -0.0, -1, -3.1415927f},
      {kAtan2, kF32, -0.0, 0, -0.0},
      {kAtan2, kF32, 1, 1e-40, 1.5707964f},
      {kAtan2, kF32, kInf, -kInf, 2.3561945f},
  };
  for (const BinaryExample& e : examples) {
    EXPECT_EQ(
        EvaluateBinary(e.opcode, e.type, {EncodeFloat(e.type, e.a)}, {EncodeFloat(e.type, e.b)}),
        (Element{EncodeFloat(e.type, e.expected)}))
        << Name(e.opcode) << " " << Name(e.type) << " " << e.a << " " << e.b;
  }
}

Element Complex(double real, double imag) {
  return {EncodeFloat(kF64, real), EncodeFloat(kF64, imag)};
}

// What complex functions are is tested in evaluator/real; here, that the table reaches them.
TEST(FunctionExamplesTest, ComplexFunctions) {
  using enum Opcode;
  EXPECT_EQ(EvaluateUnary(kSqrt, kC128, Complex(3, 4)), Complex(2, 1));
  EXPECT_EQ(EvaluateUnary(kLog, kC128, Complex(1, 1)),
            Complex(0.34657359027997264, 0.7853981633974483));
  EXPECT_EQ(EvaluateBinary(kPower, kC128, Complex(0, 1), Complex(0, 1)).bits,
            EncodeFloat(kF64, 0.2078795763507619));
}

}  // namespace
}  // namespace assay::evaluator::function_examples_test
