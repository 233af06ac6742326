// Element types against the master table of reference ops_elementwise_and_types.md 1.1.
#include "spec/element/element_type.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "spec/element/bitcast_width.h"
#include "spec/element/exact_float_model.h"

namespace assay {
namespace {

struct Expected {
  const char* name;
  int number;
  char cls;  // P, S, U, F, C
  int bits;
  int storage;
};
constexpr Expected kExpected[] = {
    {"pred", 1, 'P', 1, 1},
    {"s1", 30, 'S', 1, 1},
    {"s2", 26, 'S', 2, 1},
    {"s4", 21, 'S', 4, 1},
    {"s8", 2, 'S', 8, 1},
    {"s16", 3, 'S', 16, 2},
    {"s32", 4, 'S', 32, 4},
    {"s64", 5, 'S', 64, 8},
    {"u1", 31, 'U', 1, 1},
    {"u2", 27, 'U', 2, 1},
    {"u4", 22, 'U', 4, 1},
    {"u8", 6, 'U', 8, 1},
    {"u16", 7, 'U', 16, 2},
    {"u32", 8, 'U', 32, 4},
    {"u64", 9, 'U', 64, 8},
    {"f4e2m1fn", 32, 'F', 4, 1},
    {"f6e2m3fn", 36, 'F', 6, 1},
    {"f6e3m2fn", 35, 'F', 6, 1},
    {"f8e3m4", 29, 'F', 8, 1},
    {"f8e4m3", 28, 'F', 8, 1},
    {"f8e4m3fn", 20, 'F', 8, 1},
    {"f8e4m3fnuz", 25, 'F', 8, 1},
    {"f8e4m3b11fnuz", 23, 'F', 8, 1},
    {"f8e5m2", 19, 'F', 8, 1},
    {"f8e5m2fnuz", 24, 'F', 8, 1},
    {"f8e8m0fnu", 33, 'F', 8, 1},
    {"f16", 10, 'F', 16, 2},
    {"bf16", 16, 'F', 16, 2},
    {"f32", 11, 'F', 32, 4},
    {"f64", 12, 'F', 64, 8},
    {"c64", 15, 'C', 64, 8},
    {"c128", 18, 'C', 128, 16},
};

TEST(ElementTypeTest, MasterTable) {
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.name);
    const auto type = ElementTypeFromName(expected.name);
    ASSERT_TRUE(type.has_value());
    EXPECT_EQ(static_cast<int>(*type), expected.number);
    EXPECT_EQ(ElementTypeFromNumber(expected.number), type);
    EXPECT_EQ(std::string(Name(*type)), expected.name);
    EXPECT_EQ(Info(*type).bits, expected.bits);
    EXPECT_EQ(Info(*type).storage_bytes, expected.storage);
    EXPECT_EQ(IsPred(*type), expected.cls == 'P');
    EXPECT_EQ(IsSigned(*type), expected.cls == 'S');
    EXPECT_EQ(IsUnsigned(*type), expected.cls == 'U');
    EXPECT_EQ(IsInteger(*type), expected.cls == 'S' || expected.cls == 'U');
    EXPECT_EQ(IsFloat(*type), expected.cls == 'F');
    EXPECT_EQ(Info(*type).format != nullptr, expected.cls == 'F');
    EXPECT_EQ(IsComplex(*type), expected.cls == 'C');
    EXPECT_TRUE(IsArray(*type));
  }
}

TEST(ElementTypeTest, ArrayTypesAreListedOnce) {
  std::set<ElementType> listed(std::begin(kArrayTypes), std::end(kArrayTypes));
  EXPECT_EQ(listed.size(), std::size(kExpected));
  EXPECT_EQ(std::size(kArrayTypes), std::size(kExpected));
  for (const Expected& expected : kExpected) {
    EXPECT_EQ(listed.count(*ElementTypeFromName(expected.name)), 1u) << expected.name;
  }
}

TEST(ElementTypeTest, Components) {
  EXPECT_EQ(Info(ElementType::kC64).component, ElementType::kF32);
  EXPECT_EQ(Info(ElementType::kC128).component, ElementType::kF64);
  EXPECT_EQ(Info(ElementType::kS8).component, ElementType::kS8);
}

