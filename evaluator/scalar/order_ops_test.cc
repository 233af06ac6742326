// Comparisons, extrema and clamp: the worked examples of reference
// ops_elementwise_and_types.md 8.4, and all pairs of every type of at most 8 bits against exact
// values and the order of section 6.6.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "evaluator/scalar/scalar_ops.h"
#include "spec/element/exact_float_model.h"

namespace assay::evaluator::order_ops_test {
namespace {

using enum ElementType;
using enum ComparisonDirection;
using exact_model::Kind;
using exact_model::Model;
using exact_model::Number;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Element F32(double value) { return {EncodeFloat(kF32, value)}; }
Element Int(ElementType type, int64_t value) {
  return {EncodeInteger(type, static_cast<uint64_t>(value))};
}
bool Quiet(ComparisonDirection direction, double a, double b) {
  return Compare(kF32, direction, ComparisonType::kFloat, F32(a), F32(b));
}
bool Total(ComparisonDirection direction, uint64_t a, uint64_t b) {
  return Compare(kF32, direction, ComparisonType::kTotalOrder, {a}, {b});
}

TEST(OrderOpsTest, CompareExamples) {
  EXPECT_TRUE(Quiet(kLt, 1.0, 1.1));
  EXPECT_FALSE(Quiet(kLt, 3.0, 2.9));
  EXPECT_FALSE(Quiet(kEq, kNan, kNan));
  EXPECT_TRUE(Quiet(kNe, kNan, kNan));
  EXPECT_FALSE(Quiet(kGe, kNan, 1));
  EXPECT_TRUE(Quiet(kEq, -0.0, 0.0));
  EXPECT_FALSE(Quiet(kLt, -0.0, 0.0));
  EXPECT_TRUE(Total(kLt, 0x80000000, 0));
  EXPECT_TRUE(Total(kEq, 0x7fc00000, 0x7fc00000));
  EXPECT_TRUE(Total(kLt, 0x7f800000, 0x7fc00000));
  EXPECT_TRUE(Total(kLt, 0xffc00000, 0xff800000));
  EXPECT_TRUE(Total(kLt, 0x7fa00000, 0x7fc00000));
  EXPECT_FALSE(Total(kEq, 0x80000000, 0));
  const auto integers = [](ElementType type, ComparisonDirection direction, int64_t a, int64_t b) {
    return Compare(type, direction, ComparisonType::kSigned, Int(type, a), Int(type, b));
  };
  EXPECT_TRUE(integers(kU8, kGt, 200, 100));
  EXPECT_FALSE(integers(kS8, kGt, -56, 100));
  EXPECT_TRUE(integers(kPred, kLt, 0, 1));
  const auto complex = [](ComparisonDirection direction, double ar, double ai, double br,
                          double bi) {
    return Compare(kC64, direction, ComparisonType::kFloat, {F32(ar).bits, F32(ai).bits},
                   {F32(br).bits, F32(bi).bits});
  };
  EXPECT_TRUE(complex(kEq, 1, 2, 1, 2));
  EXPECT_TRUE(complex(kNe, 1, kNan, 1, kNan));
  EXPECT_FALSE(complex(kEq, 1, kNan, 1, kNan));
  EXPECT_TRUE(complex(kEq, 0, -0.0, 0, 0));
  EXPECT_FALSE(complex(kEq, 1, 2, 1, 3));
  EXPECT_FALSE(complex(kEq, 1, 2, 0, 2));
}

TEST(OrderOpsTest, ComplexNumbersHaveNoOrder) {
  for (const ComparisonDirection direction : {kLt, kLe, kGt, kGe}) {
    ScalarOp op = {Opcode::kCompare, kC64, kPred};
    op.direction = direction;
    EXPECT_FALSE(FindScalarFunction(op).has_value());
  }
}

TEST(OrderOpsTest, ClampExamples) {
  const auto clamp = [](double low, double x, double high) {
    return EvaluateTernary(Opcode::kClamp, kF32, F32(low), F32(x), F32(high));
  };
  EXPECT_EQ(clamp(0, -1, 6), F32(0));
  EXPECT_EQ(clamp(0, 5, 6), F32(5));
  EXPECT_EQ(clamp(0, 9, 6), F32(6));
  EXPECT_EQ(clamp(5, 3, 10), F32(5));
  EXPECT_EQ(clamp(10, 13, 15), F32(13));
  EXPECT_EQ(clamp(15, 23, 20), F32(20));
  EXPECT_EQ(clamp(-5, -1, -3), F32(-3));
  EXPECT_EQ(clamp(6, 3, 2), F32(2));
  EXPECT_EQ(clamp(0, kNan, 1), F32(kNan));
  EXPECT_EQ(clamp(kNan, 0, 1), F32(kNan));
  EXPECT_EQ(clamp(0, 0, kNan), F32(kNan));
  EXPECT_EQ(clamp(0, kInf, 1), F32(1));
  EXPECT_EQ(clamp(0, -0.0, 1), F32(0));  // M-7
  const auto integer = [](ElementType type, int64_t low, int64_t x, int64_t high) {
    return EvaluateTernary(Opcode::kClamp, type, Int(type, low), Int(type, x), Int(type, high));
  };
  EXPECT_EQ(integer(kS8, -5, -100, 5), Int(kS8, -5));
  EXPECT_EQ(integer(kU8, 5, 250, 200), Int(kU8, 200));
  EXPECT_EQ(integer(kS32, 6, 3, 2), Int(kS32, 2));
  for (int64_t low = 0; low < 2; ++low) {
    for (int64_t x = 0; x < 2; ++x) {
      for (int64_t high = 0; high < 2; ++high) {
        EXPECT_EQ(integer(kPred, low, x, high), Int(kPred, std::min(std::max(low, x), high)));
      }
    }
  }
}

TEST(OrderOpsTest, ExtremaOfIntegersAndPred) {
  const auto binary = [](Opcode opcode, ElementType type, int64_t a, int64_t b) {
    return EvaluateBinary(opcode, type, Int(type, a), Int(type, b));
  };
  EXPECT_EQ(binary(Opcode::kMaximum, kU8, 200, 100), Int(kU8, 200));
  EXPECT_EQ(binary(Opcode::kMaximum, kS8, -56, 100), Int(kS8, 100));
  EXPECT_EQ(binary(Opcode::kMinimum, kS8, -56, 100), Int(kS8, -56));
  EXPECT_EQ(binary(Opcode::kMaximum, kPred, 1, 0), Int(kPred, 1));
  EXPECT_EQ(binary(Opcode::kMinimum, kPred, 1, 0), Int(kPred, 0));
  EXPECT_EQ(binary(Opcode::kMinimum, kS64, INT64_MIN, INT64_MAX), Int(kS64, INT64_MIN));
  EXPECT_EQ(binary(Opcode::kMaximum, kU64, -1, 1), Int(kU64, -1));
}

class TinyOrderTest : public testing::TestWithParam<Model> {
 protected:
  const Model& model() const { return GetParam(); }
  uint64_t codes() const { return uint64_t{1} << model().bits(); }
};

bool Expected(ComparisonDirection direction, int order) {
  switch (direction) {
    case kEq:
      return order == 0;
    case kNe:
      return order != 0;
    case kGe:
      return order >= 0;
    case kGt:
      return order > 0;
    case kLe:
      return order <= 0;
    default:
      return order < 0;
  }
}

// -1, 0, 1 for numbers that are no NaN.
int Order(const Number& a, const Number& b) {
  const auto rank = [](const Number& x) {
    return x.cls == Number::kInfinite ? (x.negative ? -1 : 1) : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) != 0) return 0;
  const exact_model::Integer left = (a.negative ? -a.numerator : a.numerator) * b.denominator;
  const exact_model::Integer right = (b.negative ? -b.numerator : b.numerator) * a.denominator;
  return left < right ? -1 : left == right ? 0 : 1;
}

TEST_P(TinyOrderTest, QuietComparisonsAndExtremaOfAllPairs) {
  const ElementType type = model().type;
  std::vector<Number> numbers;
  for (uint64_t bits = 0; bits < codes(); ++bits) {
    numbers.push_back(exact_model::Decode(model(), bits));
  }
  const ScalarFunction maximum = *FindScalarFunction({Opcode::kMaximum, type, type});
  const ScalarFunction minimum = *FindScalarFunction({Opcode::kMinimum, type, type});
  for (uint64_t a = 0; a < codes(); ++a) {
    for (uint64_t b = 0; b < codes(); ++b) {
      const bool nan = numbers[a].cls == Number::kNan || numbers[b].cls == Number::kNan;
      const int order = nan ? 0 : Order(numbers[a], numbers[b]);
      for (const ComparisonDirection direction : {kEq, kNe, kGe, kGt, kLe, kLt}) {
        ASSERT_EQ(Compare(type, direction, ComparisonType::kFloat, {a}, {b}),
                  nan ? direction == kNe : Expected(direction, order))
            << std::hex << a << " " << b;
      }
      uint64_t larger = order < 0 ? b : a;
      uint64_t smaller = order < 0 ? a : b;
      if (nan) larger = smaller = model().nan;
      if (!nan && order == 0 && numbers[a].numerator == 0 &&
          numbers[a].cls == Number::kFinite) {  // +0 and -0
        larger = a & b;
        smaller = a | b;
      }
      ASSERT_EQ(maximum(Element{a}, Element{b}).bits, larger) << std::hex << a << " " << b;
      ASSERT_EQ(minimum(Element{a}, Element{b}).bits, smaller) << std::hex << a << " " << b;
    }
  }
}

// The patterns written down in total order.
std::vector<uint64_t> InTotalOrder(const Model& model) {
  std::vector<uint64_t> order;
  const uint64_t sign = model.sign_bit();
  if (model.kind == Kind::kFnu) {
    for (uint64_t code = 0; code < 256; ++code) order.push_back(code);
    return order;
  }
  if (model.kind == Kind::kFnuz) order.push_back(sign);
  const uint64_t last = model.kind == Kind::kFnuz ? 1 : 0;
  for (uint64_t magnitude = sign; magnitude-- > last;) order.push_back(sign | magnitude);
  for (uint64_t magnitude = 0; magnitude < sign; ++magnitude) order.push_back(magnitude);
  return order;
}

TEST_P(TinyOrderTest, TotalOrderOfAllPairs) {
  const std::vector<uint64_t> order = InTotalOrder(model());
  ASSERT_EQ(order.size(), codes());
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) {
      const int expected = i < j ? -1 : i == j ? 0 : 1;
      for (const ComparisonDirection direction : {kEq, kNe, kGe, kGt, kLe, kLt}) {
        ASSERT_EQ(
            Compare(model().type, direction, ComparisonType::kTotalOrder, {order[i]}, {order[j]}),
            Expected(direction, expected))
            << std::hex << order[i] << " " << order[j];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TinyOrderTest, testing::ValuesIn(exact_model::TinyModels()),
                         [](const testing::TestParamInfo<Model>& info) {
                           return std::string(Name(info.param.type));
                         });

}  // namespace
}  // namespace assay::evaluator::order_ops_test
