// Products of complex numbers against integers of any length (exact_gaussian.h).
#include "evaluator/real/complex_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "evaluator/real/complex_exact.h"
#include "evaluator/real/exact_gaussian.h"
#include "runtime/float_environment.h"

namespace assay::evaluator::complex_product_test {
namespace {

using Factor = exact_gaussian::Number;
constexpr ElementType kF32 = ElementType::kF32, kF64 = ElementType::kF64;

Element Expected(ElementType part, const std::vector<Factor>& factors) {
  return exact_gaussian::RoundedProduct(part, factors);
}

std::vector<double> Pairs(const std::vector<Factor>& factors, int64_t stride) {
  std::vector<double> pairs(factors.size() * stride, NAN);
  for (size_t i = 0; i < factors.size(); ++i) {
    pairs[i * stride] = factors[i].re;
    pairs[i * stride + 1] = factors[i].im;
  }
  return pairs;
}

RoundedComplex Rounded(ElementType part, const std::vector<Factor>& factors, int64_t stride = 2) {
  const std::vector<double> pairs = Pairs(factors, stride);
  return RoundedComplexProduct(part, pairs.data(), pairs.data() + stride, stride,
                               static_cast<int64_t>(factors.size()) - 1);
}

RoundedComplex ByLongIntegers(ElementType part, const std::vector<Factor>& factors) {
  real::ExactComplexProduct product(part);
  for (const Factor& factor : factors) product.Multiply(factor.re, factor.im);
  return product.Round();
}

void ExpectProduct(ElementType part, const std::vector<Factor>& factors, const Element& expected) {
  for (const RoundedComplex& got :
       {Rounded(part, factors), Rounded(part, factors, 5), ByLongIntegers(part, factors)}) {
    ASSERT_FALSE(got.undecided);
    if (got.value == expected) continue;
    std::string text;
    for (const Factor& factor : factors) {
      text += std::to_string(factor.re) + "+" + std::to_string(factor.im) + "i ";
    }
    FAIL() << Name(part) << " of " << factors.size() << " factors: ("
           << DecodeFloat(part, got.value.bits) << ", " << DecodeFloat(part, got.value.imag)
           << "), exact (" << DecodeFloat(part, expected.bits) << ", "
           << DecodeFloat(part, expected.imag) << "): " << text;
  }
}

Factor Narrow(ElementType part, Factor factor) {
  return {DecodeFloat(part, EncodeFloat(part, factor.re)),
          DecodeFloat(part, EncodeFloat(part, factor.im))};
}

TEST(ComplexProduct, NothingOverflowsOnTheWay) {
  const runtime::FloatEnvironmentGuard guard;
  std::vector<Factor> factors;
  for (const double x : {1e30, 1e30, 1e-30, 1e-30}) factors.push_back(Narrow(kF32, {x, 0}));
  ExpectProduct(kF32, factors, {EncodeFloat(kF32, 1.0), EncodeFloat(kF32, 0.0)});
  factors = {{0, 0x1p1000}, {0, 0x1p1000}, {0x1p-1000, 0}, {0x1p-1000, 0x1p-1074}};
  ExpectProduct(kF64, factors, {EncodeFloat(kF64, -1.0), EncodeFloat(kF64, -0x1p-74)});
}

// Every product of up to four of these.
TEST(ComplexProduct, BoundedExhaustive) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType part : {kF32, kF64}) {
    const double least = part == kF32 ? 0x1p-149 : 0x1p-1074;
    const double most = DecodeFloat(part, MaxFinite(part));
    const double ulp = part == kF32 ? 0x1p-23 : 0x1p-52;
    const std::vector<Factor> world = {{0, 0},         {-0.0, 1},  {1, -0.0},      {-1, 0},
                                       {1, 1},         {3, -4},    {0.5, 0},       {1 + ulp, 1},
                                       {1 - ulp, ulp}, {least, 0}, {least, least}, {most, -most},
                                       {0, most},      {1, least}, {5 * ulp, most}};
    const auto n = static_cast<int64_t>(world.size());
    int64_t checked = 0;
    for (int64_t count = 1, all = n; count <= 4; ++count, all *= n) {
      for (int64_t which = 0; which < all; ++which) {
        if (count == 4 && which % 7 != 0) continue;
        std::vector<Factor> factors;
        for (int64_t rest = which, k = 0; k < count; ++k, rest /= n) {
          factors.push_back(world[rest % n]);
        }
        ExpectProduct(part, factors, Expected(part, factors));
        if (HasFailure()) return;
        ++checked;
      }
    }
    EXPECT_GT(checked, 10000);
  }
}

