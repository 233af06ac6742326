// Complex functions: the catalogue's worked examples, branch cuts and special values, random and
// extreme operands against textbook formulas in MPFR, and parts that no enclosure decides.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "evaluator/real/mpfr_complex.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::complex_functions_test {
namespace {

using ::assay::evaluator::testing::ApplyComplex;
using ::assay::evaluator::testing::Mpc;
using ::assay::evaluator::testing::RoundByOracle;
using ::assay::evaluator::testing::SameValue;
using enum RealFunction;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.141592653589793;
constexpr double kAnySign = 0x1p-1000;  // in expectations: a zero of either sign
constexpr ElementType kC64 = ElementType::kC64, kC128 = ElementType::kC128;
constexpr RealTier kFirstTiers[] = {RealTier::kExact, RealTier::kQuad, RealTier::kBig192,
                                    RealTier::kBig384, RealTier::kBig1536};
constexpr RealFunction kComplexFunctions[] = {
    kAcos,  kAcosh, kAsin, kAsinh, kAtan, kAtanh, kCos,  kCosh,     kExp,  kExpm1, kLog,
    kLog1p, kRsqrt, kSin,  kSinh,  kSqrt, kTan,   kTanh, kLogistic, kSign, kAbs,   kCbrt};

ElementType PartOf(ElementType type) { return Info(type).component; }

Element Encode(ElementType type, double a, double b) {
  return {EncodeFloat(PartOf(type), a), EncodeFloat(PartOf(type), b)};
}

std::pair<double, double> Decode(ElementType type, Element z) {
  return {DecodeFloat(PartOf(type), z.bits), DecodeFloat(PartOf(type), z.imag)};
}

RealContext From(RealTier tier, RealStats* stats = nullptr) {
  RealContext context;
  context.first_tier = tier;
  context.stats = stats;
  return context;
}

void Check(RealFunction f, ElementType type, double a, double b, mpfr_prec_t precision) {
  const Element z = Encode(type, a, b);
  std::tie(a, b) = Decode(type, z);
  const Mpc exact = ApplyComplex(f, Mpc(precision, a, b));
  const Element expected = {RoundByOracle(PartOf(type), exact.re),
                            RoundByOracle(PartOf(type), exact.im)};
  for (RealTier tier : kFirstTiers) {
    RealStats stats;
    const Element actual = EvaluateComplex(f, type, z, From(tier, &stats));
    EXPECT_TRUE(stats.undecided() == 0 && SameValue(PartOf(type), actual.bits, expected.bits) &&
                SameValue(PartOf(type), actual.imag, expected.imag))
        << "function " << static_cast<int>(f) << " " << Name(type) << " of (" << std::hexfloat << a
        << ", " << b << ") from tier " << static_cast<int>(tier) << " is ("
        << Decode(type, actual).first << ", " << Decode(type, actual).second << ") not ("
        << Decode(type, expected).first << ", " << Decode(type, expected).second << ")";
  }
}

double RandomPart(std::mt19937_64& random, int range) {
  const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  const int exponent = static_cast<int>(random() % (2 * range + 1)) - range;
  return std::ldexp(random() & 1 ? -fraction : fraction, exponent);
}

TEST(ComplexFunctionsTest, RandomOperands) {
  std::mt19937_64 random(21);
  for (RealFunction f : kComplexFunctions) {
    for (ElementType type : {kC64, kC128}) {
      for (int i = 0; i < 40; ++i) {
        const int range = i % 4 == 0 ? 30 : 4;
        const double a = RandomPart(random, range), b = RandomPart(random, range);
        if (std::fabs(a) < 1000 && std::fabs(b) < 1000) Check(f, type, a, b, 1000);
      }
    }
  }
}

// Far from 1 in both directions, and cancelling parts.
TEST(ComplexFunctionsTest, ExtremeOperands) {
  const std::pair<double, double> operands[] = {
      {1, 1e-10},         {1, 0x1p-537},        {1 + 0x1p-52, 0x1p-26},
      {0x1p-52, 1},       {0.6, 0.8},           {-0.6, 0.8},
      {0x1p-30, 0x1p-30}, {3e-300, 2e-305},     {0x1p-1074, 0x1p-1074},
      {0x1p-1074, -3},    {5, 0x1p-1074},       {-5, 0x1p-1074},
      {0x1.8p-1073, 0.5}, {-0x1p-101, 0x1p-50}, {0x1p-101, 0x1p-50},
      {0.5, 0x1.8p-1072}, {2, 3e-300},          {-1, 1e-200},
      {-2, 1e-200},       {1e-200, 1},          {1e-200, -2},
      {-2, 0.5},          {0x1p-60, 0x1p-61},   {0x1p-60, 0x1p-55}};
  for (RealFunction f : kComplexFunctions) {
    for (auto [a, b] : operands) {
      if (f == kLogistic && std::fabs(a) + std::fabs(b) < 1e-200) continue;
      Check(f, kC128, a, b, 7000);
    }
  }
}

TEST(ComplexFunctionsTest, LargeOperands) {
  // Algebraic and logarithmic functions on everything, the others saturate.
  for (RealFunction f :
       {kAbs, kSqrt, kRsqrt, kSign, kLog, kLog1p, kAsin, kAcos, kAsinh, kAcosh, kAtanh, kAtan}) {
    for (auto [a, b] : {std::pair(1e300, 1e-300),
                        {1e-300, 1e300},
                        {1e300, -1e300},
                        {-1e308, 1.7e308},
                        {-1e300, 3.0}}) {
      Check(f, kC128, a, b, 7000);
    }
    Check(f, kC64, 3e38, 4e37, 2000);
  }
  const auto tanh = EvaluateComplex(kTanh, kC128, Encode(kC128, 1000, 1));
  EXPECT_EQ(tanh, Encode(kC128, 1, 0.0));
  const auto saturated = EvaluateComplex(kTanh, kC128, Encode(kC128, -1e300, 2));
  EXPECT_EQ(saturated, Encode(kC128, -1, -0.0));
  const auto exp = EvaluateComplex(kExp, kC64, Encode(kC64, 1e30, 2));
  EXPECT_EQ(exp, Encode(kC64, -kInf, kInf));
  // cos 1e308 = -0.89, sin 1e308 = 0.45: the quadrant of an angle of 1024 bits counts.
  for (RealFunction f : {kExp, kExpm1, kCosh, kSinh}) {
    EXPECT_EQ(EvaluateComplex(f, kC128, Encode(kC128, 1e300, 1e308)), Encode(kC128, -kInf, kInf));
    EXPECT_EQ(EvaluateComplex(f, kC128, Encode(kC128, 1e300, -1e308)), Encode(kC128, -kInf, -kInf));
  }
  EXPECT_EQ(EvaluateComplex(kExp, kC128, Encode(kC128, -1e300, 1e308)), Encode(kC128, -0.0, 0.0));
  // Where the modulus underflows in double and in quad precision too, its factors keep their signs.
  for (const double a : {-200.0, -800.0, -12000.0, -1e30}) {
    for (const ElementType type : {kC64, kC128}) {
      if (type == kC128 && a == -200) continue;
      EXPECT_EQ(EvaluateComplex(kExp, type, Encode(type, a, 2)), Encode(type, -0.0, 0.0));
      EXPECT_EQ(EvaluateComplex(kExp, type, Encode(type, a, -2)), Encode(type, -0.0, -0.0));
    }
  }
  const auto logistic = EvaluateComplex(kLogistic, kC64, Encode(kC64, 1e30, 2));
  EXPECT_EQ(logistic, Encode(kC64, 1, 0.0));
}

struct Example {
  RealFunction function;
  double a, b, re, im;
};

void ExpectPart(ElementType type, uint64_t actual, double expected, const Example& e) {
  const ElementType part = PartOf(type);
  const double want = expected == kAnySign ? 0 : expected;
  const bool same = SameValue(part, actual, EncodeFloat(part, want)) ||
                    (expected == kAnySign && IsZero(part, actual));
  EXPECT_TRUE(same) << "function " << static_cast<int>(e.function) << " of (" << e.a << ", " << e.b
                    << "): " << DecodeFloat(part, actual) << " not " << expected;
}

// Sections 8.7 and 8.12.
TEST(ComplexFunctionsTest, WorkedExamples) {
  const Example examples[] = {
      {kExp, 1, 1, 1.4686939399158851, 2.2873552871788423},
      {kLog, 1, 1, 0.34657359027997264, 0.7853981633974483},
      {kSqrt, 1, 1, 1.09868411346781, 0.45508986056222733},
      {kSqrt, 3, 4, 2, 1},
      {kRsqrt, 1, 1, 0.7768869870150187, -0.3217971264527913},
      {kExpm1, 1, 1, 0.46869393991588515, 2.2873552871788423},
      {kLog1p, 1, 2, 1.0397207708399179, 0.7853981633974483},
      {kLog1p, 2, 1, 1.151292546497023, 0.3217505543966422},
      {kLogistic, 1, 2, 1.0214153641721806, 0.4034387060815425},
      {kSin, 1, 1, 1.2984575814159773, 0.6349639147847361},
      {kCos, 1, 1, 0.833730025131149, -0.9888977057628651},
      {kTan, 1, 1, 0.27175258531951174, 1.0839233273386946},
      {kSinh, 1, 1, 0.6349639147847361, 1.2984575814159773},
      {kCosh, 1, 1, 0.833730025131149, 0.9888977057628651},
      {kTanh, 1, 1, 1.0839233273386946, 0.27175258531951174},
      {kAsin, .5, .5, 0.4522784471511907, 0.5306375309525179},
      {kAcos, .5, .5, 1.1185178796437059, -0.5306375309525179},
      {kAtanh, .5, .5, 0.40235947810852507, 0.5535743588970452},
      {kAsinh, 1, 1, 1.0612750619050357, 0.6662394324925153},
      {kAcosh, 1, 1, 1.0612750619050357, 0.9045568943023814},
      {kAbs, 3, 4, 5, 0},
      {kCbrt, 3, 4, 1.628937145922176, 0.5201745023045459},
      {kLog, 1, 1e-10, 5.0000000000000005e-21, 1e-10},
      {kSqrt, -1e-300, 0, 0, 1e-150},
  };
  for (const Example& e : examples) {
    const Element actual = EvaluateComplex(e.function, kC128, Encode(kC128, e.a, e.b));
    ExpectPart(kC128, actual.bits, e.re, e);
    ExpectPart(kC128, actual.imag, e.im, e);
  }
  EXPECT_EQ(EvaluateComplex(kAbs, kC64, Encode(kC64, 3e38, 4e37)).bits, 0x7f63b138u);
}

// The cut table of section 6.12, and zeros that keep the side.
TEST(ComplexFunctionsTest, BranchCuts) {
  const Example examples[] = {
      {kLog, -1, 0.0, 0, kPi},
      {kLog, -1, -0.0, 0, -kPi},
      {kSqrt, -4, 0.0, 0, 2},
      {kSqrt, -4, -0.0, 0, -2},
      {kSqrt, 4, -0.0, 2, -0.0},
      {kRsqrt, -4, 0.0, 0, -0.5},
      {kRsqrt, -4, -0.0, 0, 0.5},
      {kAsin, 2, 0.0, kPi / 2, 1.3169578969248168},
      {kAsin, 2, -0.0, kPi / 2, -1.3169578969248168},
      {kAsin, -2, 0.0, -kPi / 2, 1.3169578969248168},
      {kAsin, 0.5, -0.0, 0.5235987755982989, -0.0},
      {kAcos, 2, 0.0, 0, -1.3169578969248168},
      {kAcos, 2, -0.0, 0, 1.3169578969248168},
      {kAcos, -2, 0.0, kPi, -1.3169578969248168},
      {kAcos, -2, -0.0, kPi, 1.3169578969248168},
      {kAcos, 0, 0.0, kPi / 2, -0.0},
      {kAsinh, 0.0, 2, 1.3169578969248168, kPi / 2},
      {kAsinh, -0.0, 2, -1.3169578969248168, kPi / 2},
      {kAsinh, 0.0, -2, 1.3169578969248168, -kPi / 2},
      {kAsinh, -0.0, 0.5, -0.0, 0.5235987755982989},
      {kAcosh, 0.5, 0.0, 0, 1.0471975511965979},
      {kAcosh, 0.5, -0.0, 0, -1.0471975511965979},
      {kAcosh, -2, 0.0, 1.3169578969248168, kPi},
      {kAcosh, -2, -0.0, 1.3169578969248168, -kPi},
      {kAcosh, 2, -0.0, 1.3169578969248168, -0.0},
      {kAtanh, 2, 0.0, 0.5493061443340549, kPi / 2},
      {kAtanh, 2, -0.0, 0.5493061443340549, -kPi / 2},
      {kAtanh, -2, 0.0, -0.5493061443340549, kPi / 2},
      {kAtanh, 1, 0.0, kInf, 0.0},
      {kAtan, 0.0, 2, kPi / 2, 0.5493061443340549},
      {kAtan, -0.0, 2, -kPi / 2, 0.5493061443340549},
      {kLog1p, -3, 0.0, 0.6931471805599453, kPi},
      {kLog1p, -2, -0.0, 0, -kPi},
      {kLog1p, -1, 1, 0, kPi / 2},
      {kLog1p, -1, 0.0, -kInf, 0},
      {kLog, 0, 1, 0, kPi / 2},
      {kLog, 0.0, 0.0, -kInf, 0},
      {kLog, -0.0, 0.0, -kInf, kPi},
      {kExp, 0.0, -0.0, 1, -0.0},
      {kExp, 1, -0.0, 2.718281828459045, -0.0},
      {kTanh, -0.0, 0.0, -0.0, 0.0},
      {kSin, 0.0, 1, 0, 1.1752011936438014},
      {kSin, 3, -0.0, 0.1411200080598672, 0.0},
      {kCos, 0.0, 0.0, 1, -0.0},
      {kCosh, 0.0, 0.0, 1, 0.0},
      {kSinh, -0.0, 2, 0.0, 0.9092974268256817},
      {kLogistic, 0.0, 1, 0.5, 0.27315124492189524},
      {kSign, 0.0, 0.0, 0, 0},
      {kSign, 0.0, -3, 0, -1},
      {kSqrt, 0.0, 2, 1, 1},
      {kSqrt, -0.0, -0.0, 0, -0.0},
  };
  for (const Example& e : examples) {
    const Element actual = EvaluateComplex(e.function, kC128, Encode(kC128, e.a, e.b));
    ExpectPart(kC128, actual.bits, e.re, e);
    ExpectPart(kC128, actual.imag, e.im, e);
  }
}

// The table of special values in section 6.12.
TEST(ComplexFunctionsTest, SpecialValues) {
  const double z = kAnySign;
  const Example examples[] = {
      {kExp, 3, kInf, kNan, kNan},       {kLog, 3, kInf, kInf, kPi / 2},
      {kSqrt, 3, kInf, kInf, kInf},      {kSqrt, kNan, kInf, kInf, kInf},
      {kSqrt, -kInf, kInf, kInf, kInf},  {kTanh, 3, kInf, kNan, kNan},
      {kExp, 3, kNan, kNan, kNan},       {kLog, 3, kNan, kNan, kNan},
      {kSqrt, 3, kNan, kNan, kNan},      {kTanh, 3, kNan, kNan, kNan},
      {kExp, kInf, 0.0, kInf, 0.0},      {kLog, kInf, 0.0, kInf, 0.0},
      {kSqrt, kInf, 0.0, kInf, 0.0},     {kTanh, kInf, 0.0, 1, 0.0},
      {kExp, -kInf, 2, -0.0, 0.0},       {kLog, -kInf, 2, kInf, kPi},
      {kSqrt, -kInf, 2, 0.0, kInf},      {kTanh, -kInf, 2, -1, -0.0},
      {kExp, kInf, 2, -kInf, kInf},      {kLog, kInf, 2, kInf, 0.0},
      {kSqrt, kInf, 2, kInf, 0.0},       {kTanh, kInf, 2, 1, -0.0},
      {kLog, kInf, kInf, kInf, kPi / 4}, {kLog, -kInf, kInf, kInf, 2.356194490192345},
      {kExp, -kInf, kInf, z, z},         {kTanh, kInf, kInf, 1, z},
      {kTanh, -kInf, kInf, -1, z},       {kLog, kInf, kNan, kInf, kNan},
      {kSqrt, kInf, kNan, kInf, kNan},   {kExp, -kInf, kNan, z, z},
      {kTanh, kInf, kNan, 1, z},         {kExp, kNan, 0.0, kNan, 0.0},
      {kTanh, kNan, 0.0, kNan, 0.0},     {kLog, kNan, kInf, kInf, kNan},
      {kExp, kNan, kInf, kNan, kNan},    {kTanh, kNan, 2, kNan, kNan},
      {kAbs, kNan, kInf, kInf, 0},       {kAbs, -kInf, 1, kInf, 0},
      {kAbs, kNan, 1, kNan, 0},          {kSign, kNan, 1, kNan, kNan},
      {kSign, kInf, 1, kNan, kNan},      {kRsqrt, kInf, 1, 0, -0.0},
      {kLogistic, -kInf, 2, z, 0.0},     {kLogistic, kInf, 2, 1, 0.0},
  };
  for (const Example& e : examples) {
    for (ElementType type : {kC64, kC128}) {
      const Element actual = EvaluateComplex(e.function, type, Encode(type, e.a, e.b));
      ExpectPart(type, actual.bits, e.re, e);
      ExpectPart(type, actual.imag, e.im, e);
    }
  }
}

// Leading terms on a midpoint and a rest beyond any precision; worked out by hand from the series.
TEST(ComplexFunctionsTest, PartsNextToMidpoints) {
  const double tiny = 0x1p-1074;
  const auto at = [](RealFunction f, double a, double b, RealTier tier) {
    RealStats stats;
    const Element z = EvaluateComplex(f, kC128, Encode(kC128, a, b), From(tier, &stats));
    EXPECT_EQ(stats.undecided(), 0);
    return z;
  };
  const int64_t odd = (int64_t{3} << 25) + 1;  // its square has 54 bits
  const double m = std::ldexp(static_cast<double>(odd), -400);
  const double below_tie = std::ldexp(static_cast<double>(odd * odd - 1), -800);
  for (RealTier tier : kFirstTiers) {
    // sqrt(1 + i b): im = b/2 (1 - b^2/8), just below a tie for odd b.
    EXPECT_EQ(at(kSqrt, 1, 3 * tiny, tier).imag, 1u);
    EXPECT_EQ(at(kSqrt, 1, tiny, tier).imag, 0u);
    EXPECT_EQ(at(kRsqrt, 4, 48 * tiny, tier).imag, 0x8000000000000003u);  // -b/16, exactly
    EXPECT_EQ(at(kRsqrt, 4, 24 * tiny, tier).imag, 0x8000000000000001u);  // -1.5 units, inside
    // log1p(1 + i b): im = atan(b / 2).
    EXPECT_EQ(at(kLog1p, 1, 3 * tiny, tier).imag, 1u);
    // atanh(a + i): re = a/2 - a^3/12.
    EXPECT_EQ(at(kAtanh, 3 * tiny, 1, tier).bits, 1u);
    EXPECT_EQ(at(kAtan, 1, 3 * tiny, tier).imag, 1u);
    // logistic: im = b/4 (1 - (3 a^2 - b^2)/12): 1.5 units, inside and outside.
    EXPECT_EQ(at(kLogistic, 8 * tiny, 6 * tiny, tier).imag, 1u);
    EXPECT_EQ(at(kLogistic, tiny, 6 * tiny, tier).imag, 2u);
    EXPECT_EQ(at(kLogistic, 0, 2 * tiny, tier).imag, 1u);  // 0.5 units, outside
    // cos: im = -a b (1 + (b^2 - a^2)/6), cosh: im = a b (1 + (a^2 - b^2)/6); half a unit.
    EXPECT_EQ(at(kCos, 0x1p-540, 0x1p-535, tier).imag, 0x8000000000000001u);
    EXPECT_EQ(at(kCos, 0x1p-535, 0x1p-540, tier).imag, 0x8000000000000000u);
    EXPECT_EQ(at(kCosh, 0x1p-540, 0x1p-535, tier).imag, 0u);
    EXPECT_EQ(at(kCosh, 0x1p-535, 0x1p-540, tier).imag, 1u);
    // a = b with a square of 54 bits, a tie: the next term is -a^4/90.
    EXPECT_EQ(at(kCos, m, m, tier).imag, EncodeFloat(ElementType::kF64, -below_tie));
    EXPECT_EQ(at(kCosh, m, m, tier).imag, EncodeFloat(ElementType::kF64, below_tie));
  }
}

TEST(ComplexFunctionsTest, AlgebraicMidpoints) {
  // |(3 k, 4 k)| = 5 k with 54 bits: a tie in c128; and one with 25 bits in c64.
  const double k = 0x1.999999999999ap50 + 1;
  for (double odd : {k, 0x1p51 + 1, 0x1.8p50 + 3}) Check(kAbs, kC128, 3 * odd, 4 * odd, 400);
  for (double odd : {0x1p22 + 1, 0x1.8p21 + 3, 0x1.9p21 + 1}) {
    Check(kAbs, kC64, 3 * odd, 4 * odd, 400);
  }
  // (m + n i)^2 has exactly that root: m with one bit too many.
  for (double m : {0x1p24 + 1, 0x1p24 + 3}) {
    const double re = m * m - 1, im = 2 * m;
    const Element z = Encode(kC64, re, im);
    if (Decode(kC64, z) == std::pair(re, im)) Check(kSqrt, kC64, re, im, 400);
  }
  std::mt19937_64 random(22);
  for (RealFunction f : {kAbs, kSqrt, kRsqrt, kSign}) {
    for (int i = 0; i < 60; ++i) {
      Check(f, kC128, RandomPart(random, 500), RandomPart(random, 500), 6000);
      Check(f, kC64, RandomPart(random, 60), RandomPart(random, 60), 1500);
    }
  }
}

struct BinaryExample {
  double a, b, c, d, re, im;
};

void CheckBinary(RealFunction2 f, ElementType type, const BinaryExample& e) {
  const Element z = EvaluateComplex2(f, type, Encode(type, e.a, e.b), Encode(type, e.c, e.d));
  const Example shown = {kExp, e.a, e.b, e.re, e.im};
  ExpectPart(type, z.bits, e.re, shown);
  ExpectPart(type, z.imag, e.im, shown);
}

TEST(ComplexFunctionsTest, BinaryWorkedExamples) {
  const double z = kAnySign;
  CheckBinary(RealFunction2::kMultiply, kC128, {1, 2, 3, 4, -5, 10});
  CheckBinary(RealFunction2::kMultiply, kC128, {1.5, 2.5, 2.5, 1.5, 0, 8.5});
  CheckBinary(RealFunction2::kMultiply, kC64,
              {1 + 0x1p-12, 1, 1 + 0x1p-12, 1 + 0x1p-11, 0x1p-24, 2.0009765625});
  CheckBinary(RealFunction2::kDivide, kC128, {1, 2, 3, 4, 0.44, 0.08});
  CheckBinary(RealFunction2::kDivide, kC128,
              {1.5, 2.5, 2.5, 1.5, 0.8823529411764706, 0.47058823529411764});
  CheckBinary(RealFunction2::kDivide, kC128, {-2.5, 1, 10, 0, -0.25, 0.1});
  CheckBinary(RealFunction2::kDivide, kC128, {-25.5, 0, 0, 1, z, 25.5});
  CheckBinary(RealFunction2::kPower, kC128,
              {1.5, 2.5, 2.5, 1.5, -1.5679313814305011, -2.667477544662361});
  CheckBinary(RealFunction2::kPower, kC128,
              {7.5, 5.5, 5.5, 7.5, 392.8927083558064, 1801.8249193362656});
  CheckBinary(RealFunction2::kPower, kC128, {0, 1, 0, 1, 0.2078795763507619, 0});
  CheckBinary(RealFunction2::kPower, kC64, {-2, 0, .5, 0, 0, 1.4142135381698608});
  CheckBinary(RealFunction2::kPower, kC64, {-2, -0.0, .5, 0, z, -1.4142135381698608});
  CheckBinary(RealFunction2::kPower, kC64, {-.6, 0, .6, 0, -0.22744334, 0.69999844});
  CheckBinary(RealFunction2::kPower, kC64, {-.6, 0, -.6, 0, -0.41984764, -1.2921578});
  CheckBinary(RealFunction2::kPower, kC64, {0, 0, .5, 0, 0, 0});
  CheckBinary(RealFunction2::kPower, kC64, {0, 0, 0, 0, 1, 0});
  CheckBinary(RealFunction2::kPower, kC64, {0, 0, 0, 1, kNan, kNan});
  CheckBinary(RealFunction2::kPower, kC64, {1, 0, kInf, 0, 1, 0});
  CheckBinary(RealFunction2::kPower, kC64, {kInf, 0, 1, 0, kInf, 0});
  CheckBinary(RealFunction2::kPower, kC64, {kInf, 0, -1.1234, 0, 0, z});
  CheckBinary(RealFunction2::kPower, kC128, {0, 2, .5, 0, 1, 1});
  CheckBinary(RealFunction2::kPower, kC128, {3, 4, 2, 0, -7, 24});
  CheckBinary(RealFunction2::kPower, kC128, {1, 1, 8, 0, 16, 0});
  CheckBinary(RealFunction2::kPower, kC128, {1, 1, -2, 0, 0, -0.5});
  CheckBinary(RealFunction2::kPower, kC128, {2, -0.0, 3, 0, 8, -0.0});
  CheckBinary(RealFunction2::kAtan2, kC128, {1, 0, -1, 0, 2.356194490192345, 0});
  // Cancellation in the quotient, and operands whose squares overflow.
  CheckBinary(RealFunction2::kDivide, kC128, {1e300, 1e300, 1e300, 1e300, 1, 0});
  CheckBinary(RealFunction2::kDivide, kC128, {0x1p-1074, 0, 0x1p-1074, 0x1p-1074, .5, -.5});
}

// Checked with 3000 bits of MPFR.
TEST(ComplexFunctionsTest, PowersOffTheAxesAndFarOut) {
  const double tiny = 0x1p-1074;
  // The angle is c pi / 4, which is no zero however small c is, and 3 c no integer that rounds to.
  CheckBinary(RealFunction2::kPower, kC128, {tiny, tiny, tiny, 0, 1, tiny});
  CheckBinary(RealFunction2::kPower, kC128,
              {-1, 1, 0x1.5555555555555p-1, 0, 1.0986097349765725e-16, 1.2599210498948732});
  // Both parts overflow; angles of 2^863 and 2^1032 have the signs that are shown.
  CheckBinary(RealFunction2::kPower, kC128,
              {1.546469755149003e+154, -1.0135760667453532e+154, -2.6369104706835356e+154,
               0x1.f2827affe7f66p+1021, kInf, -kInf});
  CheckBinary(RealFunction2::kPower, kC128,
              {-0x1.8e2e8d55ccfp-436, -0x1.03ee0bbdb7bp-925, 0x1.dea86e6283f2p+852,
               0x1.05a65975fd129p+493, 0, -0.0});
}

TEST(ComplexFunctionsTest, AnglesOfTwoComplexNumbers) {
  const double z = kAnySign, pi = M_PI;
  // x^2 + y^2 is -10 exactly, on the cut of its root.
  CheckBinary(RealFunction2::kAtan2, kC128, {2, 3, -2, 3, pi / 4, -0.8047189562170501});
  // So is x^2 + y^2 of imaginary operands: -13 with a zero of the sign that the squares' zeros add
  // up to, -0 only where both are. Conjugate operands have conjugate angles.
  const double angle = 0.982793723247329;  // of (2, 3)
  CheckBinary(RealFunction2::kAtan2, kC128, {0, 3, 0, 2, angle, z});
  CheckBinary(RealFunction2::kAtan2, kC128, {0, -3, 0, -2, angle, z});
  CheckBinary(RealFunction2::kAtan2, kC128, {-0.0, 3, 0, 2, angle, z});
  CheckBinary(RealFunction2::kAtan2, kC128, {-0.0, 3, -0.0, 2, angle - pi, z});
  CheckBinary(RealFunction2::kAtan2, kC128, {0, -3, -0.0, -2, angle - pi, z});
  // y / x is imaginary: i/2, 2i, -2i, i/2 of a negative x.
  CheckBinary(RealFunction2::kAtan2, kC128, {0, 1, 2, 0, z, 0.5493061443340549});
  CheckBinary(RealFunction2::kAtan2, kC128, {0, 2, 1, 0, pi / 2, 0.5493061443340549});
  CheckBinary(RealFunction2::kAtan2, kC128, {0, -2, 1, 0, -pi / 2, -0.5493061443340549});
  CheckBinary(RealFunction2::kAtan2, kC128, {0, -1, -2, 0, pi, 0.5493061443340549});
  // The imaginary part is near 2^-2149, of either sign.
  CheckBinary(RealFunction2::kAtan2, kC128, {1.5, 0x1p-1074, 0x1p-1074, 0, pi / 2, 0});
  CheckBinary(RealFunction2::kAtan2, kC128, {1.5, -0x1p-1074, 0x1p-1074, 0, pi / 2, -0.0});
  // Equal operands whose parts are far apart: the root of x^2 + x^2 is that of 2 times the square.
  CheckBinary(RealFunction2::kAtan2, kC128, {1e-300, 1e300, 1e-300, 1e300, pi / 4, 0});
  CheckBinary(RealFunction2::kAtan2, kC128,
              {-1e-256, -1e298, -1e-256, -1e298, -2.356194490192345, 0});
}

TEST(ComplexFunctionsTest, RandomBinary) {
  std::mt19937_64 random(23);
  for (RealFunction2 f : {RealFunction2::kMultiply, RealFunction2::kDivide, RealFunction2::kPower,
                          RealFunction2::kAtan2}) {
    for (ElementType type : {kC64, kC128}) {
      const ElementType part = PartOf(type);
      for (int i = 0; i < 60; ++i) {
        const int range = f == RealFunction2::kPower ? 2 : i % 2 ? 3 : 40;
        double parts[4];  // drawn in this order by every compiler
        for (double& part_value : parts) part_value = RandomPart(random, range);
        const Element x = Encode(type, parts[0], parts[1]);
        Element y = Encode(type, parts[2], parts[3]);
        if (f == RealFunction2::kPower && i % 3 == 0) {
          const int exponent = static_cast<int>(random() % 20) - 10;
          y = Encode(type, exponent == 0 ? 10 : exponent, 0);  // z^0 has its own test
        }
        const auto [a, b] = Decode(type, x);
        const auto [c, d] = Decode(type, y);
        const Mpc exact = ApplyComplex(f, Mpc(2000, a, b), Mpc(2000, c, d));
        for (RealTier tier : kFirstTiers) {
          const Element actual = EvaluateComplex2(f, type, x, y, From(tier));
          EXPECT_TRUE(SameValue(part, actual.bits, RoundByOracle(part, exact.re)) &&
                      SameValue(part, actual.imag, RoundByOracle(part, exact.im)))
              << static_cast<int>(f) << " " << Name(type) << " (" << a << ", " << b << ") (" << c
              << ", " << d << ") tier " << static_cast<int>(tier);
        }
      }
    }
  }
}

std::pair<int64_t, int64_t> GaussianPower(int64_t u, int64_t v, int n) {
  int64_t re = 1, im = 0;
  for (int i = 0; i < n; ++i) {
    const int64_t next = re * u - im * v;
    im = re * v + im * u;
    re = next;
  }
  return {re, im};
}

// A rational power of a Gaussian integer power: integers say what it is, midpoints included, and
// the hardware rounds integers to nearest even.
TEST(ComplexFunctionsTest, RationalPowersAreExact) {
  struct Exponent {
    int root, power;  // (w^root)^(power / root)
  };
  int64_t midpoints = 0;
  for (const Exponent e : {Exponent{2, 3}, {2, 5}, {4, 3}, {4, 5}, {8, 7}}) {
    for (int u = 1; u <= 257; u += e.root == 2 ? 5 : 1) {
      if (std::pow(u, e.root) >= 0x1p24 || std::pow(u, e.power) >= 0x1p50) break;
      // w is the principal root while its argument lies within pi / root.
      for (int v : {-u / 3, -2, -1, 0, 1, 2, u / 4, u / 3}) {
        if (std::fabs(std::atan2(v, u)) >= kPi / e.root) continue;
        const auto [root_re, root_im] = GaussianPower(u, v, e.root);
        const auto [re, im] = GaussianPower(u, v, e.power);
        const Element z = Encode(kC64, root_re, root_im);
        if (Decode(kC64, z) != std::pair<double, double>(root_re, root_im)) continue;
        const double exponent = static_cast<double>(e.power) / e.root;
        RealStats stats;
        const auto [x, y] =
            Decode(kC64, EvaluateComplex2(RealFunction2::kPower, kC64, z, Encode(kC64, exponent, 0),
                                          From(RealTier::kExact, &stats)));
        EXPECT_EQ(x, static_cast<float>(re)) << root_re << " " << root_im << " ^" << exponent;
        EXPECT_EQ(y, static_cast<float>(im)) << root_re << " " << root_im << " ^" << exponent;
        EXPECT_EQ(stats.undecided(), 0) << root_re << " " << root_im << " ^" << exponent;
        midpoints += re % 2 != 0 && std::llabs(re) >> 24 == 1;
      }
    }
  }
  EXPECT_GT(midpoints, 10);
  CheckBinary(RealFunction2::kPower, kC64, {0.375, -0.5, 0, 0, 1, 0});
  // Ties with even neighbours below and above; on and below the branch cut; subnormal ties.
  CheckBinary(RealFunction2::kPower, kC64, {66045, 1028, 1.5, 0, 16971508, 396286});
  CheckBinary(RealFunction2::kPower, kC64, {0, 1922, 2.5, 0, -114516608, -114516608});
  CheckBinary(RealFunction2::kPower, kC64, {-4, 0, 1.5, 0, 0, -8});
  CheckBinary(RealFunction2::kPower, kC64, {-4, -0.0, 1.5, 0, kAnySign, 8});
  CheckBinary(RealFunction2::kPower, kC64, {0, 2, -150, 0, -0.0, kAnySign});
}

// r^(3 + i e) has the real part r^3 (1 - e^2 ln(r)^2 / 2): below a midpoint of f64 by less than
// 1536 bits tell. It is counted, and the enclosure holds the value.
TEST(ComplexFunctionsTest, UndecidedPartsKeepTheirEnclosure) {
  RealStats stats;
  RealEnclosure enclosure;
  RealContext context;
  context.stats = &stats;
  context.enclosure = &enclosure;
  const Element power = EvaluateComplex2(RealFunction2::kPower, kC128, Encode(kC128, 262143, 0),
                                         Encode(kC128, 3, 0x1p-1074), context);
  EXPECT_EQ(stats.undecided(), 1);
  EXPECT_TRUE(enclosure.undecided);
  // 262143^3 = 18014192351838207.
  EXPECT_EQ(Decode(kC128, enclosure.low).first, 18014192351838206.0);
  EXPECT_EQ(Decode(kC128, enclosure.high).first, 18014192351838208.0);
  EXPECT_EQ(enclosure.low.imag, enclosure.high.imag);
  EXPECT_TRUE(power.bits == enclosure.low.bits || power.bits == enclosure.high.bits);
}

TEST(ComplexFunctionsTest, BlocksEqualElements) {
  std::mt19937_64 random(24);
  for (ElementType type : {kC64, kC128}) {
    constexpr int kCount = 40;
    const int size = Info(type).storage_bytes;
    std::vector<std::byte> x(kCount * size), y(kCount * size), out(kCount * size);
    for (int i = 0; i < kCount; ++i) {
      StoreElement(type, Encode(type, RandomPart(random, 5), RandomPart(random, 5)), x.data(), i);
      StoreElement(type, Encode(type, RandomPart(random, 5), RandomPart(random, 5)), y.data(), i);
    }
    EvaluateBlock2(RealFunction2::kDivide, type, x.data(), y.data(), out.data(), kCount);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(LoadElement(type, out.data(), i),
                EvaluateComplex2(RealFunction2::kDivide, type, LoadElement(type, x.data(), i),
                                 LoadElement(type, y.data(), i)));
    }
    EvaluateBlock(kTan, type, x.data(), out.data(), kCount);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(LoadElement(type, out.data(), i),
                EvaluateComplex(kTan, type, LoadElement(type, x.data(), i)));
    }
    // In place, into elements half as long.
    std::vector<std::byte> shared = x;
    EvaluateBlock(kAbs, type, shared.data(), shared.data(), kCount);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(LoadElement(PartOf(type), shared.data(), i),
                EvaluateComplex(kAbs, type, LoadElement(type, x.data(), i)));
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::complex_functions_test
