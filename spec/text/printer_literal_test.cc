// How values are written. Expected texts are those of hlo_text_format.md 5.4, 10.2 (R4) and, for
// digits, of C's printf.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "spec/element/element.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

std::string Print(ElementType type, double value) {
  return PrintElement(type, {EncodeFloat(type, value), 0});
}
std::string PrintBits(ElementType type, uint64_t bits) { return PrintElement(type, {bits, 0}); }

std::string Printf(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

TEST(PrintElement, TheExamplesOfTheFormat) {
  using enum ElementType;
  EXPECT_EQ(Print(kF32, 0.1), "0.1");
  EXPECT_EQ(Print(kF32, 1.0 / 3), "0.333333343");
  EXPECT_EQ(Print(kF32, 1234567), "1234567");
  EXPECT_EQ(Print(kF32, 1e6), "1e+06");
  EXPECT_EQ(Print(kF32, 1.5), "1.5");
  EXPECT_EQ(Print(kF32, 100), "100");
  EXPECT_EQ(Print(kF32, 1e10), "1e+10");
  EXPECT_EQ(Print(kF32, 1e20), "1e+20");
  EXPECT_EQ(Print(kF32, 42), "42");
  EXPECT_EQ(Print(kBF16, 1.0 / 3), "0.334");
  EXPECT_EQ(Print(kF16, 0.1), "0.099976");
  EXPECT_EQ(Print(kF8E5M2, 57344), "5.7e+04");
  EXPECT_EQ(Print(kF8E5M2, 448), "4.5e+02");
  EXPECT_EQ(Print(kF8E8M0FNU, 1024), "1e+03");
  EXPECT_EQ(Print(kF32, std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(Print(kF16, -std::numeric_limits<double>::infinity()), "-inf");
}

TEST(PrintElement, NegativeZeroKeepsItsSignWhenRead) {
  EXPECT_EQ(Print(ElementType::kF32, -0.0), "-0.0");
  EXPECT_EQ(Print(ElementType::kF4E2M1FN, -0.0), "-0.0");
  EXPECT_EQ(PrintElement(ElementType::kC64, {0x80000000, 0}), "(-0.0, 0)");
}

TEST(PrintElement, TheScaleTypesSmallestValueIsReadBackAsItself) {
  EXPECT_EQ(PrintBits(ElementType::kF8E8M0FNU, 0), "5.8e-39");
  EXPECT_EQ(PrintBits(ElementType::kF8E8M0FNU, 1), "1.2e-38");
}

TEST(PrintElement, NansShowSignAndPayload) {
  using enum ElementType;
  EXPECT_EQ(PrintBits(kF32, 0x7fc00000), "nan");
  EXPECT_EQ(PrintBits(kF32, 0xffc00000), "-nan");
  EXPECT_EQ(PrintBits(kF32, 0xffc00001), "-nan(0x400001)");
  EXPECT_EQ(PrintBits(kF64, 0x7ff0000000000001), "nan(0x1)");
  EXPECT_EQ(PrintBits(kBF16, 0x7fd5), "nan(0x55)");
  EXPECT_EQ(PrintBits(kF8E4M3FN, 0x7f), "nan");
  EXPECT_EQ(PrintBits(kF8E4M3FN, 0xff), "-nan");
  EXPECT_EQ(PrintBits(kF8E4M3FNUZ, 0x80), "-nan");
  EXPECT_EQ(PrintBits(kF8E8M0FNU, 0xff), "nan");
}

TEST(PrintElement, IntegersAndPred) {
  using enum ElementType;
  EXPECT_EQ(PrintBits(kS4, 8), "-8");
  EXPECT_EQ(PrintBits(kU4, 8), "8");
  EXPECT_EQ(PrintBits(kS64, uint64_t{1} << 63), "-9223372036854775808");
  EXPECT_EQ(PrintBits(kU64, ~uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(PrintBits(kPred, 1), "true");
}

// printf with few digits, and with many where few do not read back.
TEST(PrintElement, FloatsHaveThePrintfDigitsThatReadBack) {
  std::vector<double> values = {0.5,
                                1e-4,
                                1e-5,
                                9.9999e-5,
                                123456.0,
                                999999.5,
                                1234565e10,
                                0.1f,
                                1e-38,
                                1.1e-38f,
                                1e-45,
                                3e-44,
                                3.4028235e38,
                                16777216.0,
                                1e15,
                                1e16,
                                2.5e-10,
                                0.3,
                                5e-324,
                                2.2250738585072014e-308,
                                1.7976931348623157e308};
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double exponent = static_cast<double>(state >> 58) - 32;
    values.push_back(
        std::ldexp(static_cast<double>(state >> 20 & 0xfffff), static_cast<int>(exponent)));
    values.push_back(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(state >> 32))));
    values.push_back(std::bit_cast<double>(state ^ state << 13));
  }
  for (double value : values) {
    const float narrow = static_cast<float>(value);
    if (std::isfinite(narrow) && narrow != 0) {
      std::string expected = Printf(narrow, 6);
      if (std::strtof(expected.c_str(), nullptr) != narrow) expected = Printf(narrow, 9);
      ASSERT_EQ(PrintBits(ElementType::kF32, std::bit_cast<uint32_t>(narrow)), expected);
    }
    if (std::isfinite(value) && value != 0) {
      std::string expected = Printf(value, 15);
      if (std::strtod(expected.c_str(), nullptr) != value) expected = Printf(value, 17);
      ASSERT_EQ(PrintBits(ElementType::kF64, std::bit_cast<uint64_t>(value)), expected);
    }
  }
}

TEST(PrintElement, NarrowFloatsHavePrintfDigits) {
  const struct {
    ElementType type;
    int digits;
  } rows[] = {{ElementType::kF16, 5},           {ElementType::kBF16, 4},
              {ElementType::kF8E5M2, 2},        {ElementType::kF8E5M2FNUZ, 2},
              {ElementType::kF8E4M3, 3},        {ElementType::kF8E3M4, 3},
              {ElementType::kF8E4M3FN, 3},      {ElementType::kF8E4M3FNUZ, 3},
              {ElementType::kF8E4M3B11FNUZ, 3}, {ElementType::kF6E3M2FN, 2},
              {ElementType::kF6E2M3FN, 3},      {ElementType::kF4E2M1FN, 2}};
  for (const auto& row : rows) {
    for (uint64_t bits = 0; bits < uint64_t{1} << Info(row.type).bits; ++bits) {
      if (IsNan(row.type, bits) || (IsZero(row.type, bits) && IsNegative(row.type, bits))) continue;
      ASSERT_EQ(PrintBits(row.type, bits), Printf(DecodeFloat(row.type, bits), row.digits));
    }
  }
}

Literal Counting(std::vector<int64_t> dimensions) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS32, dimensions));
  for (int64_t i = 0; i < literal.element_count(); ++i)
    literal.Set(i, {static_cast<uint64_t>(i + 1), 0});
  return literal;
}

