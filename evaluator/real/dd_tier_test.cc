// The tier of two doubles against MPFR: errors within those of tiers.def on every instruction set,
// and f64 blocks equal to elements of the later tiers.
#include "evaluator/real/dd_tier.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "evaluator/real/mpfr_functions.h"
#include "evaluator/real/tier_bounds.h"

namespace assay::evaluator::dd_tier_test {
namespace {

using real::Arithmetic;
using real::DdBlock;
using real::kDdBlock;
using real::Lanes;

constexpr ElementType kF64 = ElementType::kF64;
constexpr int kUnary = static_cast<int>(RealFunction::kTanh) + 1;

// Arguments over the domain of most functions and beyond it: every exponent near 1, structured
// ones, the neighbourhoods of 1 and of multiples of pi/256 and ln2/512.
std::vector<double> Arguments(int count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(1, 2);
  // NaNs with payloads, quiet and signalling, infinities, zeros, the ends of the range.
  std::vector<double> x;
  constexpr uint64_t kSpecial[] = {0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000abcdef,
                                   0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000000,
                                   0x8000000000000000, 0x0000000000000001, 0x7fefffffffffffff};
  for (uint64_t bits : kSpecial) {
    x.push_back(std::bit_cast<double>(bits));
  }
  while (static_cast<int>(x.size()) < count) {
    const double sign = random() % 2 == 0 ? 1 : -1;
    const double tiny = std::ldexp(unit(random), -static_cast<int>(random() % 54));
    switch (random() % 8) {
      case 0:
        x.push_back(sign * std::ldexp(unit(random), static_cast<int>(random() % 2100) - 1070));
        break;
      case 1:
        x.push_back(1 + sign * tiny);
        break;
      case 2:
        x.push_back(static_cast<double>(random() % 2000 << random() % 34) * (M_PI / 256) * sign +
                    tiny * 0x1p-40);
        break;
      case 3:
        x.push_back(static_cast<double>(random() % 9000) * (M_LN2 / 512) * sign * (1 + 0x1p-52));
        break;
      case 4:
        x.push_back(sign * (unit(random) - 1));
        break;
      default:
        x.push_back(sign * std::ldexp(unit(random), static_cast<int>(random() % 40) - 30));
        break;
    }
  }
  return x;
}

std::vector<Lanes> AllLanes() {
  std::vector<Lanes> all;
  for (Lanes lanes : {Lanes::kOne, Lanes::kFour, Lanes::kEight}) {
    if (lanes <= real::MostLanes()) all.push_back(lanes);
  }
  return all;
}

using ::assay::evaluator::testing::Apply;
using ::assay::evaluator::testing::kNamedFunctions;
using ::assay::evaluator::testing::Mpfr;

// log2 of |high + low - exact| / |exact|.
double ErrorLog2(double high, double low, const Mpfr& exact) {
  Mpfr error(300, high);
  mpfr_add_d(error, error, low, MPFR_RNDN);
  mpfr_sub(error, error, exact, MPFR_RNDN);
  if (mpfr_zero_p(error.get())) return -1000;
  mpfr_div(error, error, exact, MPFR_RNDN);
  return std::log2(std::fabs(mpfr_get_d(error, MPFR_RNDN)));
}

// The known error of the row, and the bound above it.
void CheckWorst(int function, Lanes lanes, double worst) {
  for (const real::TierRow& row : real::tier_rows::kRows) {
    if (row.function != function || row.arithmetic != Arithmetic::kDd) continue;
    EXPECT_LE(worst, row.error_log2)
        << "function " << function << " by " << static_cast<int>(lanes);
    EXPECT_LE(row.error_log2 + 4, row.bound_log2) << "no margin: function " << function;
  }
}

TEST(DdTierTest, ErrorsOfOneOperand) {
  constexpr int kBlocks = 12;
  for (int f = 0; f < kUnary; ++f) {
    const auto function = static_cast<RealFunction>(f);
    std::vector<double> x = Arguments(kDdBlock * kBlocks, 100 + f);
    std::vector<Mpfr> exact;
    for (double argument : x) exact.push_back(Apply(kNamedFunctions[f], argument, 300));
    for (Lanes lanes : AllLanes()) {
      double worst = -1000;
      int64_t given = 0;
      for (size_t begin = 0; begin < x.size(); begin += kDdBlock) {
        double high[kDdBlock], low[kDdBlock];
        DdBlock(function, lanes, x.data() + begin, high, low, kDdBlock);
        for (int i = 0; i < kDdBlock; ++i) {
          if (std::isnan(high[i])) continue;
          ++given;
          EXPECT_EQ(high[i], high[i] + low[i]) << f;
          worst = std::max(worst, ErrorLog2(high[i], low[i], exact[begin + i]));
        }
      }
      const bool has = real::BoundLog2(function, Arithmetic::kDd) != 0;
      EXPECT_EQ(given > kDdBlock * kBlocks / 6, has) << f << ": " << given;
      CheckWorst(f, lanes, worst);
    }
  }
}

TEST(DdTierTest, ErrorsOfTwoOperands) {
  for (RealFunction2 function : {RealFunction2::kAtan2, RealFunction2::kPower}) {
    const bool power = function == RealFunction2::kPower;
    for (Lanes lanes : AllLanes()) {
      double worst = -1000;
      int64_t given = 0;
      for (int block = 0; block < 12; ++block) {
        const std::vector<double> a = Arguments(kDdBlock, 200 + block);
        const std::vector<double> b = Arguments(kDdBlock, 300 + block);
        double high[kDdBlock], low[kDdBlock];
        DdBlock(function, lanes, a.data(), b.data(), high, low, kDdBlock);
        for (int i = 0; i < kDdBlock; ++i) {
          if (std::isnan(high[i])) continue;
          ++given;
          Mpfr exact(300, a[i]);
          (power ? mpfr_pow : mpfr_atan2)(exact, exact, Mpfr(300, b[i]), MPFR_RNDN);
          worst = std::max(worst, ErrorLog2(high[i], low[i], exact));
        }
      }
      EXPECT_GT(given, 500);
      CheckWorst(real::FunctionIndex(function), lanes, worst);
    }
  }
}

// Operands of ordinary size, where nearly every element is decided by the tier.
TEST(DdTierTest, BlocksEqualElementsOfTheQuadTier) {
  const std::vector<double> x = Arguments(3000, 7), y = Arguments(3000, 8);
  const auto bytes = [](const std::vector<double>& v) {
    return reinterpret_cast<const std::byte*>(v.data());
  };
  std::vector<double> out(x.size());
  auto* const results = reinterpret_cast<std::byte*>(out.data());
  RealContext quad;
  quad.first_tier = RealTier::kQuad;
  const auto element = [](double value) { return Element{EncodeFloat(kF64, value), 0}; };
  for (int f = 0; f < kUnary; ++f) {
    const auto function = static_cast<RealFunction>(f);
    EvaluateBlock(function, kF64, bytes(x), results, static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(LoadElement(kF64, results, static_cast<int64_t>(i)),
                EvaluateReal(function, kF64, element(x[i]), quad))
          << f << " of " << std::hexfloat << x[i];
    }
  }
  for (RealFunction2 function : {RealFunction2::kAtan2, RealFunction2::kPower}) {
    EvaluateBlock2(function, kF64, bytes(x), bytes(y), results, static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(LoadElement(kF64, results, static_cast<int64_t>(i)),
                EvaluateReal2(function, kF64, element(x[i]), element(y[i]), quad))
          << static_cast<int>(function) << " of " << std::hexfloat << x[i] << ", " << y[i];
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::dd_tier_test
