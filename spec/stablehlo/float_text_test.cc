// Spellings of floats read back as their bits: all values of the types of up to 16 bits, and the
// corners of the others.
#include "spec/stablehlo/float_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "gtest/gtest.h"
#include "spec/element/element.h"

namespace assay::stablehlo {
namespace {

uint64_t ReadBack(ElementType type, const std::string& text) {
  uint64_t bits;
  if (absl::StartsWith(text, "0x")) {
    EXPECT_TRUE(absl::SimpleHexAtoi(text, &bits)) << text;
    return bits;
  }
  // A decimal without a point is an integer to MLIR.
  EXPECT_NE(text.find('.'), std::string::npos) << text;
  double value;
  EXPECT_TRUE(ReadDecimal(text, value)) << text;
  return EncodeDecimal(type, value);
}

TEST(FloatTextTest, AllNarrowValuesReadBack) {
  for (const ElementType type : kArrayTypes) {
    if (!IsFloat(type) || Info(type).bits > 16) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << Info(type).bits; ++bits) {
      const std::string text = FloatText(type, bits);
      ASSERT_EQ(ReadBack(type, text), bits) << Name(type) << " " << text;
      ASSERT_EQ(absl::StartsWith(text, "0x"), IsNan(type, bits) || IsInfinity(type, bits)) << text;
    }
  }
}

TEST(FloatTextTest, WideValuesReadBack) {
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    for (const ElementType type : {ElementType::kF32, ElementType::kF64}) {
      const uint64_t bits = state >> (64 - Info(type).bits);
      ASSERT_EQ(ReadBack(type, FloatText(type, bits)), bits);
    }
  }
  EXPECT_EQ(FloatText(ElementType::kF32, std::bit_cast<uint32_t>(0.1f)), "1.000000e-01");
  EXPECT_EQ(FloatText(ElementType::kF64, std::bit_cast<uint64_t>(0.1)), "1.000000e-01");
  EXPECT_EQ(FloatText(ElementType::kF32, 1), "1.401298e-45");
  EXPECT_EQ(FloatText(ElementType::kF32, 0x80000000), "-0.000000e+00");
  EXPECT_EQ(FloatText(ElementType::kF64, 0x7FF0000000000000), "0x7FF0000000000000");
}

// The values that MLIR 23 gives these decimals.
TEST(FloatTextTest, ScalesHaveNoZeroAndNoSign) {
  const auto encode = [](double value) { return EncodeDecimal(ElementType::kF8E8M0FNU, value); };
  for (const double value : {0.0, -0.0, 1e-45, -1e-40, 5e-39, 8.8e-39}) EXPECT_EQ(encode(value), 0);
  EXPECT_EQ(encode(1.5), 128);
  EXPECT_EQ(encode(3.0), 129);
  EXPECT_EQ(encode(-1.0), 0xFF);
  EXPECT_EQ(encode(1e40), 0xFF);
}

// 1e400 is infinite, as rounding to nearest has it; 1e-400 is zero.
TEST(FloatTextTest, DecimalsOutOfRange) {
  double value;
  ASSERT_TRUE(ReadDecimal("1.0e400", value));
  EXPECT_EQ(value, HUGE_VAL);
  ASSERT_TRUE(ReadDecimal("1.0e-400", value));
  EXPECT_EQ(value, 0);
  EXPECT_FALSE(ReadDecimal("1.0x", value));
}

}  // namespace
}  // namespace assay::stablehlo
