// Conversions: the worked examples of reference ops_elementwise_and_types.md 6.13, 8.8, 8.9, 8.11
// and 8.12; every pattern of every type of at most 16 bits into every type against exact values;
// the edges of wider ones; reduce-precision and stochastic-convert against their definition in
// exact arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "evaluator/scalar/scalar_ops.h"
#include "spec/element/exact_float_model.h"
#include "spec/testing/schedule.h"

namespace assay::evaluator::convert_ops_test {
namespace {

using enum ElementType;
using exact_model::Integer;
using exact_model::Model;
using exact_model::Number;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Element Float(ElementType type, double value) { return {EncodeFloat(type, value)}; }
Element Int(ElementType type, int64_t value) {
  return {EncodeInteger(type, static_cast<uint64_t>(value))};
}

TEST(ConvertOpsTest, IntegersToFloats) {
  const struct {
    ElementType from;
    int64_t value;
    ElementType to;
    uint64_t bits;
  } rows[] = {
      {kS32, 2, kF32, 0x40000000},
      {kS32, 16777217, kF32, Float(kF32, 16777216).bits},
      {kS64, INT64_MAX, kF32, 0x5f000000},
      {kS32, 2049, kF16, Float(kF16, 2048).bits},
      {kS32, 65519, kF16, 0x7bff},
      {kS32, 65520, kF16, 0x7c00},
      {kS32, 257, kBF16, Float(kBF16, 256).bits},
      {kS32, 465, kF8E4M3FN, 0x7f},
      {kS32, 464, kF8E4M3FN, 0x7e},
      {kS8, 100, kF8E4M3FN, 0x6c},
      {kS8, 5, kF4E2M1FN, 0x6},
      {kS8, 7, kF4E2M1FN, 0x7},
      {kS8, 127, kF4E2M1FN, 0x7},
      {kS8, -3, kF4E2M1FN, 0xd},
      {kS8, 0, kF8E8M0FNU, 0xff},
      {kS8, 3, kF8E8M0FNU, 0x81},
      {kS8, 5, kF8E8M0FNU, 0x81},
      {kS8, -2, kF8E8M0FNU, 0xff},
      {kS32, 16842753, kBF16, 0x4b81},
      {kS32, 2305, kF8E5M2, 0x69},
      {kS64, 9007199791611905, kF32, 0x5a000001},
      {kPred, 1, kF32, 0x3f800000},
      {kPred, 0, kF8E8M0FNU, 0xff},
      {kPred, 1, kS1, 1},
      {kPred, 1, kS4, 1},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Convert(row.from, Int(row.from, row.value), row.to).bits, row.bits)
        << Name(row.from) << " " << row.value << " " << Name(row.to);
  }
}

TEST(ConvertOpsTest, FloatsToIntegers) {
  const struct {
    double value;
    ElementType to;
    int64_t expected;
  } rows[] = {
      {42.6, kS32, 42},
      {64.4, kS32, 64},
      {2.5, kS4, 2},
      {-2.5, kS4, -2},
      {300, kU8, 255},
      {-1, kU8, 0},
      {3e9, kS32, INT32_MAX},
      {-kInf, kS16, -32768},
      {kNan, kS32, 0},
      {kNan, kU8, 0},
      {kNan, kS64, 0},
      {-0.9, kS32, 0},
      {9, kS4, 7},
      {2147483520, kS32, 2147483520},
      {2147483648, kS32, INT32_MAX},
      {2147483648, kU32, 2147483648},
      {0x1p63, kS64, INT64_MAX},
      {-0x1p63, kS64, INT64_MIN},
      {-kInf, kS64, INT64_MIN},
      {0x1p64, kU64, -1},
      {0x1p63, kU64, INT64_MIN},
      {kInf, kU64, -1},
      {1, kS1, 0},
      {-1, kS1, -1},
      {0.5, kU1, 0},
      {7, kU1, 1},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Convert(kF32, Float(kF32, row.value), row.to), Int(row.to, row.expected))
        << row.value << " " << Name(row.to);
  }
  // Just inside the ends of the 64-bit types.
  EXPECT_EQ(Convert(kF64, Float(kF64, std::nextafter(0x1p63, 0)), kS64),
            Int(kS64, 9223372036854774784));
  EXPECT_EQ(Convert(kF64, Float(kF64, std::nextafter(0x1p64, 0)), kU64).bits,
            18446744073709549568u);
  EXPECT_EQ(Convert(kF64, Float(kF64, 127.999), kS8), Int(kS8, 127));
  EXPECT_EQ(Convert(kF64, Float(kF64, -128.999), kS8), Int(kS8, -128));
  EXPECT_EQ(Convert(kF4E2M1FN, {0x7}, kS32), Int(kS32, 6));  // V-8
  EXPECT_EQ(Convert(kF4E2M1FN, {0xf}, kS32), Int(kS32, -6));
  EXPECT_EQ(Convert(kF4E2M1FN, {0xf}, kU32), Int(kU32, 0));
}

