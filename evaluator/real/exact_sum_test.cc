// ExactSum and ExactProduct against MPFR numbers wide enough to hold every sum and product exactly.
#include "evaluator/real/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "evaluator/real/exact_product.h"
#include "evaluator/real/mpfr_oracle.h"
#include "spec/testing/element_types.h"

namespace assay::evaluator::exact_sum_test {
namespace {

using ::assay::evaluator::testing::Mpfr;
using ::assay::evaluator::testing::RoundByOracle;
using ::assay::evaluator::testing::SameValue;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr mpfr_prec_t kExactBits = 4400;  // every sum of products of doubles

using Products = std::vector<std::pair<double, double>>;

Mpfr OracleSum(const Products& products) {
  Mpfr sum(kExactBits, 0.0), product(kExactBits);
  for (const auto& [a, b] : products) {
    mpfr_set_d(product, a, MPFR_RNDN);
    mpfr_mul_d(product, product, b, MPFR_RNDN);
    mpfr_add(sum, sum, product, MPFR_RNDN);
  }
  return sum;
}

ExactSum SumOf(const Products& products) {
  ExactSum sum;
  for (const auto& [a, b] : products) {
    if (b == 1) {
      sum.Add(a);
    } else {
      sum.AddProduct(a, b);
    }
  }
  return sum;
}

void ExpectAsOracle(const Products& products) {
  const Mpfr expected = OracleSum(products);
  const ExactSum sum = SumOf(products);
  for (ElementType type : FloatTypes()) {
    if (mpfr_zero_p(expected.get())) continue;  // signs of zero have tests of their own
    EXPECT_TRUE(SameValue(type, sum.Round(type), RoundByOracle(type, expected)))
        << Name(type) << " of " << products.size() << " products, first " << products[0].first
        << " * " << products[0].second;
  }
}

// A double with exponent in [low, high] and a significand of random length.
double RandomDouble(std::mt19937_64& random, int low, int high) {
  const int exponent = low + static_cast<int>(random() % (high - low + 1));
  const uint64_t kept = ~uint64_t{0} << (random() % 52);
  const double fraction = 1 + static_cast<double>((random() & kept) >> 12) * 0x1p-52;
  return std::ldexp(random() & 1 ? -fraction : fraction, exponent);
}

TEST(ExactSumTest, RandomProductsOfAllExponents) {
  std::mt19937_64 random(1);
  const std::pair<int, int> ranges[] = {{-1074, 1023}, {-4, 4},  {-1074, -1000}, {900, 1023},
                                        {-160, 120},   {-20, 8}, {-540, -530}};
  for (auto [low, high] : ranges) {
    for (int round = 0; round < 60; ++round) {
      Products products(1 + random() % 40);
      for (auto& [a, b] : products) {
        a = RandomDouble(random, low, high);
        b = random() % 3 == 0 ? 1 : RandomDouble(random, low, high);
      }
      ExpectAsOracle(products);
    }
  }
}

TEST(ExactSumTest, CancellationLeavesWhatIsLeft) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    Products products;
    for (int i = 0; i < 10; ++i) {
      const double a = RandomDouble(random, -1000, 1000), b = RandomDouble(random, -60, 60);
      products.push_back({a, b});
      products.push_back({-b, a});
    }
    products.push_back({RandomDouble(random, -1060, -20), RandomDouble(random, -6, 6)});
    std::shuffle(products.begin(), products.end(), random);
    ExpectAsOracle(products);
  }
}

TEST(ExactSumTest, IntermediateOverflowAndUnderflowDoNotMatter) {
  ExpectAsOracle({{kMax, 1}, {kMax, 1}, {-kMax, 1}});
  ExpectAsOracle({{kMax, kMax}, {-kMax, kMax}, {3, 1}});
  ExpectAsOracle({{kMax, kMax}, {-kMax, kMax}, {kTiny, kTiny}});
  ExpectAsOracle({{kTiny, 0.5}, {kTiny, 0.5}});
  ExpectAsOracle({{kTiny, 0.5}, {kTiny, kTiny}});
  ExpectAsOracle({{kMax, 1}, {0x1p970, 1}});                   // the tie beyond the largest
  ExpectAsOracle({{kMax, 1}, {0x1p970, 1}, {-kTiny, kTiny}});  // just below it
}