TEST(ComplexProduct, RandomFactorsOfEveryMagnitude) {
  const runtime::FloatEnvironmentGuard guard;
  std::mt19937_64 random(20261122);
  const auto draw = [&](ElementType part, int reach) {
    const auto value = [&] {
      const int exponent = static_cast<int>(random() % (2 * reach + 1)) - reach;
      const double x = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 + 0.5, exponent);
      const double signed_x = random() % 2 == 0 ? x : -x;
      return random() % 16 == 0 ? 0.0 : signed_x;
    };
    return Narrow(part, {value(), value()});
  };
  for (const ElementType part : {kF32, kF64}) {
    for (const int reach : {0, 2, 20, part == kF32 ? 120 : 900}) {
      for (const int count : {2, 3, 9, 40, 200}) {
        for (int round = 0; round < (count > 40 ? 4 : 40); ++round) {
          std::vector<Factor> factors;
          for (int k = 0; k < count; ++k) factors.push_back(draw(part, reach));
          const Element expected = Expected(part, factors);
          // Long products of wide numbers are cut, but nothing near a tie is met at random.
          ExpectProduct(part, factors, expected);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// A product and its conjugates are real: the imaginary part is an exact zero, the real one is a
// tie or next to one.
TEST(ComplexProduct, ZerosAndTiesThatCancel) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType part : {kF32, kF64}) {
    for (int count = 1; count < 60; ++count) {
      std::vector<Factor> factors;
      for (int k = 0; k < count; ++k) {
        factors.push_back({3.0 + k % 5, 4.0 - k % 3});
        factors.push_back({3.0 + k % 5, -(4.0 - k % 3)});
      }
      ExpectProduct(part, factors, Expected(part, factors));
      // 2^-60 (1 + i) (1 - i) beside a one at the last place of a tie.
      factors = {{1, 0x1p-12}, {1, 0x1p-12}, {std::ldexp(1.0, count), 0}};
      ExpectProduct(part, factors, Expected(part, factors));
      if (HasFailure()) return;
    }
  }
}

// The powers of two of (1 + i)^n cost no bits, however many there are.
TEST(ComplexProduct, LongProductsOfUnits) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType part : {kF32, kF64}) {
    std::vector<Factor> factors(5000, Factor{0.5, 0.5});
    factors.insert(factors.end(), 5000, Factor{1, -1});
    const RoundedComplex got = Rounded(part, factors);
    EXPECT_FALSE(got.undecided);
    EXPECT_EQ(got.value, (Element{EncodeFloat(part, 1.0), EncodeFloat(part, 0.0)}));
  }
}

// Parts of like size: bounds of each part alone would grow by the root of two a factor. Exact
// values by integer powers in Python.
TEST(ComplexProduct, LongProductsOffTheAxes) {
  const runtime::FloatEnvironmentGuard guard;
  const auto power = [](ElementType part, Factor factor, size_t n) {
    return Rounded(part, std::vector<Factor>(n, factor));
  };
  const auto is = [](ElementType part, double re, double im) {
    return Element{EncodeFloat(part, re), EncodeFloat(part, im)};
  };
  const RoundedComplex turned = power(kF64, {0.6, 0.8}, 11000);
  EXPECT_FALSE(turned.undecided);
  EXPECT_EQ(turned.value, is(kF64, -0x1.c0598121bec03p-1, 0x1.ee79d6ccdf4bcp-2));
  const RoundedComplex near_one = power(kF64, {0.7071067811865476, 0.7071067811865475}, 9000);
  EXPECT_FALSE(near_one.undecided);
  EXPECT_EQ(near_one.value, is(kF64, 0x1.ffffffffffcc9p-1, -0x1.8dbf6061b45f4p-41));
  // The imaginary part is zero, which is no longer known.
  const double narrow = static_cast<double>(0.70710678F);
  EXPECT_EQ(power(kF32, {narrow, narrow}, 20000).value, is(kF32, 0.9996577731493276, 0));
}

