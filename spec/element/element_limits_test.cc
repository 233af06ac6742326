// Limits and special patterns against the tables of reference ops_elementwise_and_types.md 1.2
// and 2.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "spec/element/element.h"

namespace assay {
namespace {

using enum ElementType;

struct Limits {
  ElementType type;
  double max;
  uint64_t max_code;
  double min_normal;
  uint64_t min_normal_code;
  double min_positive;
  double epsilon;      // distance from 1 to the next value
  double boundary;     // smallest double that no longer rounds to a value of at most max ...
  uint64_t overflown;  // ... and what it becomes
};
const double kF32Max = 3.4028234663852886e+38;
const double kF64Max = 1.7976931348623157e+308;
const std::vector<Limits> kLimits = {
    {kF8E3M4, 15.5, 0x6f, 0x1p-2, 0x10, 0x1p-6, 0.0625, 15.75, 0x70},
    {kF8E4M3, 240, 0x77, 0x1p-6, 0x08, 0x1p-9, 0.125, 248, 0x78},
    {kF8E4M3FN, 448, 0x7e, 0x1p-6, 0x08, 0x1p-9, 0.125, std::nextafter(464.0, 1e9), 0x7f},
    {kF8E4M3FNUZ, 240, 0x7f, 0x1p-7, 0x08, 0x1p-10, 0.125, 248, 0x80},
    {kF8E4M3B11FNUZ, 30, 0x7f, 0x1p-10, 0x08, 0x1p-13, 0.125, 31, 0x80},
    {kF8E5M2, 57344, 0x7b, 0x1p-14, 0x04, 0x1p-16, 0.25, 61440, 0x7c},
    {kF8E5M2FNUZ, 57344, 0x7f, 0x1p-15, 0x04, 0x1p-17, 0.25, 61440, 0x80},
    {kF8E8M0FNU, 0x1p127, 0xfe, 0x1p-127, 0x00, 0x1p-127, 1, 1.5 * 0x1p127, 0xff},
    {kF16, 65504, 0x7bff, 6.103515625e-05, 0x0400, 5.960464477539063e-08, 0x1p-10, 65520, 0x7c00},
    {kBF16, 3.3895313892515355e+38, 0x7f7f, 0x1p-126, 0x0080, 9.183549615799121e-41, 0x1p-7,
     3.39617752923046e+38, 0x7f80},
    {kF32, kF32Max, 0x7f7fffff, 1.1754943508222875e-38, 0x00800000, 1.401298464324817e-45, 0x1p-23,
     3.4028235677973366e+38, 0x7f800000},
};

TEST(ElementLimitsTest, TableOfFloats) {
  for (const Limits& row : kLimits) {
    SCOPED_TRACE(std::string(Name(row.type)));
    EXPECT_EQ(MaxFinite(row.type), row.max_code);
    EXPECT_EQ(DecodeFloat(row.type, MaxFinite(row.type)), row.max);
    EXPECT_EQ(MinNormal(row.type), row.min_normal_code);
    EXPECT_EQ(DecodeFloat(row.type, MinNormal(row.type)), row.min_normal);
    EXPECT_EQ(DecodeFloat(row.type, MinPositive(row.type)), row.min_positive);
    EXPECT_EQ(DecodeFloat(row.type, EncodeFloat(row.type, 1) + 1) - 1, row.epsilon);
    EXPECT_EQ(EncodeFloat(row.type, row.boundary), row.overflown);
    EXPECT_EQ(EncodeFloat(row.type, std::nextafter(row.boundary, 0.0)), row.max_code);
    const double lowest = row.type == kF8E8M0FNU ? 0x1p-127 : -row.max;
    EXPECT_EQ(DecodeFloat(row.type, Lowest(row.type)), lowest);
  }
}

TEST(ElementLimitsTest, F64) {
  EXPECT_EQ(DecodeFloat(kF64, MaxFinite(kF64)), kF64Max);
  EXPECT_EQ(DecodeFloat(kF64, Lowest(kF64)), -kF64Max);
  EXPECT_EQ(DecodeFloat(kF64, MinNormal(kF64)), 2.2250738585072014e-308);
  EXPECT_EQ(DecodeFloat(kF64, MinPositive(kF64)), 5e-324);
  // max + 2^970 is the boundary: 2^54 - 1 units of 2^970.
  const unsigned __int128 boundary = (static_cast<unsigned __int128>(1) << 54) - 1;
  EXPECT_EQ(RoundToFloat(kF64, {false, boundary, 970, false}), Infinity(kF64));
  EXPECT_EQ(RoundToFloat(kF64, {false, boundary * 2 - 1, 969, true}), MaxFinite(kF64));
}

TEST(ElementLimitsTest, SaturatingTypes) {
  const struct {
    ElementType type;
    double max;
    uint64_t max_code;
    uint64_t lowest_code;
    double min_normal, min_positive;
  } rows[] = {{kF4E2M1FN, 6, 0x7, 0xf, 1, 0.5},
              {kF6E2M3FN, 7.5, 0x1f, 0x3f, 1, 0.125},
              {kF6E3M2FN, 28, 0x1f, 0x3f, 0.25, 0x1p-4}};
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(Name(row.type)));
    EXPECT_EQ(MaxFinite(row.type), row.max_code);
    EXPECT_EQ(Lowest(row.type), row.lowest_code);
    EXPECT_EQ(DecodeFloat(row.type, row.max_code), row.max);
    EXPECT_EQ(DecodeFloat(row.type, row.lowest_code), -row.max);
    EXPECT_EQ(DecodeFloat(row.type, MinNormal(row.type)), row.min_normal);
    EXPECT_EQ(DecodeFloat(row.type, MinPositive(row.type)), row.min_positive);
    for (const double x : {row.max * 1.01, row.max * 100, 1e300, double{INFINITY}}) {
      EXPECT_EQ(EncodeFloat(row.type, x), row.max_code);
      EXPECT_EQ(EncodeFloat(row.type, -x), row.lowest_code);
    }
  }
  EXPECT_EQ(EncodeFloat(kF4E2M1FN, 5), 0x6u);  // tie between 4 and 6: the even code
  EXPECT_EQ(EncodeFloat(kF4E2M1FN, 5.01), 0x7u);
}