TEST(ExactSumTest, MidpointsAndTheirNeighboursInEveryType) {
  for (ElementType type : FloatTypes()) {
    const int bits = Info(type).bits;
    const int64_t count = std::min<int64_t>(int64_t{1} << std::min(bits, 16), 1 << 12);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t pattern = bits <= 12 ? i : static_cast<uint64_t>(i) << (bits - 12);
      if (IsNan(type, pattern) || IsInfinity(type, pattern)) continue;
      const double value = DecodeFloat(type, pattern);
      const double half = std::ldexp(0.5, std::max(std::ilogb(value == 0 ? 0x1p-1000 : value),
                                                   Info(type).format->min_exponent()) -
                                              Info(type).format->significand_bits);
      const double away = std::signbit(value) ? -half : half;
      ExpectAsOracle({{value, 1}, {away, 1}});
      ExpectAsOracle({{value, 1}, {away, 1}, {kTiny, 0.5}});
      ExpectAsOracle({{value, 1}, {away, 1}, {-kTiny, 0.5}});
    }
  }
}

TEST(ExactSumTest, Integers) {
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  ExactSum sum;
  sum.AddSigned(lowest);
  sum.AddUnsigned(std::numeric_limits<uint64_t>::max());
  sum.AddSigned(lowest);
  EXPECT_EQ(sum.Round(ElementType::kF64), EncodeFloat(ElementType::kF64, -1.0));
  sum.AddSigned(0);
  sum.Add(0x1p64);
  sum.Add(1.0);
  EXPECT_EQ(sum.Round(ElementType::kF64), EncodeFloat(ElementType::kF64, 0x1p64));
}

TEST(ExactSumTest, NonFiniteTerms) {
  const ElementType f64 = ElementType::kF64;
  const auto round = [&](const Products& products) { return SumOf(products).Round(f64); };
  EXPECT_EQ(round({{kInf, 1}, {-kMax, kMax}}), Infinity(f64));
  EXPECT_EQ(round({{-2, kInf}, {3, 1}}), Infinity(f64, true));
  EXPECT_TRUE(IsNan(f64, round({{kInf, 1}, {-kInf, 2}})));
  EXPECT_TRUE(IsNan(f64, round({{kInf, 0}, {1, 1}})));
  EXPECT_TRUE(IsNan(f64, round({{kNan, 1}, {kInf, 1}})));
  EXPECT_TRUE(IsNan(f64, round({{2, kNan}})));
}

TEST(ExactSumTest, ZeroIsNegativeOnlyIfEveryTermIs) {
  const ElementType f32 = ElementType::kF32;
  const uint64_t plus = 0, minus = 0x80000000;
  EXPECT_EQ(ExactSum().Round(f32), plus);
  EXPECT_EQ(SumOf({{-0.0, 1}}).Round(f32), minus);
  EXPECT_EQ(SumOf({{-0.0, 1}, {-0.0, 1}}).Round(f32), minus);
  EXPECT_EQ(SumOf({{-0.0, 2}, {0.0, -3}}).Round(f32), minus);
  EXPECT_EQ(SumOf({{-0.0, 1}, {0.0, 1}}).Round(f32), plus);
  EXPECT_EQ(SumOf({{-1, 1}, {1, 1}}).Round(f32), plus);
  EXPECT_EQ(SumOf({{-1, 1}, {1, 1}, {-0.0, 1}}).Round(f32), plus);
  EXPECT_EQ(SumOf({{-kTiny, kTiny}}).Round(f32), minus);  // a negative number, rounded
  EXPECT_EQ(SumOf({{-0.0, 1}}).Round(ElementType::kF8E4M3FNUZ), 0u);
}

TEST(ExactSumTest, MergeIsTheSumOfBoth) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    Products left(1 + random() % 5), right(1 + random() % 5);
    for (Products* side : {&left, &right}) {
      for (auto& [a, b] : *side) {
        a = RandomDouble(random, -300, 300);
        b = RandomDouble(random, -300, 300);
      }
    }
    ExactSum sum = SumOf(left);
    sum.Merge(SumOf(right));
    Products both = left;
    both.insert(both.end(), right.begin(), right.end());
    EXPECT_EQ(sum.Round(ElementType::kF64), RoundByOracle(ElementType::kF64, OracleSum(both)));
  }
  ExactSum negative = SumOf({{-0.0, 1}});
  negative.Merge(ExactSum());
  EXPECT_EQ(negative.Round(ElementType::kF32), 0x80000000u);
  negative.Merge(SumOf({{kInf, 1}}));
  EXPECT_EQ(negative.Round(ElementType::kF32), 0x7f800000u);
}

