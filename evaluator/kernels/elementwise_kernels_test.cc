// Elementwise kernels against the definition: every operation, every element type that it admits.
#include <limits>
#include <string>
#include <vector>

#include "evaluator/kernels/differential.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/op_info.h"

namespace assay::evaluator {
namespace {

// Sizes around the lanes of vectors and the blocks of loops. Elementary functions cost much more
// than their kernels: few elements will do.
std::vector<std::string> SizesFor(const OpInfo& info) {
  if (info.accuracy == Accuracy::kFunction) return {"", "0", "7"};
  return {"", "0", "1", "7", "8,0", "3,11", "513"};
}

// Operations with an ordinary signature.
bool IsPlain(const OpInfo& info) {
  switch (info.opcode) {
    case Opcode::kCompare:
    case Opcode::kConvert:
    case Opcode::kReducePrecision:
    case Opcode::kStochasticConvert:
    case Opcode::kSelect:
    case Opcode::kClamp:
      return false;
    default:
      return info.elementwise();
  }
}

TEST(ElementwiseKernels, EveryOperationOnEveryType) {
  Differential differential;
  for (const OpInfo& info : Catalogue()) {
    if (!IsPlain(info)) continue;
    for (const ElementType type : kArrayTypes) {
      const ElementType result = ScalarResultType(info.opcode, type);
      if (!info.types.Contains(type) || !FindScalarFunction({info.opcode, type, result})) continue;
      for (const std::string& sizes : SizesFor(info)) {
        Differential::Case c;
        c.instruction = absl::StrCat(ShapeText(result, sizes), " ", std::string(info.name), "(p0",
                                     info.arity == 2 ? ", p1)" : ")");
        c.parameters.assign(info.arity, ShapeText(type, sizes));
        differential.Check(
            c, info.accuracy == Accuracy::kFunction
                   ? std::vector<Profile>{Profile::kBits, Profile::kSmall}
                   : std::vector<Profile>{Profile::kBits, Profile::kSmall, Profile::kCancel});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 2000);
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(ElementwiseKernels, ConvertsEveryPairOfTypes) {
  Differential differential;
  for (const ElementType from : kArrayTypes) {
    for (const ElementType to : kArrayTypes) {
      if (IsComplex(from) && !IsComplex(to)) continue;  // refused by the shape rule
      for (const std::string sizes : {"", "300"}) {
        differential.Check(
            {absl::StrCat(ShapeText(to, sizes), " convert(p0)"), {ShapeText(from, sizes)}, "", {}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(ElementwiseKernels, ComparesInEveryDirection) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    for (const std::string direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
      if (IsComplex(type) && direction != "EQ" && direction != "NE") continue;
      for (const std::string order : {"", ", type=TOTALORDER"}) {
        if (!order.empty() && !IsFloat(type)) continue;
        const std::string operand = ShapeText(type, "67");
        differential.Check({absl::StrCat("pred[67] compare(p0, p1), direction=", direction, order),
                            {operand, operand},
                            "",
                            {}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(ElementwiseKernels, SelectsAndClampsWithScalarsAndArrays) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    for (const std::string sizes : {"", "0", "5", "300"}) {
      const std::string array = ShapeText(type, sizes);
      const std::string scalar = ShapeText(type, "");
      for (const std::string& pred : {std::string("pred[]"), "pred[" + sizes + "]"}) {
        differential.Check(
            {absl::StrCat(array, " select(p0, p1, p2)"), {pred, array, array}, "", {}});
      }
      if (IsComplex(type)) continue;
      for (const std::string& low : {scalar, array}) {
        for (const std::string& high : {scalar, array}) {
          differential.Check(
              {absl::StrCat(array, " clamp(p0, p1, p2)"), {low, array, high}, "", {}});
        }
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Where whole numbers and conversions turn: ties, the ends of the integers, 2^(precision - 1) and
// the numbers beside all of these, of both signs.
TEST(ElementwiseKernels, RoundsAndConvertsAtTheTurns) {
  Differential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBF16}) {
    std::vector<uint64_t> patterns;
    for (const double value : {0.0,
                               0x1p-149,
                               0.25,
                               0.5,
                               0.75,
                               1.0,
                               1.5,
                               2.5,
                               3.5,
                               127.0,
                               255.0,
                               0x1p22 + 0.5,
                               0x1p23,
                               0x1p24,
                               0x1p31,
                               0x1p32,
                               0x1p52,
                               0x1p53,
                               0x1p63,
                               0x1p64,
                               0x1.fep127,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
      for (const double sign : {1.0, -1.0}) {
        const uint64_t pattern = EncodeFloat(type, sign * value);
        for (int step = -2; step <= 2; ++step) patterns.push_back(pattern + step);
      }
    }
    const auto count = static_cast<int64_t>(patterns.size());
    Literal values = Literal::Zeros(Shape(type, {count}));
    for (int64_t i = 0; i < count; ++i) values.Set(i, {patterns[i]});
    for (const std::string op : {"floor", "ceil", "round-nearest-even", "round-nearest-afz"}) {
      const std::string shape = ShapeText(type, absl::StrCat(count));
      differential.CheckOn({absl::StrCat(shape, " ", op, "(p0)"), {shape}, "", {}}, {values});
    }
    for (const ElementType to : kArrayTypes) {
      const std::string shape = ShapeText(type, absl::StrCat(count));
      differential.CheckOn(
          {absl::StrCat(ShapeText(to, absl::StrCat(count)), " convert(p0)"), {shape}, "", {}},
          {values});
    }
  }
  EXPECT_GT(differential.cases(), 0);
}

TEST(ElementwiseKernels, ReducesPrecision) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    if (!IsFloat(type)) continue;
    for (const std::string bits :
         {"exponent_bits=5, mantissa_bits=10", "exponent_bits=8, mantissa_bits=0",
          "exponent_bits=1, mantissa_bits=3"}) {
      for (const std::string sizes : {"3", "700"}) {
        const std::string shape = ShapeText(type, sizes);
        differential.Check({absl::StrCat(shape, " reduce-precision(p0), ", bits), {shape}, "", {}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(ElementwiseKernels, RoundsStochastically) {
  Differential differential;
  const std::pair<ElementType, ElementType> types[] = {{ElementType::kF16, ElementType::kU16},
                                                       {ElementType::kBF16, ElementType::kU16},
                                                       {ElementType::kF32, ElementType::kU32},
                                                       {ElementType::kF64, ElementType::kU64}};
  for (const auto& [type, random] : types) {
    for (const ElementType to : {ElementType::kS4, ElementType::kS8, ElementType::kS32}) {
      differential.Check({absl::StrCat(ShapeText(to, "41"), " stochastic-convert(p0, p1)"),
                          {ShapeText(type, "41"), ShapeText(random, "41")},
                          "",
                          {}});
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Large enough for the tables of all results.
TEST(ElementwiseKernels, LooksNarrowTypesUpInTables) {
  Differential differential;
  for (const ElementType type : {ElementType::kBF16, ElementType::kF16}) {
    const std::string shape = ShapeText(type, "65536");
    differential.Check({absl::StrCat(shape, " sign(p0)"), {shape}, "", {}}, {Profile::kBits});
  }
  for (const ElementType type : {ElementType::kS8, ElementType::kU4}) {
    const std::string shape = ShapeText(type, "257");
    differential.Check({absl::StrCat(shape, " popcnt(p0)"), {shape}, "", {}}, {Profile::kBits});
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

}  // namespace
}  // namespace assay::evaluator