// Reference 1.2, the complete lists.
TEST(ElementLimitsTest, TinyTypesValueByValue) {
  const std::vector<double> f4 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  std::vector<double> e2m3, e3m2;
  for (const auto& [first, step, n] :
       {std::tuple{0.0, 0.125, 8}, {1.0, 0.125, 8}, {2.0, 0.25, 8}, {4.0, 0.5, 8}}) {
    for (int i = 0; i < n; ++i) e2m3.push_back(first + i * step);
  }
  for (const auto& [first, step, n] : {std::tuple{0.0, 0.0625, 4},
                                       {0.25, 0.0625, 4},
                                       {0.5, 0.125, 4},
                                       {1.0, 0.25, 4},
                                       {2.0, 0.5, 4},
                                       {4.0, 1.0, 4},
                                       {8.0, 2.0, 4},
                                       {16.0, 4.0, 4}}) {
    for (int i = 0; i < n; ++i) e3m2.push_back(first + i * step);
  }
  const auto expect = [](ElementType type, const std::vector<double>& values) {
    for (uint64_t code = 0; code < values.size(); ++code) {
      EXPECT_EQ(DecodeFloat(type, code), values[code]) << Name(type) << " " << code;
      EXPECT_EQ(DecodeFloat(type, code + values.size()), -values[code])
          << Name(type) << " " << code;
      EXPECT_EQ(IsNegative(type, code + values.size()), true);
    }
  };
  expect(kF4E2M1FN, f4);
  expect(kF6E2M3FN, e2m3);
  expect(kF6E3M2FN, e3m2);
}