// One sum that is cleared, rounded in between, and gets terms below and above the ones before.
TEST(ExactSumTest, ClearedSumsBeginAnew) {
  std::mt19937_64 random(4);
  ExactSum sum;
  for (int round = 0; round < 300; ++round) {
    sum.Clear();
    EXPECT_EQ(sum.Round(ElementType::kF64), 0u);
    Products products;
    const int low = static_cast<int>(random() % 2000) - 1020;
    for (int i = 0; i < 6; ++i) {
      const int reach = low + (i % 3 == 2 ? static_cast<int>(random() % 300) : 0);
      products.push_back(
          {RandomDouble(random, low - 3, std::min(reach, 1023)), RandomDouble(random, -60, 20)});
      sum.AddProduct(products.back().first, products.back().second);
      const Mpfr expected = OracleSum(products);
      EXPECT_EQ(sum.Round(ElementType::kF64), RoundByOracle(ElementType::kF64, expected));
      bool negative = false;
      EXPECT_EQ(sum.Digits(negative).size(), ExactSum().Digits(negative).size());
      sum.Digits(negative);
      EXPECT_EQ(negative, mpfr_sgn(expected.get()) < 0);
    }
  }
}

// Each merge carries: the sign of a negative sum must not move up limb by limb.
TEST(ExactSumTest, ManyMergesOfBothSigns) {
  for (const double first : {-1.0, 1.0, -kTiny, -kMax}) {
    ExactSum sum = SumOf({{first, 1}});
    for (int i = 0; i < 1000; ++i) sum.Merge(SumOf({{-1, kTiny}}));
    sum.Add(-first);
    EXPECT_EQ(sum.Round(ElementType::kF64), 0x80000000000003e8u) << first;
    sum.Merge(SumOf({{1001, kTiny}}));
    EXPECT_EQ(sum.Round(ElementType::kF64), 1u) << first;
  }
}

uint64_t OracleProduct(ElementType type, const std::vector<double>& factors) {
  Mpfr product(70000, 1.0);
  for (double factor : factors) {
    EXPECT_EQ(mpfr_mul_d(product, product, factor, MPFR_RNDN), 0) << "not exact";
  }
  return RoundByOracle(type, product);
}

TEST(ExactProductTest, RandomFactors) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> factors(random() % (round < 180 ? 40 : 1000));
    for (double& factor : factors) factor = RandomDouble(random, round % 5 == 0 ? -40 : -1, 0);
    for (size_t i = 0; i < factors.size(); i += 2) factors[i] = 1 / factors[i];
    ExactProduct product;
    for (double factor : factors) product.Multiply(factor);
    for (ElementType type : FloatTypes()) {
      EXPECT_TRUE(product.Decided(type));
      EXPECT_TRUE(SameValue(type, product.Round(type), OracleProduct(type, factors)))
          << Name(type) << " " << factors.size();
    }
  }
}

TEST(ExactProductTest, IntermediateRangeAndMidpoints) {
  const ElementType f32 = ElementType::kF32, bf16 = ElementType::kBF16;
  const auto of = [](ElementType type, const std::vector<double>& factors) {
    ExactProduct product;
    for (double factor : factors) product.Multiply(factor);
    return product.Round(type);
  };
  EXPECT_EQ(of(f32, {kMax, kMax, 1 / kMax, 0x1p-1000, 0x1p-24}),
            OracleProduct(f32, {kMax, kMax, 1 / kMax, 0x1p-1000, 0x1p-24}));
  EXPECT_EQ(of(f32, {kTiny, kTiny, 0x1p1023, 0x1p1023, 0x1p102}), EncodeFloat(f32, 1.0));
  EXPECT_EQ(of(bf16, {257}), EncodeFloat(bf16, 256));    // a tie
  EXPECT_EQ(of(bf16, {7, 37}), EncodeFloat(bf16, 260));  // 259, a tie as well
  EXPECT_EQ(of(f32, {}), EncodeFloat(f32, 1.0));
  EXPECT_EQ(of(f32, {-0.0, 3}), 0x80000000u);
  EXPECT_EQ(of(f32, {-0.0, -3}), 0u);
  EXPECT_TRUE(IsNan(f32, of(f32, {0, kInf})));
  EXPECT_TRUE(IsNan(f32, of(f32, {kNan, 2})));
  EXPECT_EQ(of(f32, {-kInf, 2}), Infinity(f32, true));
}

}  // namespace
}  // namespace assay::evaluator::exact_sum_test
