// Float arithmetic: the worked examples of reference ops_elementwise_and_types.md 8.1, 8.4 and 8.6,
// and all pairs of every type of at most 8 bits against exact rational arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "evaluator/scalar/scalar_ops.h"
#include "spec/element/exact_float_model.h"

namespace assay::evaluator::float_ops_test {
namespace {

using enum ElementType;
using exact_model::Integer;
using exact_model::Model;
using exact_model::Number;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

uint64_t Binary(Opcode opcode, ElementType type, double a, double b) {
  return EvaluateBinary(opcode, type, {EncodeFloat(type, a)}, {EncodeFloat(type, b)}).bits;
}
uint64_t Unary(Opcode opcode, ElementType type, double x) {
  return EvaluateUnary(opcode, type, {EncodeFloat(type, x)}).bits;
}

struct BinaryExample {
  Opcode opcode;
  ElementType type;
  double a, b;
  uint64_t expected;  // bits
};

uint64_t Bits(ElementType type, double value) { return EncodeFloat(type, value); }

TEST(FloatOpsTest, ArithmeticExamples) {
  using enum Opcode;
  const double f32_max = std::numeric_limits<float>::max();
  const BinaryExample examples[] = {
      {kAdd, kF32, 0.1, 0.2, 0x3e99999a},
      {kAdd, kF32, 1, 0x1p-24, Bits(kF32, 1)},
      {kAdd, kF32, f32_max, 0x1p103, 0x7f800000},
      {kAdd, kF32, -0.0, -0.0, 0x80000000},
      {kAdd, kF32, 1, -1, 0},
      {kAdd, kF32, kInf, -kInf, 0x7fc00000},
      {kMultiply, kF32, 0.1, 0.2, 0x3ca3d70b},
      {kMultiply, kF32, 0x1p-126, 0.5, 0x00400000},
      {kMultiply, kF32, 0x1p-149, 0.5, 0},
      {kMultiply, kF32, 0x1p-149, 0.75, 1},
      {kMultiply, kF32, 0, kInf, 0x7fc00000},
      {kMultiply, kF32, -0.0, 5, 0x80000000},
      {kDivide, kF32, 1, 3, 0x3eaaaaab},
      {kDivide, kF32, 17.1, 3, 0x40b66667},
      {kDivide, kF32, 3e38, 2, 0x7ee1b1e6},
      {kDivide, kF32, 1, 1e-40, 0x7f800000},
      {kDivide, kF32, 1, -0.0, 0xff800000},
      {kDivide, kF32, 0, 0, 0x7fc00000},
      {kAdd, kF16, 2048, 1, Bits(kF16, 2048)},
      {kAdd, kF16, 2048, 3, 0x6802},
      {kAdd, kF16, 65504, 16, 0x7c00},
      {kMultiply, kF16, 0x1p-14, 0x1p-11, 0},
      {kMultiply, kF16, 1.5 * 0x1p-14, 0x1p-11, 1},
      {kAdd, kBF16, 256, 1, Bits(kBF16, 256)},
      {kAdd, kBF16, 256, 3, 0x4382},
      {kMultiply, kBF16, 1.0078125, 1.0078125, 0x3f82},
      {kDivide, kBF16, 1, 3, 0x3eab},
      {kAdd, kF8E4M3FN, 448, 16, 0x7e},
      {kAdd, kF8E4M3FN, 448, 32, 0x7f},
      {kAdd, kF8E4M3FN, 16, 1, Bits(kF8E4M3FN, 16)},
      {kMultiply, kF8E4M3FN, 1.125, 1.125, 0x3a},
      {kDivide, kF8E4M3FN, 1, 3, 0x2b},
      {kDivide, kF8E4M3FN, 1, 0, 0x7f},
      {kAdd, kF8E4M3, 240, 8, 0x78},
      {kAdd, kF8E4M3FNUZ, 240, 8, 0x80},
      {kMultiply, kF8E4M3FNUZ, -1, 0, 0},
      {kAdd, kF8E5M2, 57344, 4096, 0x7c},
      {kAdd, kF8E5M2, 8, 1, Bits(kF8E5M2, 8)},
      {kMultiply, kF8E5M2, 1.25, 1.25, 0x3e},
      {kAdd, kF8E3M4, 15.5, 0.25, 0x70},
      {kAdd, kF4E2M1FN, 3, 1.5, Bits(kF4E2M1FN, 4)},
      {kAdd, kF4E2M1FN, 4, 1, Bits(kF4E2M1FN, 4)},
      {kAdd, kF4E2M1FN, 6, 6, 0x7},
      {kMultiply, kF4E2M1FN, 1.5, 1.5, Bits(kF4E2M1FN, 2)},
      {kMultiply, kF4E2M1FN, 0.5, 0.5, 0},
      {kMultiply, kF4E2M1FN, 1.5, 0.5, Bits(kF4E2M1FN, 1)},
      {kSubtract, kF4E2M1FN, 1, 1.5, 0x9},
      {kDivide, kF4E2M1FN, 1, 0, 0x7},
      {kAdd, kF8E8M0FNU, 2, 1, 0x81},
      {kAdd, kF8E8M0FNU, 1, 1, 0x80},
      {kMultiply, kF8E8M0FNU, 2, 4, 0x82},
      {kSubtract, kF8E8M0FNU, 4, 1, 0x81},
      {kSubtract, kF8E8M0FNU, 2, 2, 0xff},
      {kSubtract, kF8E8M0FNU, 1, 2, 0xff},
      {kRemainder, kF32, -2.5, 10, Bits(kF32, -2.5)},
      {kRemainder, kF32, 25.5, 5.1, 0x35000000},
      {kRemainder, kF32, 2.25, 1, Bits(kF32, 0.25)},
      {kRemainder, kF32, 17.1, 3, 0x40066668},
      {kRemainder, kF32, 1e30, 7, Bits(kF32, 1)},
      {kRemainder, kF32, 10, -3, Bits(kF32, 1)},
      {kRemainder, kF32, -10, 10, 0x80000000},
      {kRemainder, kF32, 5, kInf, Bits(kF32, 5)},
      {kRemainder, kF32, 5, 0, 0x7fc00000},
      {kRemainder, kF32, kInf, 3, 0x7fc00000},
      {kRemainder, kF64, 17.1, 3, 0x4000ccccccccccd0},
      {kRemainder, kBF16, 100, 7, Bits(kBF16, 2)},
      {kRemainder, kF8E4M3FN, 16, 3, Bits(kF8E4M3FN, 1)},
      {kMaximum, kF32, -0.0, 0.0, 0},
      {kMaximum, kF32, 0.0, -0.0, 0},
      {kMinimum, kF32, 0.0, -0.0, 0x80000000},
      {kMinimum, kF32, -0.0, 0.0, 0x80000000},
      {kMaximum, kF32, -kInf, kNan, 0x7fc00000},
      {kMinimum, kF32, kNan, 1, 0x7fc00000},
      {kMinimum, kF32, 1, kNan, 0x7fc00000},
      {kMinimum, kF32, 2.25, 1, Bits(kF32, 1)},
  };
  for (const BinaryExample& e : examples) {
    EXPECT_EQ(Binary(e.opcode, e.type, e.a, e.b), e.expected)
        << Name(e.opcode) << " " << Name(e.type) << " " << e.a << " " << e.b;
  }
}

struct UnaryExample {
  Opcode opcode;
  ElementType type;
  double x;
  double expected;
};

TEST(FloatOpsTest, UnaryExamples) {
  using enum Opcode;
  const UnaryExample examples[] = {
      {kSign, kF32, kNan, kNan},
      {kSign, kF32, -1, -1},
      {kSign, kF32, -0.0, -0.0},
      {kSign, kF32, 0.0, 0.0},
      {kSign, kF32, 1, 1},
      {kSign, kF32, -kInf, -1},
      {kSign, kF32, 0x1p-149, 1},
      {kSign, kF8E8M0FNU, 8, 1},
      {kAbs, kF32, -0.0, 0.0},
      {kAbs, kF32, -kInf, kInf},
      {kAbs, kF32, -2.5, 2.5},
      {kAbs, kF8E8M0FNU, 8, 8},
      {kNegate, kF32, 0, -0.0},
      {kNegate, kF8E4M3FNUZ, 0, 0},
      {kNegate, kF8E4M3FNUZ, 1, -1},
      {kNegate, kF8E8M0FNU, 1, kNan},
      {kRoundNearestAfz, kF32, -2.5, -3},
      {kRoundNearestAfz, kF32, 0.4, 0},
      {kRoundNearestAfz, kF32, 0.5, 1},
      {kRoundNearestAfz, kF32, 0.6, 1},
      {kRoundNearestAfz, kF32, 2.5, 3},
      {kRoundNearestAfz, kF32, 0.49999997f, 0},
      {kRoundNearestAfz, kF64, 0.49999999999999994, 0},
      {kRoundNearestAfz, kF32, -0.4, -0.0},
      {kRoundNearestAfz, kF32, 8388609, 8388609},
      {kRoundNearestEven, kF32, -2.5, -2},
      {kRoundNearestEven, kF32, 0.4, 0},
      {kRoundNearestEven, kF32, 0.5, 0},
      {kRoundNearestEven, kF32, 0.6, 1},
      {kRoundNearestEven, kF32, 2.5, 2},
      {kRoundNearestEven, kF32, 1.5, 2},
      {kRoundNearestEven, kF32, -1.5, -2},
      {kRoundNearestEven, kF32, -0.5, -0.0},
      {kRoundNearestEven, kF32, 8388609, 8388609},
      {kCeil, kF32, -0.8166, -0.0},
      {kCeil, kF32, 0.2530, 1},
      {kCeil, kF32, 2, 2},
      {kCeil, kF8E3M4, 15.5, kInf},
      {kCeil, kF6E2M3FN, 7.5, 7.5},
      {kCeil, kF4E2M1FN, 0.5, 1},
      {kCeil, kF32, kNan, kNan},
      {kFloor, kF32, -0.8166, -1},
      {kFloor, kF32, 0.2530, 0},
      {kFloor, kF32, 2, 2},
      {kFloor, kF32, -kInf, -kInf},
      {kFloor, kF8E8M0FNU, 0.5, kNan},
      {kReal, kF32, 5, 5},
      {kImag, kF32, 5, 0},
  };
  for (const UnaryExample& e : examples) {
    EXPECT_EQ(Unary(e.opcode, e.type, e.x), EncodeFloat(e.type, e.expected))
        << Name(e.opcode) << " " << Name(e.type) << " " << e.x;
  }
}

TEST(FloatOpsTest, SignBitsOfNan) {
  EXPECT_EQ(EvaluateUnary(Opcode::kAbs, kF32, {0xffc00001}).bits, 0x7fc00001u);
  EXPECT_EQ(EvaluateUnary(Opcode::kNegate, kF32, {0x7f800001}).bits, 0xff800001u);
  EXPECT_EQ(EvaluateUnary(Opcode::kAbs, kF8E5M2FNUZ, {0x80}).bits, 0x80u);
  EXPECT_EQ(EvaluateUnary(Opcode::kNegate, kF8E5M2FNUZ, {0x80}).bits, 0x80u);
  EXPECT_EQ(EvaluateUnary(Opcode::kAbs, kF8E8M0FNU, {0xff}).bits, 0xffu);
}

TEST(FloatOpsTest, IsFinite) {
  const auto finite = [](ElementType type, uint64_t bits) {
    return EvaluateUnary(Opcode::kIsFinite, type, {bits}).bits;
  };
  for (const double x : {-10.0, -0.0, 0.0, 10.0}) EXPECT_EQ(finite(kF32, Bits(kF32, x)), 1u);
  for (const double x : {-kInf, kInf, kNan}) EXPECT_EQ(finite(kF32, Bits(kF32, x)), 0u);
  EXPECT_EQ(finite(kF8E4M3FN, 0x7e), 1u);
  EXPECT_EQ(finite(kF8E4M3FN, 0x7f), 0u);
  for (uint64_t code = 0; code < 16; ++code) EXPECT_EQ(finite(kF4E2M1FN, code), 1u);
}

// Exact operations on numbers, by the rules of 6.1 and 6.11.
Number NanNumber() {
  Number nan;
  nan.cls = Number::kNan;
  return nan;
}
Number InfiniteNumber(bool negative) {
  Number infinite;
  infinite.cls = Number::kInfinite;
  infinite.negative = negative;
  return infinite;
}
bool IsZeroNumber(const Number& x) { return x.cls == Number::kFinite && x.numerator == 0; }

Number Sum(const Number& a, const Number& b) {
  if (a.cls == Number::kNan || b.cls == Number::kNan) return NanNumber();
  if (a.cls == Number::kInfinite || b.cls == Number::kInfinite) {
    if (a.cls == b.cls && a.negative != b.negative) return NanNumber();
    return InfiniteNumber(a.cls == Number::kInfinite ? a.negative : b.negative);
  }
  const Integer left = (a.negative ? -a.numerator : a.numerator) * b.denominator;
  const Integer right = (b.negative ? -b.numerator : b.numerator) * a.denominator;
  const Integer sum = left + right;
  Number result;
  result.negative = sum < 0 || (IsZeroNumber(a) && IsZeroNumber(b) && a.negative && b.negative);
  result.numerator = sum < 0 ? Integer(-sum) : sum;
  result.denominator = a.denominator * b.denominator;
  return result;
}

Number Negated(Number x) {
  x.negative = !x.negative;
  return x;
}

Number Product(const Number& a, const Number& b) {
  if (a.cls == Number::kNan || b.cls == Number::kNan) return NanNumber();
  if (a.cls == Number::kInfinite || b.cls == Number::kInfinite) {
    if (IsZeroNumber(a) || IsZeroNumber(b)) return NanNumber();
    return InfiniteNumber(a.negative != b.negative);
  }
  Number result;
  result.negative = a.negative != b.negative;
  result.numerator = a.numerator * b.numerator;
  result.denominator = a.denominator * b.denominator;
  return result;
}

Number Quotient(const Number& a, const Number& b) {
  if (a.cls == Number::kNan || b.cls == Number::kNan ||
      (a.cls == b.cls && a.cls != Number::kFinite) || (IsZeroNumber(a) && IsZeroNumber(b))) {
    return NanNumber();
  }
  const bool negative = a.negative != b.negative;
  if (a.cls == Number::kInfinite || IsZeroNumber(b)) return InfiniteNumber(negative);
  Number result;
  result.negative = negative;
  if (b.cls == Number::kInfinite) return result;
  result.numerator = a.numerator * b.denominator;
  result.denominator = a.denominator * b.numerator;
  return result;
}

Number Remainder(const Number& a, const Number& b) {
  if (a.cls != Number::kFinite || b.cls == Number::kNan || IsZeroNumber(b)) return NanNumber();
  if (b.cls == Number::kInfinite) return a;
  Number result;
  result.negative = a.negative;
  result.numerator = (a.numerator * b.denominator) % (b.numerator * a.denominator);
  result.denominator = a.denominator * b.denominator;
  return result;
}

class TinyFloatTest : public testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    for (uint64_t bits = 0; bits < uint64_t{1} << model().bits(); ++bits) {
      numbers_.push_back(exact_model::Decode(model(), bits));
    }
  }
  const Model& model() const { return GetParam(); }
  // Every pair of patterns. A NaN result has no sign.
  template <typename Exact>
  void ExpectAllPairs(Opcode opcode, Exact exact) {
    const ScalarFunction function = *FindScalarFunction({opcode, model().type, model().type});
    for (uint64_t a = 0; a < numbers_.size(); ++a) {
      for (uint64_t b = 0; b < numbers_.size(); ++b) {
        const Number expected = exact(numbers_[a], numbers_[b]);
        ASSERT_EQ(function(Element{a}, Element{b}).bits, exact_model::Round(model(), expected))
            << Name(opcode) << std::hex << " " << a << " " << b;
      }
    }
  }
  std::vector<Number> numbers_;
};