TEST(ElementTypeTest, TypesWithoutElements) {
  EXPECT_EQ(ElementTypeFromNumber(13), ElementType::kTuple);
  EXPECT_EQ(ElementTypeFromNumber(14), ElementType::kOpaque);
  EXPECT_EQ(ElementTypeFromNumber(17), ElementType::kToken);
  EXPECT_EQ(ElementTypeFromNumber(34), ElementType::kBuffer);
  EXPECT_EQ(ElementTypeFromName("opaque"), ElementType::kOpaque);
  EXPECT_EQ(ElementTypeFromName("token"), ElementType::kToken);
  EXPECT_FALSE(ElementTypeFromName("tuple").has_value());
  EXPECT_FALSE(ElementTypeFromName("buffer").has_value());
  for (const ElementType type : {ElementType::kTuple, ElementType::kOpaque, ElementType::kToken,
                                 ElementType::kBuffer, ElementType::kInvalid}) {
    EXPECT_FALSE(IsArray(type));
  }
}

TEST(ElementTypeTest, UnknownNamesAndNumbers) {
  for (const char* name : {"", "f31", "F32", "s3", "bf32", "f8", "f32 "}) {
    EXPECT_FALSE(ElementTypeFromName(name).has_value()) << name;
  }
  for (const int number : {-1, 0, 37, 1000, 256 + 11}) {
    EXPECT_FALSE(ElementTypeFromNumber(number).has_value()) << number;
  }
}

TEST(ElementTypeTest, FloatFormatsMatchTheReference) {
  for (const exact_model::Model& model : exact_model::Models()) {
    SCOPED_TRACE(std::string(Name(model.type)));
    const FloatFormat& format = *Info(model.type).format;
    EXPECT_EQ(format.exponent_bits, model.exponent_bits);
    EXPECT_EQ(format.significand_bits, model.mantissa_bits);
    EXPECT_EQ(format.precision(), model.mantissa_bits + 1);
    EXPECT_EQ(format.bias, model.bias);
    EXPECT_EQ(format.has_infinity, model.kind == exact_model::Kind::kIeee);
    EXPECT_EQ(format.has_nan(), model.kind != exact_model::Kind::kFinite);
    EXPECT_EQ(format.has_sign, model.kind != exact_model::Kind::kFnu);
    EXPECT_EQ(format.signed_zero,
              model.kind != exact_model::Kind::kFnu && model.kind != exact_model::Kind::kFnuz);
  }
}

// accuracy_design.md, section 1.
TEST(ElementTypeTest, ExponentRanges) {
  const auto range = [](ElementType type) {
    const FloatFormat& format = *Info(type).format;
    return std::pair(format.min_exponent(), format.max_exponent());
  };
  EXPECT_EQ(range(ElementType::kF64), std::pair(-1022, 1023));
  EXPECT_EQ(range(ElementType::kF32), std::pair(-126, 127));
  EXPECT_EQ(range(ElementType::kF16), std::pair(-14, 15));
  EXPECT_EQ(range(ElementType::kBF16), std::pair(-126, 127));
  EXPECT_EQ(range(ElementType::kF8E5M2), std::pair(-14, 15));
  EXPECT_EQ(range(ElementType::kF8E4M3), std::pair(-6, 7));
  EXPECT_EQ(range(ElementType::kF8E3M4), std::pair(-2, 3));
  EXPECT_EQ(range(ElementType::kF8E4M3FN), std::pair(-6, 8));
  EXPECT_EQ(range(ElementType::kF8E4M3B11FNUZ), std::pair(-10, 4));
  EXPECT_EQ(range(ElementType::kF8E4M3FNUZ), std::pair(-7, 7));
  EXPECT_EQ(range(ElementType::kF8E5M2FNUZ), std::pair(-15, 15));
  EXPECT_EQ(range(ElementType::kF6E3M2FN), std::pair(-2, 4));
  EXPECT_EQ(range(ElementType::kF6E2M3FN), std::pair(0, 2));
  EXPECT_EQ(range(ElementType::kF4E2M1FN), std::pair(0, 2));
  EXPECT_EQ(range(ElementType::kF8E8M0FNU), std::pair(-127, 127));
}

// Section 6.15.
TEST(ElementTypeTest, WidthsInBitcastConvertArePowersOfTwo) {
  for (const ElementType type : kArrayTypes) {
    const int width = BitcastWidth(type);
    EXPECT_EQ(width & (width - 1), 0) << Name(type);
    EXPECT_GE(width, Info(type).bits) << Name(type);
    EXPECT_LT(width, 2 * std::max(Info(type).bits, 5)) << Name(type);
  }
  EXPECT_EQ(BitcastWidth(ElementType::kPred), 8);
  EXPECT_EQ(BitcastWidth(ElementType::kF6E2M3FN), 8);
  EXPECT_EQ(BitcastWidth(ElementType::kF4E2M1FN), 4);
  EXPECT_EQ(BitcastWidth(ElementType::kS2), 2);
  EXPECT_EQ(BitcastWidth(ElementType::kC64), 64);
}

}  // namespace
}  // namespace assay