TEST(ConvertOpsTest, IntegersToIntegers) {
  const struct {
    ElementType from;
    int64_t value;
    ElementType to;
    int64_t expected;
  } rows[] = {
      {kS8, 8, kS4, -8},   {kS8, -8, kS4, -8},   {kS8, -9, kS4, 7},
      {kS8, 127, kS4, -1}, {kS8, -128, kS4, 0},  {kS32, -1, kU8, 255},
      {kS32, 256, kU8, 0}, {kS32, 300, kU8, 44}, {kS64, 0x123456789, kS32, 591751049},
      {kU8, 255, kS8, -1}, {kS8, -1, kU64, -1},  {kS32, 3, kS2, -1},
      {kU4, 15, kS8, 15},  {kS4, -1, kU8, 255},  {kS8, -4, kPred, 1},
      {kU64, 0, kPred, 0},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Convert(row.from, Int(row.from, row.value), row.to), Int(row.to, row.expected))
        << Name(row.from) << " " << row.value << " " << Name(row.to);
  }
}

TEST(ConvertOpsTest, ToPred) {
  for (const auto& [x, truth] :
       {std::pair{0.0, 0}, {-0.0, 0}, {kNan, 1}, {0.5, 1}, {0x1p-149, 1}, {kInf, 1}}) {
    EXPECT_EQ(Convert(kF32, Float(kF32, x), kPred), Int(kPred, truth)) << x;
  }
  for (uint64_t code = 0; code < 256; ++code) {
    EXPECT_EQ(Convert(kF8E8M0FNU, {code}, kPred), Int(kPred, 1));
  }
}

TEST(ConvertOpsTest, Complex) {
  const Element z = {Float(kF32, 2.5).bits, Float(kF32, -1).bits};
  EXPECT_EQ(Convert(kC64, z, kF32), Float(kF32, 2.5));
  EXPECT_EQ(Convert(kC64, z, kS8), Int(kS8, 2));
  EXPECT_EQ(Convert(kC64, {0, 1}, kPred), Int(kPred, 0));
  EXPECT_EQ(Convert(kF32, Float(kF32, 2), kC64), (Element{0x40000000, 0}));
  EXPECT_EQ(Convert(kPred, {1}, kC64), (Element{0x3f800000, 0}));
  EXPECT_EQ(Convert(kS64, Int(kS64, -3), kC128), (Element{Float(kF64, -3).bits, 0}));
  const Element tenths = {Float(kF64, 0.1).bits, Float(kF64, 0.2).bits};
  EXPECT_EQ(Convert(kC128, tenths, kC64), (Element{0x3dcccccd, 0x3e4ccccd}));
  const Element nans = {0x7f800001, 0xff800001};
  EXPECT_EQ(Convert(kC64, nans, kC64), nans);
}

TEST(ConvertOpsTest, SameTypeKeepsEveryBit) {
  EXPECT_EQ(Convert(kF32, {0x7f800001}, kF32).bits, 0x7f800001u);
  EXPECT_EQ(Convert(kF16, {0xfc01}, kF16).bits, 0xfc01u);
  EXPECT_EQ(Convert(kF64, {0x7ff0000000000001}, kF64).bits, 0x7ff0000000000001u);
}

