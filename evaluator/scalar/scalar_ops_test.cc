// The table of scalar definitions against the operation catalogue: every elementwise operation has
// a definition for exactly the element types that reference ops_elementwise_and_types.md 5 and 7
// admit.
#include "evaluator/scalar/scalar_ops.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "evaluator/scalar/rounded_functions.h"
#include "spec/ir/shape.h"

namespace assay::evaluator::scalar_ops_test {
namespace {

// A result type that the operation can give.
ElementType SomeResultType(Opcode opcode, ElementType operand) {
  return opcode == Opcode::kStochasticConvert ? ElementType::kS32
                                              : ScalarResultType(opcode, operand);
}

// What the catalogue's type set leaves open or section 7 rejects.
bool Admitted(const OpInfo& info, ElementType type) {
  switch (info.opcode) {
    case Opcode::kSelect:  // the set is that of the predicate
      return true;
    case Opcode::kComplex:
      return type == ElementType::kF32 || type == ElementType::kF64;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kClamp:  // M-5
      return !IsComplex(type);
    default:
      return info.types.Contains(type);
  }
}

TEST(ScalarOpsTest, EveryElementwiseOperationIsDefinedForItsTypes) {
  int elementwise = 0;
  for (const OpInfo& info : Catalogue()) {
    if (!info.elementwise()) continue;
    ++elementwise;
    for (const ElementType type : kArrayTypes) {
      const auto function =
          FindScalarFunction({info.opcode, type, SomeResultType(info.opcode, type)});
      ASSERT_EQ(function.has_value(), Admitted(info, type)) << info.name << " " << Name(type);
      if (!function.has_value()) continue;
      EXPECT_EQ(function->arity, info.arity) << info.name;
      EXPECT_EQ(function->unary != nullptr, info.arity == 1);
      EXPECT_EQ(function->binary != nullptr, info.arity == 2);
      EXPECT_EQ(function->ternary != nullptr, info.arity == 3);
    }
  }
  EXPECT_EQ(elementwise, 56);  // counted in section 5
}

TEST(ScalarOpsTest, NothingElseIsDefined) {
  for (const OpInfo& info : Catalogue()) {
    if (info.elementwise() || info.opcode == Opcode::kCopy ||
        info.opcode == Opcode::kBitcastConvert) {
      continue;
    }
    EXPECT_FALSE(
        FindScalarFunction({info.opcode, ElementType::kF32, ElementType::kF32}).has_value())
        << info.name;
  }
}

TEST(ScalarOpsTest, RoundedFunctionsAreThoseOfTheRows) {
  const auto unary = [](Opcode opcode, ElementType type) {
    return FindRoundedFunction(opcode, type).unary;
  };
  const auto binary = [](Opcode opcode, ElementType type) {
    return FindRoundedFunction(opcode, type).binary;
  };
  EXPECT_EQ(unary(Opcode::kAcosh, ElementType::kBF16), RealFunction::kAcosh);
  EXPECT_EQ(unary(Opcode::kTan, ElementType::kC128), RealFunction::kTan);
  EXPECT_EQ(unary(Opcode::kSign, ElementType::kC64), RealFunction::kSign);
  EXPECT_EQ(unary(Opcode::kSign, ElementType::kF32), std::nullopt);
  EXPECT_EQ(unary(Opcode::kErf, ElementType::kC64), std::nullopt);
  EXPECT_EQ(unary(Opcode::kExp, ElementType::kS32), std::nullopt);
  EXPECT_EQ(unary(Opcode::kExp, ElementType::kToken), std::nullopt);
  EXPECT_EQ(unary(Opcode::kDot, ElementType::kF32), std::nullopt);
  EXPECT_EQ(binary(Opcode::kPower, ElementType::kF64), RealFunction2::kPower);
  EXPECT_EQ(binary(Opcode::kPower, ElementType::kS32), std::nullopt);
  EXPECT_EQ(binary(Opcode::kMultiply, ElementType::kC64), RealFunction2::kMultiply);
  EXPECT_EQ(binary(Opcode::kMultiply, ElementType::kF32), std::nullopt);
}

TEST(ScalarOpsTest, TypesWithoutElementsHaveNoDefinition) {
  for (const ElementType type : {ElementType::kTuple, ElementType::kToken, ElementType::kOpaque}) {
    EXPECT_FALSE(FindScalarFunction({Opcode::kAdd, type, type}).has_value());
    EXPECT_FALSE(FindScalarFunction({Opcode::kConvert, ElementType::kF32, type}).has_value());
  }
}

TEST(ScalarOpsTest, ResultTypesAreChecked) {
  using enum ElementType;
  const auto defined = [](Opcode opcode, ElementType operand, ElementType result) {
    return FindScalarFunction({opcode, operand, result}).has_value();
  };
  EXPECT_FALSE(defined(Opcode::kAdd, kF32, kF64));
  EXPECT_TRUE(defined(Opcode::kCompare, kF32, kPred));
  EXPECT_FALSE(defined(Opcode::kCompare, kF32, kF32));
  EXPECT_TRUE(defined(Opcode::kAbs, kC64, kF32));
  EXPECT_FALSE(defined(Opcode::kAbs, kC64, kC64));
  EXPECT_TRUE(defined(Opcode::kImag, kC128, kF64));
  EXPECT_TRUE(defined(Opcode::kComplex, kF64, kC128));
  EXPECT_FALSE(defined(Opcode::kComplex, kF16, kF16));
  EXPECT_TRUE(defined(Opcode::kStochasticConvert, kF32, kS8));
  EXPECT_FALSE(defined(Opcode::kStochasticConvert, kF32, kU8));
  EXPECT_FALSE(defined(Opcode::kStochasticConvert, kF32, kF16));
}

TEST(ScalarOpsTest, CopyAndBitcastConvertKeepBits) {
  using enum ElementType;
  EXPECT_EQ(EvaluateUnary(Opcode::kCopy, kF32, {0x7f800001}).bits, 0x7f800001u);
  const auto bitcast = [](ElementType from, uint64_t bits, ElementType to) {
    return EvaluateUnary(Opcode::kBitcastConvert, from, {bits}, to).bits;
  };
  EXPECT_EQ(bitcast(kF32, 0x7f800001, kU32), 0x7f800001u);
  EXPECT_EQ(bitcast(kS32, 1, kF32), 1u);
  EXPECT_EQ(bitcast(kF32, 0x80000000, kS32), 0x80000000u);
  EXPECT_EQ(bitcast(kPred, 1, kS8), 1u);
  EXPECT_EQ(bitcast(kF6E2M3FN, 0x3f, kU8), 0x3fu);
  for (const auto& [from, to] : {std::pair{kF32, kF64}, {kPred, kU1}, {kC64, kF64}, {kS4, kS8}}) {
    EXPECT_FALSE(FindScalarFunction({Opcode::kBitcastConvert, from, to}).has_value());
  }
}

// Instructions bring their own attributes.
class InstructionTest : public testing::Test {
 protected:
  Instruction* Parameter(ElementType type) {
    owned_.push_back(std::make_unique<Instruction>(Opcode::kParameter, Shape::Scalar(type)));
    return owned_.back().get();
  }
  std::vector<std::unique_ptr<Instruction>> owned_;
};

TEST_F(InstructionTest, ReducePrecisionAttributes) {
  Instruction reduce(Opcode::kReducePrecision, Shape::Scalar(ElementType::kF32));
  reduce.AppendOperand(Parameter(ElementType::kF32));
  reduce.SetAttribute(Attr::kExponentBits, int64_t{5});
  reduce.SetAttribute(Attr::kMantissaBits, int64_t{10});
  const auto function = PrepareScalarFunction(reduce);
  ASSERT_TRUE(function.ok()) << function.status();
  EXPECT_EQ((*function)(Element{EncodeFloat(ElementType::kF32, 65520)}).bits, 0x7f800000u);
}

TEST_F(InstructionTest, CompareAttributes) {
  Instruction compare(Opcode::kCompare, Shape::Scalar(ElementType::kPred));
  compare.AppendOperand(Parameter(ElementType::kF32));
  compare.AppendOperand(Parameter(ElementType::kF32));
  compare.SetAttribute(Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kLt));
  const Element minus_zero = {0x80000000};
  auto function = PrepareScalarFunction(compare);
  ASSERT_TRUE(function.ok());
  EXPECT_EQ((*function)(minus_zero, Element{0}).bits, 0u);
  compare.SetAttribute(Attr::kComparisonType, static_cast<int64_t>(ComparisonType::kTotalOrder));
  function = PrepareScalarFunction(compare);
  ASSERT_TRUE(function.ok());
  EXPECT_EQ((*function)(minus_zero, Element{0}).bits, 1u);
}

TEST_F(InstructionTest, SelectTakesTheTypeOfItsBranches) {
  Instruction select(Opcode::kSelect, Shape::Scalar(ElementType::kC64));
  select.AppendOperand(Parameter(ElementType::kPred));
  select.AppendOperand(Parameter(ElementType::kC64));
  select.AppendOperand(Parameter(ElementType::kC64));
  const auto function = PrepareScalarFunction(select);
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(function->op.operand_type, ElementType::kC64);
  EXPECT_EQ((*function)(Element{1}, Element{2, 3}, Element{4, 5}), (Element{2, 3}));
}

TEST_F(InstructionTest, MissingDefinitionsAreNamed) {
  Instruction maximum(Opcode::kMaximum, Shape::Scalar(ElementType::kC64));
  maximum.set_name("largest");
  maximum.AppendOperand(Parameter(ElementType::kC64));
  maximum.AppendOperand(Parameter(ElementType::kC64));
  const auto function = PrepareScalarFunction(maximum);
  EXPECT_EQ(function.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(function.status().message(), "maximum largest: no scalar definition from c64 to c64");
}

}  // namespace
}  // namespace assay::evaluator::scalar_ops_test
