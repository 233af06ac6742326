// Real functions: the catalogue's special values and worked examples, f32 and f64 against MPFR with
// every tier forced, the hardest known arguments, and the exact cases that no enclosure decides.
#include "evaluator/real/real_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "evaluator/real/mpfr_functions.h"

namespace assay::evaluator::real_functions_test {
namespace {

using ::assay::evaluator::testing::Expected;
using ::assay::evaluator::testing::kNamedFunctions;
using ::assay::evaluator::testing::Mpfr;
using ::assay::evaluator::testing::NamedFunction;
using ::assay::evaluator::testing::RoundByOracle;
using ::assay::evaluator::testing::SameValue;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr ElementType kF16 = ElementType::kF16, kBF16 = ElementType::kBF16,
                      kF32 = ElementType::kF32, kF64 = ElementType::kF64,
                      kF8 = ElementType::kF8E4M3FN;
constexpr RealTier kFirstTiers[] = {RealTier::kExact,  RealTier::kDouble, RealTier::kExtended,
                                    RealTier::kQuad,   RealTier::kBig192, RealTier::kBig384,
                                    RealTier::kBig1536};

uint64_t Evaluate(RealFunction f, ElementType type, double x, RealTier first = RealTier::kExact) {
  RealContext context;
  context.first_tier = first;
  return EvaluateReal(f, type, {EncodeFloat(type, x), 0}, context).bits;
}

uint64_t Evaluate2(RealFunction2 f, ElementType type, double a, double b,
                   RealTier first = RealTier::kExact) {
  RealContext context;
  context.first_tier = first;
  return EvaluateReal2(f, type, {EncodeFloat(type, a), 0}, {EncodeFloat(type, b), 0}, context).bits;
}

const NamedFunction& Row(RealFunction f) { return kNamedFunctions[static_cast<int>(f)]; }

void CheckAllTiers(RealFunction f, ElementType type, double x, mpfr_prec_t precision = 400) {
  x = DecodeFloat(type, EncodeFloat(type, x));
  const uint64_t expected = Expected(Row(f), type, x, precision);
  for (RealTier tier : kFirstTiers) {
    EXPECT_TRUE(SameValue(type, Evaluate(f, type, x, tier), expected))
        << Row(f).name << " " << Name(type) << " of " << std::hexfloat << x << " from tier "
        << static_cast<int>(tier);
  }
}

struct Special {
  RealFunction function;
  double minus_infinity, minus_one, minus_zero, plus_zero, one, infinity;  // 7 where irrational
};

// Section 6.10 of the catalogue.
TEST(RealFunctionsTest, SpecialValuesOfTheCatalogue) {
  const Special rows[] = {
      {RealFunction::kExp, 0, 7, 1, 1, 7, kInf},
      {RealFunction::kExpm1, -1, 7, -0.0, 0, 7, kInf},
      {RealFunction::kLog, kNan, kNan, -kInf, -kInf, 0, kInf},
      {RealFunction::kLog1p, kNan, -kInf, -0.0, 0, 7, kInf},
      {RealFunction::kSin, kNan, 7, -0.0, 0, 7, kNan},
      {RealFunction::kTan, kNan, 7, -0.0, 0, 7, kNan},
      {RealFunction::kCos, kNan, 7, 1, 1, 7, kNan},
      {RealFunction::kSinh, -kInf, 7, -0.0, 0, 7, kInf},
      {RealFunction::kCosh, kInf, 7, 1, 1, 7, kInf},
      {RealFunction::kTanh, -1, 7, -0.0, 0, 7, 1},
      {RealFunction::kAsin, kNan, 7, -0.0, 0, 7, kNan},
      {RealFunction::kAcos, kNan, 7, 7, 7, 0, kNan},
      {RealFunction::kAsinh, -kInf, 7, -0.0, 0, 7, kInf},
      {RealFunction::kAcosh, kNan, kNan, kNan, kNan, 0, kInf},
      {RealFunction::kAtanh, kNan, -kInf, -0.0, 0, kInf, kNan},
      {RealFunction::kSqrt, kNan, kNan, -0.0, 0, 1, kInf},
      {RealFunction::kRsqrt, kNan, kNan, -kInf, kInf, 1, 0},
      {RealFunction::kCbrt, -kInf, -1, -0.0, 0, 1, kInf},
      {RealFunction::kErf, -1, 7, -0.0, 0, 7, 1},
      {RealFunction::kLogistic, 0, 7, 0.5, 0.5, 7, 1},
      {RealFunction::kAtan, 7, 7, -0.0, 0, 7, 7},
  };
  for (const Special& row : rows) {
    const double x[] = {-kInf, -1, -0.0, 0.0, 1, kInf};
    const double want[] = {row.minus_infinity, row.minus_one, row.minus_zero,
                           row.plus_zero,      row.one,       row.infinity};
    for (ElementType type : {kF64, kF32, kF16, kBF16, ElementType::kF8E5M2}) {
      for (RealTier tier : kFirstTiers) {
        EXPECT_TRUE(IsNan(type, Evaluate(row.function, type, kNan, tier)));
        for (int i = 0; i < 6; ++i) {
          const uint64_t expected = want[i] == 7 ? Expected(Row(row.function), type, x[i], 200)
                                                 : EncodeFloat(type, want[i]);
          EXPECT_TRUE(SameValue(type, Evaluate(row.function, type, x[i], tier), expected))
              << Row(row.function).name << " " << Name(type) << " of " << x[i];
        }
      }
    }
  }
  EXPECT_TRUE(IsNan(kF8, Evaluate(RealFunction::kLog, kF8, 0)));
  EXPECT_EQ(Evaluate(RealFunction::kLog, ElementType::kF8E5M2, 0),
            Infinity(ElementType::kF8E5M2, true));
  EXPECT_EQ(Evaluate(RealFunction::kSqrt, ElementType::kF4E2M1FN, 6),
            EncodeFloat(ElementType::kF4E2M1FN, 2));
}

// Section 8.5.
TEST(RealFunctionsTest, WorkedExamples) {
  struct Example {
    RealFunction function;
    ElementType type;
    double x;
    uint64_t bits;
  };
  const Example examples[] = {
      {RealFunction::kExp, kF32, 1, 0x402df854},
      {RealFunction::kExp, kF32, 2, 0x40ec7326},
      {RealFunction::kExp, kF32, -1, 0x3ebc5ab2},
      {RealFunction::kExp, kF32, 88.72283, 0x7f7fff84},
      {RealFunction::kExp, kF32, -103, 1},
      {RealFunction::kExp, kF64, 3, 0x403415e5bf6fb106},
      {RealFunction::kExp, kF16, 11, 0x7b4f},
      {RealFunction::kExp, kF16, -17, 1},
      {RealFunction::kExp, kBF16, -1, 0x3ebc},
      {RealFunction::kExp, kF8, 6, 0x7d},
      {RealFunction::kExp, kF8, 6.5, 0x7f},
      {RealFunction::kExp, kF8, -7, 0},
      {RealFunction::kExpm1, kF32, 1e-05, 0x3727c5e3},
      {RealFunction::kExpm1, kF32, -1e-10, 0xaedbe6ff},
      {RealFunction::kExpm1, kF32, -20, 0xbf800000},
      {RealFunction::kExpm1, kF64, 1, 0x3ffb7e151628aed3},
      {RealFunction::kLog, kF32, 0x1p-149, 0xc2ce8ed0},
      {RealFunction::kLog, kF64, 3, 0x3ff193ea7aad030b},
      {RealFunction::kLog, kF8, 448, 0x4c},
      {RealFunction::kLog, kF8, 0.001953125, 0xcc},
      {RealFunction::kLog1p, kF32, 1e-07, 0x33d6bf94},
      {RealFunction::kLog1p, kF64, -0.999, 0xc01ba18a998fff9f},
      {RealFunction::kLogistic, kF32, 17, 0x3f7fffff},
      {RealFunction::kLogistic, kF32, -89, 0x001840fc},
      {RealFunction::kLogistic, kF32, -100, 0x1b},
      {RealFunction::kLogistic, kF64, 3, 0x3fee7b7cbc36fabc},
      {RealFunction::kLogistic, kF16, -10, 0x02fa},
      {RealFunction::kTanh, kF32, 9, 0x3f7fffff},
      {RealFunction::kTanh, kF16, 4.5, 0x3bff},
      {RealFunction::kTanh, kF16, 4.5078125, 0x3c00},
      {RealFunction::kSin, kF32, 1e22, 0xbf3becc4},
      {RealFunction::kSin, kF16, 65504, 0x3bce},
      {RealFunction::kCos, kF32, 1e22, 0x3f2dd6f7},
      {RealFunction::kTan, kF32, 1.5707964, 0xcbae8a4a},
      {RealFunction::kSinh, kF32, 89, 0x7f28e166},
      {RealFunction::kCosh, kF32, 1, 0x3fc583ab},
      {RealFunction::kAsin, kF32, 1, 0x3fc90fdb},
      {RealFunction::kAcos, kF32, -1, 0x40490fdb},
      {RealFunction::kAsinh, kF32, 1e20, 0x423afaba},
      {RealFunction::kAcosh, kF32, 1e20, 0x423afaba},
      {RealFunction::kAtanh, kF32, 0.999, 0x4073369a},
      {RealFunction::kErf, kF32, 3, 0x3f7ffe8d},
      {RealFunction::kErf, kF32, 1e-10, 0x2ef8221a},
      {RealFunction::kSqrt, kF32, 0x1p-149, 0x1a3504f3},
      {RealFunction::kSqrt, ElementType::kF8E5M2, 57344, 0x5b},
      {RealFunction::kRsqrt, kF32, 0x1p-149, 0x64b504f3},
      {RealFunction::kRsqrt, kF16, 3, 0x389e},
      {RealFunction::kCbrt, kF32, -8, 0xc0000000},
      {RealFunction::kCbrt, kF32, 0x1p-149, 0x26a14518},
      {RealFunction::kCbrt, kF64, 2, 0x3ff428a2f98d728b},
  };
  for (const Example& e : examples) {
    for (RealTier tier : kFirstTiers) {
      EXPECT_TRUE(SameValue(e.type, Evaluate(e.function, e.type, e.x, tier), e.bits))
          << Row(e.function).name << " " << Name(e.type) << " of " << e.x;
    }
  }
}

// Tables of sections 5 and 6 of the design: the arguments whose results lie closest to midpoints.
TEST(RealFunctionsTest, HardestArguments) {
  struct Hard {
    RealFunction function;
    double x;
  };
  const Hard f32[] = {
      {RealFunction::kExp, -0x1.d2259ap+3},   {RealFunction::kAsin, 0x1.107434p-1},
      {RealFunction::kExpm1, 0x1.94c582p-22}, {RealFunction::kAcos, 0x1.04c444p-12},
      {RealFunction::kLog, 0x1.b121a6p+76},   {RealFunction::kAtan, 0x1.1ad646p-4},
      {RealFunction::kLog1p, 0x1.800006p-21}, {RealFunction::kAsinh, 0x1.b121a6p+75},
      {RealFunction::kLogistic, -0x1p-24},    {RealFunction::kAcosh, 0x1.b121a6p+75},
      {RealFunction::kAtanh, 0x1.713744p-12}, {RealFunction::kTan, 0x1.fa6748p+64},
      {RealFunction::kErf, 0x1.81d5acp-13},   {RealFunction::kSin, 0x1.487e0cp+103},
      {RealFunction::kCos, 0x1.887814p+51},   {RealFunction::kSinh, 0x1.250bfep-11},
      {RealFunction::kCosh, 0x1.deeeap-11},   {RealFunction::kRsqrt, 0x1.7431c6p-125},
  };
  for (const Hard& h : f32) CheckAllTiers(h.function, kF32, h.x);
  const Hard f64[] = {{RealFunction::kLogistic, 0x1p-52},
                      {RealFunction::kLogistic, -0x1p-52},
                      {RealFunction::kLogistic, 0x1.8p-51},
                      {RealFunction::kLogistic, 0x1p-53},
                      {RealFunction::kLogistic, 0x1p-1074},
                      {RealFunction::kExp, 0x1p-53},
                      {RealFunction::kExp, -0x1p-54},
                      {RealFunction::kExpm1, 0x1p-52},
                      {RealFunction::kLog1p, -0x1p-52},
                      {RealFunction::kCosh, 0x1p-26},
                      {RealFunction::kTanh, 0x1.e0000000000e1p-22},
                      {RealFunction::kAtan, 0x1.6298b5896ed3cp+1},
                      {RealFunction::kSin, 0x1p-1074},
                      {RealFunction::kTan, 0x1.921fb54442d18p+0},
                      {RealFunction::kCos, 6381956970095103.0 * 0x1p797}};
  for (const Hard& h : f64) CheckAllTiers(h.function, kF64, h.x);
}

double RandomOf(ElementType type, std::mt19937_64& random, bool moderate) {
  const FloatFormat& format = *Info(type).format;
  const int low = moderate ? -30 : format.min_exponent() - format.significand_bits;
  const int high = moderate ? 8 : format.max_exponent();
  const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  const double x = std::ldexp(fraction, low + static_cast<int>(random() % (high - low + 1)));
  return DecodeFloat(type, EncodeFloat(type, random() & 1 ? -x : x));
}

TEST(RealFunctionsTest, RandomF32AndF64) {
  std::mt19937_64 random(11);
  for (const NamedFunction& f : kNamedFunctions) {
    for (ElementType type : {kF32, kF64}) {
      for (int i = 0; i < 3000; ++i) {
        const double x = RandomOf(type, random, i % 4 != 0);
        const uint64_t expected = Expected(f, type, x, 256);
        EXPECT_TRUE(SameValue(type, Evaluate(f.function, type, x), expected))
            << f.name << " " << Name(type) << " of " << std::hexfloat << x;
        if (i % 100 == 0) CheckAllTiers(f.function, type, x);
      }
    }
  }
}

TEST(RealFunctionsTest, NeighboursOfSaturationThresholds) {
  const std::pair<RealFunction, double> f32[] = {
      {RealFunction::kExp, 88.72283935546875},      {RealFunction::kExp, -103.97208404541016},
      {RealFunction::kExpm1, -17.32868003845215},   {RealFunction::kTanh, 9.010913848876953},
      {RealFunction::kLogistic, 17.32868003845215}, {RealFunction::kErf, 3.919205904006958},
      {RealFunction::kSinh, 89.4159927368164},      {RealFunction::kCosh, -89.4159927368164}};
  for (auto [f, x] : f32) {
    for (int step = -2; step <= 2; ++step) {
      float y = static_cast<float>(x);
      for (int i = 0; i < std::abs(step); ++i) y = std::nextafterf(y, step > 0 ? 1e9f : -1e9f);
      CheckAllTiers(f, kF32, y);
    }
  }
  const std::pair<RealFunction, double> f64[] = {{RealFunction::kExp, 709.7827128933841},
                                                 {RealFunction::kExp, -745.1332191019412},
                                                 {RealFunction::kErf, 5.921587195794507},
                                                 {RealFunction::kErf, 6},
                                                 {RealFunction::kErf, -300},
                                                 {RealFunction::kCosh, 710.475860073944},
                                                 {RealFunction::kExp, 1e300},
                                                 {RealFunction::kExp, -1e300},
                                                 {RealFunction::kExp, -5000},
                                                 {RealFunction::kTanh, 1e300},
                                                 {RealFunction::kLogistic, -1e5}};
  for (auto [f, x] : f64) {
    CheckAllTiers(f, kF64, x);
    CheckAllTiers(f, kF64, std::nextafter(x, kInf));
    CheckAllTiers(f, kF64, std::nextafter(x, -kInf));
  }
  // A result far below the smallest value is no zero: f8e8m0fnu keeps it at 2^-127.
  CheckAllTiers(RealFunction::kExp, ElementType::kF8E8M0FNU, 0x1p20);
}

uint64_t OraclePower(ElementType type, double x, double y) {
  Mpfr a(6000, x), b(6000, y);
  mpfr_pow(a, a, b, MPFR_RNDN);
  return RoundByOracle(type, a);
}

void CheckPower(ElementType type, double x, double y) {
  x = DecodeFloat(type, EncodeFloat(type, x));
  y = DecodeFloat(type, EncodeFloat(type, y));
  const uint64_t expected = OraclePower(type, x, y);
  for (RealTier tier : kFirstTiers) {
    const uint64_t actual = Evaluate2(RealFunction2::kPower, type, x, y, tier);
    EXPECT_TRUE(SameValue(type, actual, expected))
        << Name(type) << " " << std::hexfloat << x << " ^ " << y << " is " << std::hex << actual;
  }
}

// C's table: all pairs of interesting operands, MPFR follows the same rules.
TEST(RealFunctionsTest, PowerSpecials) {
  const double values[] = {0.0,  -0.0,   1,       -1,     2,          -2,   3,
                           -3,   0.5,    -0.5,    1.5,    -2.5,       kInf, -kInf,
                           kNan, 0x1p60, -0x1p60, 0x1p52, 0x1p52 + 1, 4,    0.25};
  for (ElementType type : {kF32, kF64, kF16, ElementType::kF8E5M2}) {
    for (double x : values) {
      for (double y : values) {
        if (type != kF64 && std::isinf(DecodeFloat(type, EncodeFloat(type, y))) != std::isinf(y)) {
          continue;
        }
        if (std::fabs(y) < 0x1p40 || std::fabs(x) <= 1 || !std::isfinite(x)) CheckPower(type, x, y);
      }
    }
  }
}

TEST(RealFunctionsTest, PowerMidpointsAndExactPowers) {
  const double odd_26 = 0x1.0000008p27 + 1;  // its square has 54 bits and more
  for (double r : {3.0, 5.0, 7.0, 0x1p24 + 1, 0x1p26 + 1, 0x1p27 - 1, 0x1p25 + 3, odd_26, 4097.0}) {
    for (int n = 1; n <= 35; ++n) {
      CheckPower(kF64, r, n);
      CheckPower(kF32, r, n);
    }
    CheckPower(kF64, r * r, 1.5);
    CheckPower(kF64, r * r * 0x1p-1000, 1.5);
    CheckPower(kF32, r * r, 0.5);
  }
  for (ElementType type : {kF16, kBF16, kF32, kF64}) {
    for (int m = 3; m < 64; m += 2) {
      for (int n = 2; n < 16; ++n) CheckPower(type, m, n);
      CheckPower(type, m * m, 2.5);
    }
    const int lowest = Info(type).format->min_exponent() - Info(type).format->significand_bits;
    for (int k = -3; k <= 3; ++k) {  // ties at the smallest subnormal and near overflow
      CheckPower(type, 0.5, -lowest + k);
      CheckPower(type, 2, Info(type).format->max_exponent() + k);
      CheckPower(type, 0.25, -lowest / 2 + 0.5 * k);
      CheckPower(type, -0.5, -lowest + k);
    }
  }
  CheckPower(kF64, 1 + 0x1p-52, 1.5);
  CheckPower(kF64, 1 + 0x1p-52, 0x1p-60);
  CheckPower(kF64, 1 - 0x1p-53, 0x1p-1000);
  CheckPower(kF64, 10000, 10);
  CheckPower(kF32, 1.1f, 100);
  CheckPower(kF32, 2, 127.5);
  EXPECT_EQ(Evaluate2(RealFunction2::kPower, kF32, 10, -2), 0x3c23d70au);
  EXPECT_EQ(Evaluate2(RealFunction2::kPower, kF16, 3, 10), 0x7b35u);
  EXPECT_EQ(Evaluate2(RealFunction2::kPower, kF8, 3, 6), 0x7fu);
}

TEST(RealFunctionsTest, RandomPower) {
  std::mt19937_64 random(12);
  for (ElementType type : {kF32, kF64, kBF16, ElementType::kF8E4M3B11FNUZ}) {
    for (int i = 0; i < 150; ++i) {
      const double x = RandomOf(type, random, true);
      CheckPower(type, std::fabs(x), RandomOf(type, random, true));
      CheckPower(type, x, static_cast<int>(random() % 40) - 20);
    }
  }
}

void CheckAtan2(ElementType type, double y, double x) {
  y = DecodeFloat(type, EncodeFloat(type, y));
  x = DecodeFloat(type, EncodeFloat(type, x));
  Mpfr a(7000, y), b(7000, x);
  mpfr_atan2(a, a, b, MPFR_RNDN);
  const uint64_t expected = RoundByOracle(type, a);
  for (RealTier tier : kFirstTiers) {
    const uint64_t actual = Evaluate2(RealFunction2::kAtan2, type, y, x, tier);
    EXPECT_TRUE(SameValue(type, actual, expected)) << Name(type) << " atan2(" << std::hexfloat << y
                                                   << ", " << x << ") is " << std::hex << actual;
  }
}

TEST(RealFunctionsTest, Atan2) {
  const double values[] = {0.0, -0.0, 1, -1, 3, -4, 0.5, kInf, -kInf, kNan};
  for (ElementType type : {kF64, kF32, kF16, ElementType::kF8E4M3FNUZ}) {
    const double tiny = DecodeFloat(type, MinPositive(type));
    for (double y : values) {
      for (double x : values) CheckAtan2(type, y, x);
    }
    for (int k = 1; k < 12; ++k) {  // quotients next to midpoints of the subnormals
      for (double x : {2.0, 4.0, 3.0, 1.0, 8.0, 1.5, 6.0, -2.0, 0.75}) {
        CheckAtan2(type, k * tiny, x);
        CheckAtan2(type, -k * tiny, x);
        CheckAtan2(type, x, k * tiny);
      }
    }
  }
  EXPECT_EQ(Evaluate2(RealFunction2::kAtan2, kF64, 3 * 0x1p-1074, 2), 1u);  // just below a tie
  CheckAtan2(kF64, 1e300, 1e-300);
  CheckAtan2(kF64, 1e-300, 1e300);
  CheckAtan2(kF64, 1e-300, -1e300);
  CheckAtan2(kF64, 0x1p-62, 1);
  CheckAtan2(kF64, 0x1p-61, 1);
  std::mt19937_64 random(13);
  for (int i = 0; i < 100; ++i) {
    CheckAtan2(kF64, RandomOf(kF64, random, true), RandomOf(kF64, random, true));
    CheckAtan2(kF32, RandomOf(kF32, random, false), RandomOf(kF32, random, false));
  }
}

TEST(RealFunctionsTest, StatsAndEnclosures) {
  RealStats stats;
  RealEnclosure enclosure;
  RealContext context;
  context.stats = &stats;
  context.enclosure = &enclosure;
  const uint64_t e =
      EvaluateReal(RealFunction::kExp, kF64, {EncodeFloat(kF64, 1), 0}, context).bits;
  EXPECT_EQ(e, 0x4005bf0a8b145769u);
  EXPECT_FALSE(enclosure.undecided);
  EXPECT_EQ(enclosure.low.bits, e);
  EXPECT_EQ(enclosure.high.bits, e);
  context.first_tier = RealTier::kBig768;
  EvaluateReal(RealFunction::kExp, kF64, {EncodeFloat(kF64, 1), 0}, context);
  EvaluateReal(RealFunction::kExp, kF64, {EncodeFloat(kF64, 0), 0}, context);
  EXPECT_EQ(stats.decided[static_cast<int>(RealTier::kBig768)], 1);
  EXPECT_EQ(stats.decided[static_cast<int>(RealTier::kExact)], 1);
  EXPECT_EQ(stats.undecided(), 0);
}

TEST(RealFunctionsTest, BlocksEqualElements) {
  std::mt19937_64 random(14);
  for (ElementType type : {kF64, kF32, kF16, kF8, ElementType::kF4E2M1FN}) {
    constexpr int kCount = 300;
    const int size = Info(type).storage_bytes;
    std::vector<std::byte> x(kCount * size), y(kCount * size), out(kCount * size);
    for (std::byte& byte : x) byte = static_cast<std::byte>(random());
    for (std::byte& byte : y) byte = static_cast<std::byte>(random());
    RealStats stats;
    RealContext context;
    context.stats = &stats;
    EvaluateBlock(RealFunction::kTanh, type, x.data(), out.data(), kCount, context);
    int64_t total = 0;
    for (int64_t count : stats.decided) total += count;
    EXPECT_EQ(total, kCount);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(LoadElement(type, out.data(), i),
                EvaluateReal(RealFunction::kTanh, type, LoadElement(type, x.data(), i)));
    }
    EvaluateBlock2(RealFunction2::kPower, type, x.data(), y.data(), out.data(), kCount);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(LoadElement(type, out.data(), i),
                EvaluateReal2(RealFunction2::kPower, type, LoadElement(type, x.data(), i),
                              LoadElement(type, y.data(), i)));
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::real_functions_test