TEST(ElementLimitsTest, CanonicalNans) {
  EXPECT_EQ(CanonicalNan(kF8E3M4), 0x78u);
  EXPECT_EQ(CanonicalNan(kF8E4M3), 0x7cu);
  EXPECT_EQ(CanonicalNan(kF8E4M3FN), 0x7fu);
  EXPECT_EQ(CanonicalNan(kF8E4M3FNUZ), 0x80u);
  EXPECT_EQ(CanonicalNan(kF8E4M3B11FNUZ), 0x80u);
  EXPECT_EQ(CanonicalNan(kF8E5M2FNUZ), 0x80u);
  EXPECT_EQ(CanonicalNan(kF8E5M2), 0x7eu);
  EXPECT_EQ(CanonicalNan(kF8E8M0FNU), 0xffu);
  EXPECT_EQ(CanonicalNan(kF16), 0x7e00u);
  EXPECT_EQ(CanonicalNan(kBF16), 0x7fc0u);
  EXPECT_EQ(CanonicalNan(kF32), 0x7fc00000u);
  EXPECT_EQ(CanonicalNan(kF64), 0x7ff8000000000000u);
  EXPECT_EQ(CanonicalNan(kF4E2M1FN), 0x8u);
  EXPECT_EQ(CanonicalNan(kF6E2M3FN), 0x20u);
  EXPECT_EQ(CanonicalNan(kF6E3M2FN), 0x20u);
}

TEST(ElementLimitsTest, Infinities) {
  EXPECT_EQ(Infinity(kF32), 0x7f800000u);
  EXPECT_EQ(Infinity(kF32, true), 0xff800000u);
  EXPECT_EQ(Infinity(kF64, true), 0xfff0000000000000u);
  EXPECT_EQ(Infinity(kF8E3M4), 0x70u);
  EXPECT_EQ(Infinity(kF8E4M3FN), 0x7fu);
  EXPECT_EQ(Infinity(kF8E4M3FN, true), 0xffu);
  EXPECT_EQ(Infinity(kF8E5M2FNUZ, true), 0x80u);
  EXPECT_EQ(Infinity(kF4E2M1FN, true), 0xfu);
  EXPECT_EQ(Infinity(kF8E8M0FNU), 0xffu);
  EXPECT_EQ(Infinity(kF8E8M0FNU, true), 0xffu);
}

TEST(ElementLimitsTest, Integers) {
  for (const auto& [type, bits] :
       {std::pair{kS1, 1}, {kS2, 2}, {kS4, 4}, {kS8, 8}, {kS16, 16}, {kS32, 32}}) {
    EXPECT_EQ(MinSigned(type), -(int64_t{1} << (bits - 1))) << Name(type);
    EXPECT_EQ(MaxSigned(type), (int64_t{1} << (bits - 1)) - 1) << Name(type);
  }
  EXPECT_EQ(MinSigned(kS64), INT64_MIN);
  EXPECT_EQ(MaxSigned(kS64), INT64_MAX);
  for (const auto& [type, bits] :
       {std::pair{kU1, 1}, {kU2, 2}, {kU4, 4}, {kU8, 8}, {kU16, 16}, {kU32, 32}}) {
    EXPECT_EQ(MaxUnsigned(type), (uint64_t{1} << bits) - 1) << Name(type);
  }
  EXPECT_EQ(MaxUnsigned(kU64), UINT64_MAX);
}

// Section 2: "integers exact up to".
TEST(ElementLimitsTest, ExactIntegers) {
  const std::pair<ElementType, int64_t> rows[] = {
      {kF4E2M1FN, 4},  {kF6E2M3FN, 7},          {kF6E3M2FN, 8},    {kF8E3M4, 15},
      {kF8E4M3, 16},   {kF8E4M3FN, 16},         {kF8E4M3FNUZ, 16}, {kF8E4M3B11FNUZ, 16},
      {kF8E5M2, 8},    {kF8E5M2FNUZ, 8},        {kF16, 2048},      {kBF16, 256},
      {kF32, 1 << 24}, {kF64, int64_t{1} << 53}};
  for (const auto& [type, largest] : rows) {
    const auto exact = [type = type](int64_t i) {
      return DecodeFloat(type, EncodeFloatFromSigned(type, i)) == static_cast<double>(i);
    };
    for (int64_t i = largest; i > largest - 3000 && i >= 0; --i)
      EXPECT_TRUE(exact(i)) << Name(type);
    if (type != kF64) {
      EXPECT_FALSE(exact(largest + 1)) << Name(type);
    }
  }
  // Beyond the integers of f64, those of the pattern's own value count.
  EXPECT_EQ(EncodeFloatFromSigned(kF64, (int64_t{1} << 53) + 1),
            EncodeFloatFromSigned(kF64, int64_t{1} << 53));
}

}  // namespace
}  // namespace assay