// The table of 8.8.
TEST(ConvertOpsTest, F32IntoEveryNarrowType) {
  const ElementType types[] = {kF16,        kBF16,          kF8E5M2,     kF8E4M3, kF8E4M3FN,
                               kF8E4M3FNUZ, kF8E4M3B11FNUZ, kF8E5M2FNUZ, kF8E3M4, kF8E8M0FNU,
                               kF6E3M2FN,   kF6E2M3FN,      kF4E2M1FN};
  const struct {
    float value;
    uint64_t codes[13];
  } rows[] = {
      {0.1f, {0x2e66, 0x3dcd, 0x2e, 0x1d, 0x1d, 0x25, 0x3d, 0x32, 0x06, 0x7c, 0x02, 0x01, 0x0}},
      {3.1415927f,
       {0x4248, 0x4049, 0x42, 0x45, 0x45, 0x4d, 0x65, 0x46, 0x49, 0x81, 0x12, 0x15, 0x5}},
      {100, {0x5640, 0x42c8, 0x56, 0x6c, 0x6c, 0x74, 0x80, 0x5a, 0x70, 0x86, 0x1f, 0x1f, 0x7}},
      {-17, {0xcc40, 0xc188, 0xcc, 0xd8, 0xd8, 0xe0, 0xf8, 0xd0, 0xf0, 0xff, 0x3c, 0x3f, 0xf}},
      {464, {0x5f40, 0x43e8, 0x5f, 0x78, 0x7e, 0x80, 0x80, 0x63, 0x70, 0x88, 0x1f, 0x1f, 0x7}},
      {465, {0x5f44, 0x43e8, 0x5f, 0x78, 0x7f, 0x80, 0x80, 0x63, 0x70, 0x88, 0x1f, 0x1f, 0x7}},
      {1000000, {0x7c00, 0x4974, 0x7c, 0x78, 0x7f, 0x80, 0x80, 0x80, 0x70, 0x93, 0x1f, 0x1f, 0x7}},
      {0.001f, {0x1419, 0x3a83, 0x14, 0x01, 0x01, 0x01, 0x08, 0x18, 0x00, 0x75, 0x00, 0x00, 0x0}},
      {-0.0f, {0x8000, 0x8000, 0x80, 0x80, 0x80, 0x00, 0x00, 0x00, 0x80, 0xff, 0x20, 0x20, 0x8}},
      {std::numeric_limits<float>::infinity(),
       {0x7c00, 0x7f80, 0x7c, 0x78, 0x7f, 0x80, 0x80, 0x80, 0x70, 0xff, 0x1f, 0x1f, 0x7}},
  };
  for (const auto& row : rows) {
    for (int i = 0; i < 13; ++i) {
      EXPECT_EQ(Convert(kF32, Float(kF32, row.value), types[i]).bits, row.codes[i])
          << row.value << " " << Name(types[i]);
    }
  }
}

// The value of an element of a real type, from its definition.
Number ValueOf(ElementType type, uint64_t bits) {
  if (IsFloat(type)) return exact_model::Decode(exact_model::ModelOf(type), bits);
  Integer value = bits;
  if (IsSigned(type) && (bits >> (Info(type).bits - 1)) != 0) {
    value -= Integer(1) << Info(type).bits;
  }
  Number number;
  number.negative = value < 0;
  number.numerator = value < 0 ? Integer(-value) : value;
  return number;
}

uint64_t Modulo(const Integer& value, int bits) {
  const Integer modulus = Integer(1) << bits;
  Integer rest = value % modulus;
  if (rest < 0) rest += modulus;
  return static_cast<uint64_t>(rest);
}

