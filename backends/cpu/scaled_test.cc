#include "backends/cpu/scaled.h"

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace assay::cpu {
namespace {

// 200 bits, and exponents far beyond those of the test.
using Exact = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    200, boost::multiprecision::digit_base_2, void, std::int32_t, -100'000'000, 100'000'000>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::bit_cast<double>(uint64_t{0xFFF8'0000'DEAD'BEEF});
const std::vector<double>& Numbers() {
  static const std::vector<double> numbers = {0.0,
                                              -0.0,
                                              1.0,
                                              -1.0,
                                              2.0,
                                              0x1.fffffffffffffp0,
                                              -0x1.8p1,
                                              0x1p-1022,
                                              -0x1p-1074,
                                              0x1.fffffffffffffp-1023,
                                              0x1.fffffffffffffp1023,
                                              -0x1p1023,
                                              0x1.23456789abcdep-1050,
                                              kInfinity,
                                              -kInfinity,
                                              kNan};
  return numbers;
}

double Product(const std::vector<double>& factors) {
  std::vector<double> room(2);  // a scaled number
  std::vector<double> next(2);
  const ScaledFunctions& scaled = ScaledFunctionsOf(ElementType::kF64);
  const auto bytes = [](double* data) { return reinterpret_cast<std::byte*>(data); };
  std::vector<double> all = factors;
  scaled.widen(bytes(all.data()), 1, bytes(room.data()));
  for (size_t i = 1; i < all.size(); ++i) {
    scaled.widen(bytes(&all[i]), 1, bytes(next.data()));
    scaled.multiply(bytes(room.data()), bytes(next.data()), 1);
  }
  double result;
  scaled.narrow(bytes(room.data()), 1, bytes(&result));
  return result;
}

TEST(ScaledTest, EveryNumberComesBackWithItsBits) {
  for (const double x : Numbers()) {
    EXPECT_EQ(std::bit_cast<uint64_t>(static_cast<double>(ScaledReal(x))),
              std::bit_cast<uint64_t>(x))
        << x;
  }
}

TEST(ScaledTest, ProductsOfTwoAreThoseOfF64) {
  for (const double x : Numbers()) {
    for (const double y : Numbers()) {
      const double product = Product({x, y});
      if (std::isnan(x * y)) {
        EXPECT_TRUE(std::isnan(product)) << x << " " << y;
        continue;
      }
      // Denormal products are rounded twice.
      const double least = std::fabs(x * y) < 0x1p-1022 ? 0x1p-1074 : 0.0;
      EXPECT_TRUE(product == x * y || std::fabs(product - x * y) <= least) << x << " " << y;
      EXPECT_EQ(std::signbit(product), std::signbit(x * y)) << x << " " << y;
    }
  }
}

TEST(ScaledTest, NoOrderOfFactorsLeavesTheRange) {
  EXPECT_EQ(Product(std::vector<double>(200, 0x1p1000)), kInfinity);
  std::vector<double> factors(200, 0x1p1000);
  factors.insert(factors.end(), 200, 0x1p-1000);
  factors.push_back(3);
  EXPECT_EQ(Product(factors), 3);
  EXPECT_EQ(Product({0x1p-1074, 0x1p-1074, 0x1p1023, 0x1p1023, 0x1p102}), 1);
  EXPECT_EQ(Product({0x1p1000, 0x1p1000, 0.0}), 0);
}

TEST(ScaledTest, LongProductsHaveTheErrorsOfTheirFactors) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 300; ++run) {
    std::vector<double> factors;
    Exact exact = 1;
    int64_t sum = 0;
    for (int i = 0; i < 300; ++i) {
      // The exponents add up to about zero.
      const int64_t wanted = i == 299 ? -sum : static_cast<int64_t>(random() % 2000) - 1000;
      const int exponent = static_cast<int>(std::clamp<int64_t>(wanted, -1000, 1000));
      sum += exponent;
      const double significand = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
      factors.push_back(std::ldexp(random() % 2 == 0 ? significand : -significand, exponent));
      exact *= factors.back();
    }
    const double product = Product(factors);
    const auto wanted = static_cast<double>(exact);
    if (!std::isfinite(wanted) || std::fabs(wanted) < 0x1p-1022) {
      EXPECT_EQ(std::isfinite(product), std::isfinite(wanted));
      continue;
    }
    EXPECT_LE(std::fabs(product / wanted - 1), 300 * 0x1p-53) << run;
  }
}

TEST(ScaledTest, RowsAreProductsOfTheirElements) {
  std::mt19937_64 random(3);
  for (int n = 1; n < 200; ++n) {
    std::vector<double> row;
    for (int i = 0; i < n; ++i) {
      // Powers of two have no error. Some are denormal.
      row.push_back(
          std::ldexp(random() % 3 == 0 ? -1.0 : 1.0, static_cast<int>(random() % 2000) - 1050));
    }
    if (n % 5 == 0) row[random() % n] = Numbers()[random() % Numbers().size()];
    ScaledReal expected(1.0), product;
    for (const double x : row) expected = expected * ScaledReal(x);
    FoldScaledRow(reinterpret_cast<const std::byte*>(row.data()), n,
                  reinterpret_cast<std::byte*>(&product));
    const double a(expected), b(product);
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << n << ": " << a << " " << b;
    EXPECT_TRUE(std::isnan(a) || std::signbit(a) == std::signbit(b)) << n;
    if (std::isfinite(a) && a != 0) {
      EXPECT_EQ(expected.exponent, product.exponent) << n;
    }
  }
}

struct Parts {
  double re, im;
};
Parts ComplexProduct(std::vector<Parts> factors) {
  const ScaledFunctions& scaled = ScaledFunctionsOf(ElementType::kC128);
  std::vector<std::byte> wide(factors.size() * scaled.bytes);
  scaled.widen(reinterpret_cast<const std::byte*>(factors.data()),
               static_cast<int64_t>(factors.size()), wide.data());
  for (size_t i = 1; i < factors.size(); ++i) {
    scaled.multiply(wide.data(), wide.data() + i * scaled.bytes, 1);
  }
  Parts result;
  scaled.narrow(wide.data(), 1, reinterpret_cast<std::byte*>(&result));
  return result;
}

TEST(ScaledTest, ComplexProductsAreExactInTheMiddle) {
  // (1 + i)^2 = 2 i, through numbers whose product no order keeps in the range.
  const Parts product = ComplexProduct(
      {{1, 1}, {0x1p1000, 0}, {0x1p1000, 0}, {1, 1}, {0, 0x1p-1000}, {0x1p-1000, 0}});
  EXPECT_EQ(product.re, -2);
  EXPECT_EQ(product.im, 0);
  // Parts of very different size keep both.
  const Parts far = ComplexProduct({{0x1p1000, 0x1p-1000}, {0x1p1000, 0}, {0x1p-1000, 0}});
  EXPECT_EQ(far.re, 0x1p1000);
  EXPECT_EQ(far.im, 0x1p-1000);
}

TEST(ScaledTest, ComplexProductsHaveTheErrorsOfTheirFactors) {
  std::mt19937_64 random(2);
  for (int run = 0; run < 300; ++run) {
    std::vector<Parts> factors;
    Exact re = 1, im = 0;
    for (int i = 0; i < 100; ++i) {
      const int exponent = i % 2 == 0 ? 900 : -900;
      const auto part = [&] {
        return std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1,
                          exponent - static_cast<int>(random() % 60));
      };
      const double x = part();
      const double y = part();
      factors.push_back({x, y});
      const Exact next = re * x - im * y;
      im = re * y + im * x;
      re = next;
    }
    const Exact modulus = sqrt(re * re + im * im);
    if (modulus > Exact(0x1p1000) || modulus < Exact(0x1p-900)) continue;
    const Parts product = ComplexProduct(factors);
    const Exact error =
        sqrt((re - product.re) * (re - product.re) + (im - product.im) * (im - product.im));
    EXPECT_LE(static_cast<double>(error / modulus), 100 * 4 * 0x1p-53) << run;
  }
}

TEST(ScaledTest, ComplexProductsWithoutNumbersAreThoseOfTheirParts) {
  for (const double x : {kInfinity, -kInfinity, kNan}) {
    for (const double y : Numbers()) {
      for (const double z : Numbers()) {
        const Parts product = ComplexProduct({{x, y}, {z, 2}});
        const double re = x * z - y * 2, im = x * 2 + y * z;
        EXPECT_EQ(std::isnan(product.re), std::isnan(re)) << x << " " << y << " " << z;
        EXPECT_EQ(std::isnan(product.im), std::isnan(im)) << x << " " << y << " " << z;
        if (std::isinf(re)) {
          EXPECT_EQ(product.re, re);
        }
        if (std::isinf(im)) {
          EXPECT_EQ(product.im, im);
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::cpu