TEST_P(TinyFloatTest, Add) { ExpectAllPairs(Opcode::kAdd, Sum); }
TEST_P(TinyFloatTest, Subtract) {
  ExpectAllPairs(Opcode::kSubtract,
                 [](const Number& a, const Number& b) { return Sum(a, Negated(b)); });
}
TEST_P(TinyFloatTest, Multiply) { ExpectAllPairs(Opcode::kMultiply, Product); }
TEST_P(TinyFloatTest, Divide) { ExpectAllPairs(Opcode::kDivide, Quotient); }
TEST_P(TinyFloatTest, RemainderOfAllPairs) { ExpectAllPairs(Opcode::kRemainder, Remainder); }

// The integral neighbour by exact division; a zero keeps the sign of the operand.
TEST_P(TinyFloatTest, RoundsToIntegers) {
  const auto integral = [](Number x, auto up) {
    if (x.cls != Number::kFinite) return x;
    Integer whole, rest;
    divide_qr(x.numerator, x.denominator, whole, rest);
    if (up(x.negative, whole, Integer(2 * rest), x.denominator)) ++whole;
    x.numerator = whole;
    x.denominator = 1;
    return x;
  };
  // Whether the magnitude goes up, from the whole part and twice the rest over d.
  const auto floor = [](bool negative, const Integer&, const Integer& twice, const Integer&) {
    return negative && twice != 0;
  };
  const auto ceil = [](bool negative, const Integer&, const Integer& twice, const Integer&) {
    return !negative && twice != 0;
  };
  const auto away = [](bool, const Integer&, const Integer& twice, const Integer& d) {
    return twice >= d;
  };
  const auto even = [](bool, const Integer& whole, const Integer& twice, const Integer& d) {
    return twice > d || (twice == d && (whole & 1) != 0);
  };
  const auto canonical = [this](const Number& x) {
    return exact_model::Round(model(), x.cls == Number::kNan ? NanNumber() : x);
  };
  for (uint64_t bits = 0; bits < numbers_.size(); ++bits) {
    const Number& x = numbers_[bits];
    const ElementType type = model().type;
    ASSERT_EQ(EvaluateUnary(Opcode::kFloor, type, {bits}).bits, canonical(integral(x, floor)))
        << bits;
    ASSERT_EQ(EvaluateUnary(Opcode::kCeil, type, {bits}).bits, canonical(integral(x, ceil)))
        << bits;
    ASSERT_EQ(EvaluateUnary(Opcode::kRoundNearestAfz, type, {bits}).bits,
              canonical(integral(x, away)))
        << bits;
    ASSERT_EQ(EvaluateUnary(Opcode::kRoundNearestEven, type, {bits}).bits,
              canonical(integral(x, even)))
        << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TinyFloatTest, testing::ValuesIn(exact_model::TinyModels()),
                         [](const testing::TestParamInfo<Model>& info) {
                           return std::string(Name(info.param.type));
                         });

// Wider types: random operands of nearby exponents, with the ends of the range among them.
TEST(FloatOpsTest, WideTypesAgainstExactArithmetic) {
  std::mt19937_64 random(7);
  for (const ElementType type : {kF16, kBF16, kF32, kF64}) {
    const Model& model = exact_model::ModelOf(type);
    const int iterations = type == kF64 ? 3000 : 10000;
    for (int i = 0; i < iterations; ++i) {
      const uint64_t sign = model.sign_bit();
      const uint64_t a = random() & (2 * sign - 1);
      const uint64_t near = (a ^ (random() & (sign / 8 - 1))) ^ (random() & sign);
      const uint64_t b = i % 2 == 0 ? near : random() & (2 * sign - 1);
      const Number x = exact_model::Decode(model, a);
      const Number y = exact_model::Decode(model, b);
      const auto expect = [&](Opcode opcode, const Number& exact) {
        const Number unsigned_nan = exact.cls == Number::kNan ? NanNumber() : exact;
        ASSERT_EQ(EvaluateBinary(opcode, type, {a}, {b}).bits,
                  exact_model::Round(model, unsigned_nan))
            << Name(opcode) << " " << Name(type) << std::hex << " " << a << " " << b;
      };
      expect(Opcode::kAdd, Sum(x, y));
      expect(Opcode::kSubtract, Sum(x, Negated(y)));
      expect(Opcode::kMultiply, Product(x, y));
      expect(Opcode::kDivide, Quotient(x, y));
      expect(Opcode::kRemainder, Remainder(x, y));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::float_ops_test