// The table of 6.13.
uint64_t ExpectedConversion(ElementType from, const Number& x, ElementType to) {
  if (IsPred(to)) return x.cls != Number::kFinite || x.numerator != 0 ? 1 : 0;
  if (IsFloat(to)) return exact_model::Round(exact_model::ModelOf(to), x);
  const int bits = Info(to).bits;
  const Integer highest = (Integer(1) << (IsSigned(to) ? bits - 1 : bits)) - 1;
  const Integer lowest = IsSigned(to) ? Integer(-highest - 1) : Integer(0);
  Integer value = 0;
  if (x.cls == Number::kInfinite) value = x.negative ? lowest : highest;
  if (x.cls == Number::kFinite) {
    value = x.numerator / x.denominator;
    if (x.negative) value = -value;
    if (IsFloat(from)) value = value < lowest ? lowest : value > highest ? highest : value;
  }
  return Modulo(value, bits);
}

class NarrowSourceTest : public testing::TestWithParam<ElementType> {};

TEST_P(NarrowSourceTest, IntoEveryType) {
  const ElementType from = GetParam();
  const uint64_t codes = uint64_t{1} << Info(from).bits;
  std::vector<Number> values;
  for (uint64_t bits = 0; bits < codes; ++bits) values.push_back(ValueOf(from, bits));
  for (const ElementType to : kArrayTypes) {
    if (to == from) continue;
    const ElementType part = Info(to).component;
    const ScalarFunction convert = *FindScalarFunction({Opcode::kConvert, from, to});
    for (uint64_t bits = 0; bits < codes; bits += kScheduleStride) {
      const Element result = convert(Element{bits});
      const uint64_t expected = part == from ? bits : ExpectedConversion(from, values[bits], part);
      ASSERT_EQ(result, (Element{expected, 0})) << Name(to) << std::hex << " " << bits;
    }
  }
}

std::vector<ElementType> NarrowTypes() {
  std::vector<ElementType> narrow;
  for (const ElementType type : kArrayTypes) {
    if (Info(type).bits <= 16) narrow.push_back(type);
  }
  return narrow;
}

INSTANTIATE_TEST_SUITE_P(All, NarrowSourceTest, testing::ValuesIn(NarrowTypes()),
                         [](const testing::TestParamInfo<ElementType>& info) {
                           return std::string(Name(info.param));
                         });

TEST(ConvertOpsTest, WideSourcesIntoEveryType) {
  std::mt19937_64 random(8);
  for (const ElementType from : {kS32, kU32, kS64, kU64, kF32, kF64}) {
    for (int i = 0; i < 2000; ++i) {
      uint64_t bits = EncodeInteger(kU64, random()) >> (64 - Info(from).bits);
      if (!IsFloat(from)) bits >>= random() % Info(from).bits;
      // Floats about the range of the integers and the narrow floats.
      if (IsFloat(from) && i % 4 != 0) {
        const double x =
            std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 90) - 78);
        bits = EncodeFloat(from, random() % 2 == 0 ? x : -x);
      }
      const Number value = ValueOf(from, bits);
      for (const ElementType to : kArrayTypes) {
        if (to == from || IsComplex(to)) continue;
        ASSERT_EQ(Convert(from, {bits}, to).bits, ExpectedConversion(from, value, to))
            << Name(from) << std::hex << " " << bits << " " << Name(to);
      }
    }
  }
}