// 25^n has more than 4096 bits: that the imaginary part is zero is no longer known.
TEST(ComplexProduct, WhatIsCutOffKeepsItsEnclosure) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType part : {kF32, kF64}) {
    std::vector<Factor> factors(1500, Factor{0.75, 1});
    factors.insert(factors.end(), 1500, Factor{0.75, -1});
    const double size = std::ldexp(1.0, -60);  // 25 / 16 is about 2^0.64
    for (int k = 0; k < 16; ++k) factors.push_back({size, 0});
    const RoundedComplex got = Rounded(part, factors);
    EXPECT_TRUE(got.undecided);
    EXPECT_EQ(got.value.imag, EncodeFloat(part, 0.0));
    EXPECT_EQ(got.low.imag, EncodeFloat(part, -0.0));
    EXPECT_EQ(got.high.imag, EncodeFloat(part, 0.0));
    EXPECT_EQ(got.low.bits, got.high.bits);
    EXPECT_EQ(got.value.bits, Expected(part, factors).bits);
    const RoundedComplex slow = ByLongIntegers(part, factors);
    EXPECT_TRUE(slow.undecided);
    EXPECT_EQ(slow.value, got.value);
  }
}

// Real and imaginary factors alone: the other part is known to be zero, however long the product.
TEST(ComplexProduct, LongProductsOnTheAxes) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType part : {kF32, kF64}) {
    std::vector<Factor> factors(1000, Factor{0, 0.75});
    factors.insert(factors.end(), 1000, Factor{4.0 / 3, 0});
    for (Factor& factor : factors) factor = Narrow(part, factor);
    const RoundedComplex got = ByLongIntegers(part, factors);
    EXPECT_FALSE(got.undecided);
    EXPECT_EQ(got.value, Rounded(part, factors).value);
    EXPECT_EQ(got.value.imag, EncodeFloat(part, 0.0));
    EXPECT_EQ(got.value.bits, Expected(part, factors).bits);
  }
}

TEST(ComplexProduct, InfinitiesGoInTheWrittenOrder) {
  const runtime::FloatEnvironmentGuard guard;
  const std::vector<Factor> world = {{1, 2},        {INFINITY, 0}, {0, -INFINITY}, {NAN, 1},
                                     {-0.0, 1e-30}, {1e30, 1e30},  {0, 0}};
  const auto n = static_cast<int64_t>(world.size());
  for (const ElementType part : {kF32, kF64}) {
    for (int64_t which = 0; which < n * n * n * n; ++which) {
      std::vector<Factor> factors;
      for (int64_t rest = which, k = 0; k < 4; ++k, rest /= n) {
        factors.push_back(Narrow(part, world[rest % n]));
      }
      const bool finite = std::all_of(factors.begin(), factors.end(), [](const Factor& f) {
        return std::isfinite(f.re) && std::isfinite(f.im);
      });
      Element expected;
      if (finite) {
        expected = Expected(part, factors);
      } else {
        Factor so_far = factors[0];
        real::PartPatterns product{};
        for (size_t k = 1; k < factors.size(); ++k) {
          product = real::ComplexProduct(part, so_far.re, so_far.im, factors[k].re, factors[k].im);
          so_far = {DecodeFloat(part, product.real), DecodeFloat(part, product.imag)};
        }
        expected = {product.real, product.imag};
      }
      ExpectProduct(part, factors, expected);
      if (HasFailure()) return;
    }
  }
}

// Rounded after every factor, as scans ask.
TEST(ComplexProduct, Prefixes) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType part : {kF32, kF64}) {
    std::vector<Factor> factors;
    for (int k = 0; k < 300; ++k) {
      factors.push_back(k % 7 == 3 ? Factor{1, -1} : Factor{0.5 + k % 5, (k % 3) - 1.0});
    }
    const std::vector<double> pairs = Pairs(factors, 2);
    ComplexProduct product(part, pairs[0], pairs[1]);
    for (int64_t n = 1; n < 300; ++n) {
      product.Multiply(pairs.data() + 2 * n, 2, 1);
      const auto got =
          product.Round([&](int64_t first, int64_t count, ComplexProduct::Visit visit) {
            visit(pairs.data() + 2 * (1 + first), 2, count);
            return absl::OkStatus();
          });
      ASSERT_TRUE(got.ok());
      const std::vector<Factor> prefix(factors.begin(), factors.begin() + n + 1);
      ASSERT_EQ(got->value, Expected(part, prefix)) << n;
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::complex_product_test