TEST(PrintLiteral, BracesAndCommentsByRank) {
  EXPECT_EQ(PrintLiteral(Counting({})), "1");
  EXPECT_EQ(PrintLiteral(Counting({3})), "{1, 2, 3}");
  EXPECT_EQ(PrintLiteral(Counting({0})), "{}");
  EXPECT_EQ(PrintLiteral(Counting({2, 2})), "{ { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(PrintLiteral(Counting({2, 1})), "{ {1}, {2} }");
  EXPECT_EQ(PrintLiteral(Counting({2, 0})), "{ {}, {} }");
  EXPECT_EQ(PrintLiteral(Counting({0, 4})), "{  }");
  EXPECT_EQ(PrintLiteral(Counting({1, 2, 2})), "{ { { 1, 2 }, { 3, 4 } } }");
  EXPECT_EQ(PrintLiteral(Counting({2, 0, 2})), "{ {  }, {  } }");
}

// XLA's own output for these shapes (JAX 0.10.2).
TEST(PrintLiteral, RankFourAsXlaPrintsIt) {
  EXPECT_EQ(PrintLiteral(Counting({1, 2, 1, 2})),
            "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }");
  EXPECT_EQ(PrintLiteral(Counting({1, 0, 2, 2})), "{ { /*i0=0*/ } }");
  EXPECT_EQ(PrintLiteral(Counting({1, 2, 0, 2})), "{ { /*i0=0*/ { /*i1=0*/ }, { /*i1=1*/ } } }");
  EXPECT_EQ(PrintLiteral(Counting({1, 2, 1, 0})),
            "{ { /*i0=0*/ { /*i1=0*/ {} }, { /*i1=1*/ {} } } }");
  EXPECT_EQ(PrintLiteral(Counting({1, 2, 1, 1})),
            "{ { /*i0=0*/ { /*i1=0*/ {1} }, { /*i1=1*/ {2} } } }");
}

TEST(PrintLiteral, PredInArraysIsANumber) {
  Literal flags = Literal::Zeros(Shape(ElementType::kPred, {2}));
  flags.Set(0, {1, 0});
  EXPECT_EQ(PrintLiteral(flags), "{1, 0}");
}

TEST(PrintLiteral, Tuples) {
  EXPECT_EQ(PrintLiteral(Literal::Tuple({})), "(  )");
  const Literal tuple = Literal::Tuple({Counting({}), Literal::Tuple({Counting({2})})});
  EXPECT_EQ(PrintLiteral(tuple), "( 1, ( {1, 2} ) )");
  EXPECT_EQ(PrintTypedLiteral(tuple), "( s32[] 1, ( s32[2]{0} {1, 2} ) )");
}

TEST(PrintLiteral, BracesOfHugeEmptyArraysAreNotWritten) {
  EXPECT_EQ(PrintLiteral(Literal::Zeros(Shape(ElementType::kF32, {int64_t{1} << 40, 0}))), "{...}");
  // So many dimensions that recursion over them would not do.
  const std::vector<int64_t> ones(200000, 1);
  EXPECT_GT(PrintLiteral(Counting(ones)).size(), ones.size());
}

}  // namespace
}  // namespace assay