// 8.9.
TEST(ReducePrecisionTest, Examples) {
  const struct {
    double x;
    int exponent_bits, mantissa_bits;
    double expected;
  } rows[] = {
      {1.00048828125, 5, 10, 1},
      {1.0004884, 5, 10, 1.0009765625},
      {65519, 5, 10, 65504},
      {65520, 5, 10, kInf},
      {6.1e-5, 5, 10, 0},
      {6.10203e-5, 5, 10, 0x1p-14},
      {-1e-6, 5, 10, -0.0},
      {3.1415927, 8, 7, 3.140625},
      {3.1415927, 3, 2, 3},
      {0.3, 4, 3, 0.3125},
      {17, 4, 3, 16},
      {3.4e38, 8, 3, kInf},
      {1.25, 8, 0, 1},
      {1.5, 8, 0, 2},
      {3, 8, 0, 2},
      {2.5, 1, 0, kInf},
      {1, 1, 5, 0},
      {1.9, 2, 1, 2},
      {-kInf, 5, 10, -kInf},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ReducePrecision(kF32, Float(kF32, row.x), row.exponent_bits, row.mantissa_bits),
              Float(kF32, row.expected))
        << row.x << " " << row.exponent_bits << " " << row.mantissa_bits;
  }
  const auto bits = [](ElementType type, uint64_t x, int e, int m) {
    return ReducePrecision(type, {x}, e, m).bits;
  };
  EXPECT_EQ(bits(kF32, Float(kF32, 1e-40).bits, 8, 10), 0x00012000u);
  EXPECT_TRUE(IsNan(kF32, bits(kF32, 0x7f800001, 5, 10)));
  EXPECT_EQ(bits(kF32, 0xffc00000, 5, 0), 0x7f800000u);
  EXPECT_EQ(bits(kF32, 0x387ff000, 5, 10), 0x38800000u);
  EXPECT_EQ(bits(kF32, 0x387fefff, 5, 10), 0u);
  EXPECT_EQ(bits(kBF16, 0x3f9d, 8, 3), 0x3fa0u);
  EXPECT_EQ(bits(kF16, 0x0001, 5, 10), 0x0001u);
  EXPECT_EQ(bits(kF16, 0x7bff, 5, 2), 0x7c00u);
  EXPECT_EQ(bits(kF8E4M3FN, Float(kF8E4M3FN, 15).bits, 3, 2), 0x7fu);
  EXPECT_EQ(bits(kF4E2M1FN, Float(kF4E2M1FN, 2).bits, 1, 5), 0x7u);
  EXPECT_EQ(bits(kF8E4M3FNUZ, 0x40, 1, 5), 0u);
  const double f64[] = {kInf, 0x1p-1074, 0, 65519, 65520};
  const double reduced[] = {kInf, 0, 0, 65504, kInf};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ReducePrecision(kF64, Float(kF64, f64[i]), 5, 10), Float(kF64, reduced[i]));
  }
}

// By value: the significand to a whole number of units of its binade, ties to even patterns; then
// results of 2^r * 2 and more overflow, and those below 2^(1 - r) are zero, r = 2^(E-1) - 1.
uint64_t ExpectedReduction(const Model& model, uint64_t bits, int exponent_bits,
                           int mantissa_bits) {
  const Number x = exact_model::Decode(model, bits);
  const double value = DecodeFloat(model.type, bits);
  if (x.cls == Number::kNan) {
    if (mantissa_bits > 0) return bits;
    return model.kind == exact_model::Kind::kIeee ? exact_model::Overflowed(model, false)
                                                  : model.nan;
  }
  if (x.cls == Number::kInfinite) return bits;
  double magnitude = std::fabs(value);
  if (magnitude != 0 && mantissa_bits < model.mantissa_bits) {
    const int binade = std::max(std::ilogb(magnitude), model.min_exponent());
    const int unit = binade - mantissa_bits;
    const double units = std::ldexp(magnitude, -unit);
    // Without significand bits the even neighbour is the one with the even exponent field.
    const bool down = units == 1.5 && (binade + model.bias) % 2 == 0;
    magnitude = std::ldexp(down ? 1 : std::nearbyint(units), unit);
  }
  const double max = DecodeFloat(model.type, model.max_finite);
  if (magnitude > max) return exact_model::Overflowed(model, std::signbit(value));
  if (exponent_bits < model.exponent_bits && magnitude != 0) {
    const int range = (1 << (exponent_bits - 1)) - 1;
    if (std::ilogb(magnitude) > range) return exact_model::Overflowed(model, std::signbit(value));
    if (std::ilogb(magnitude) <= -range) magnitude = 0;
  }
  return EncodeFloat(model.type, std::copysign(magnitude, value));
}

TEST(ReducePrecisionTest, NarrowTypesByValue) {
  for (const Model& model : exact_model::Models()) {
    if (model.bits() > 16) continue;
    const uint64_t stride = model.bits() == 16 ? 13 : 1;
    for (int e = 1; e <= model.exponent_bits + 1; ++e) {
      for (int m = 0; m <= model.mantissa_bits + 1; ++m) {
        for (uint64_t bits = 0; bits < uint64_t{1} << model.bits(); bits += stride) {
          ASSERT_EQ(ReducePrecision(model.type, {bits}, e, m).bits,
                    ExpectedReduction(model, bits, e, m))
              << Name(model.type) << std::hex << " " << bits << " (" << e << ", " << m << ")";
        }
      }
    }
  }
}

TEST(ReducePrecisionTest, WideTypesByValue) {
  std::mt19937_64 random(9);
  for (const ElementType type : {kF32, kF64}) {
    const Model& model = exact_model::ModelOf(type);
    for (int i = 0; i < 50000; ++i) {
      const int e = 1 + static_cast<int>(random() % (model.exponent_bits + 1));
      const int m = static_cast<int>(random() % (model.mantissa_bits + 2));
      uint64_t bits = random() >> (64 - model.bits());
      if (i % 2 == 0) {
        bits = EncodeFloat(type, std::ldexp(static_cast<double>(random() % 4096),
                                            static_cast<int>(random() % 40) - 30));
      }
      ASSERT_EQ(ReducePrecision(type, {bits}, e, m).bits, ExpectedReduction(model, bits, e, m))
          << Name(type) << std::hex << " " << bits << " (" << e << ", " << m << ")";
    }
  }
}

Element Stochastic(ElementType from, Element x, uint64_t random, ElementType to) {
  return EvaluateBinary(Opcode::kStochasticConvert, from, x, {random}, to);
}

TEST(StochasticConvertTest, Examples) {
  const struct {
    double x;
    uint64_t random;
    int64_t expected;
  } rows[] = {
      {1.5, 0x7fffffff, 2},
      {1.5, 0x80000000, 1},
      {-1.5, 0x7fffffff, -2},
      {-1.5, 0x80000000, -1},
      {0.25, 0x3fffffff, 1},
      {0.25, 0x40000000, 0},
      {3, 0, 3},
      {3, 0xffffffff, 3},
      {kNan, 0, 0},
      {3e9, 0, INT32_MAX},
      {-kInf, 0, INT32_MIN},
      {kInf, 0, INT32_MAX},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Stochastic(kF32, Float(kF32, row.x), row.random, kS32), Int(kS32, row.expected))
        << row.x << " " << row.random;
  }
}

// Every 8-bit value with every random number: of the 256, floor(fraction * 256) go away from zero.
TEST(StochasticConvertTest, AllOfF8) {
  for (const ElementType from : {kF8E5M2, kF8E4M3, kF8E3M4, kF8E4M3FN}) {
    for (const ElementType to : {kS4, kS8, kS32}) {
      const auto lowest = static_cast<double>(MinSigned(to));
      const auto highest = static_cast<double>(MaxSigned(to));
      for (uint64_t bits = 0; bits < 256; ++bits) {
        const double x = DecodeFloat(from, bits);
        for (uint64_t random = 0; random < 256; ++random) {
          double expected = 0;
          if (x >= highest) {
            expected = highest;
          } else if (x <= lowest) {
            expected = lowest;
          } else if (x == x) {
            const double toward_zero = std::trunc(x);
            const double fraction = std::fabs(x - toward_zero);
            const bool away = static_cast<double>(random) < std::floor(fraction * 256);
            expected = toward_zero + (away ? std::copysign(1.0, x) : 0);
          }
          ASSERT_EQ(Stochastic(from, {bits}, random, to), Int(to, static_cast<int64_t>(expected)))
              << x << " " << random << " " << Name(to);
        }
      }
    }
  }
}

TEST(StochasticConvertTest, F64KeepsAllBitsOfTheFraction) {
  const Element x = Float(kF64, 0.5 + 0x1p-53);  // threshold 2^63 + 2^11
  EXPECT_EQ(Stochastic(kF64, x, (uint64_t{1} << 63) + 2047, kS64), Int(kS64, 1));
  EXPECT_EQ(Stochastic(kF64, x, (uint64_t{1} << 63) + 2048, kS64), Int(kS64, 0));
}

}  // namespace
}  // namespace assay::evaluator::convert_ops_test
