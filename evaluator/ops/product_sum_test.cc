#include "evaluator/ops/product_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::evaluator {
namespace {

using Pairs = std::vector<std::pair<Element, Element>>;

Element Sum(ElementType lhs, ElementType rhs, ElementType result, const Pairs& pairs) {
  ProductSum sum(lhs, rhs, result);
  for (const auto& [a, b] : pairs) sum.Add(a, b);
  return sum.Result();
}

Element F(ElementType type, double value) { return {EncodeFloat(type, value)}; }

TEST(ProductSum, NoTermsGiveZero) {
  for (ElementType type : kArrayTypes) {
    if (type == ElementType::kF8E8M0FNU) continue;  // has no zero
    EXPECT_EQ(Sum(type, type, type, {}), Element{}) << Name(type);
  }
}

TEST(ProductSum, RoundsOnce) {
  constexpr ElementType kF32 = ElementType::kF32, kF64 = ElementType::kF64,
                        kBF16 = ElementType::kBF16;
  // 1 + 2^-8 + 2^-60 is above the midpoint of bf16; by way of f32 it would be on it.
  EXPECT_EQ(Sum(kF32, kF32, kBF16,
                {{F(kF32, 1), F(kF32, 1)},
                 {F(kF32, 0x1p-8), F(kF32, 1)},
                 {F(kF32, 0x1p-30), F(kF32, 0x1p-30)}}),
            F(kBF16, 1 + 0x1p-7));
  // The exact product of two doubles minus its rounded value.
  const double x = 1 + 0x1p-30;
  EXPECT_EQ(Sum(kF64, kF64, kF64, {{F(kF64, x), F(kF64, x)}, {F(kF64, -1), F(kF64, x * x)}}),
            F(kF64, 0x1p-60));
  // No overflow on the way.
  EXPECT_EQ(
      Sum(kF64, kF64, kF64, {{F(kF64, 1e300), F(kF64, 1e300)}, {F(kF64, -1e300), F(kF64, 1e300)}}),
      F(kF64, 0));
}

TEST(ProductSum, IntegersWrapAndExtendBySign) {
  constexpr ElementType kS8 = ElementType::kS8, kU8 = ElementType::kU8, kS64 = ElementType::kS64,
                        kU64 = ElementType::kU64;
  EXPECT_EQ(Sum(kU8, kS8, kS64, {{{200}, {0xff}}}).bits, static_cast<uint64_t>(-200));
  EXPECT_EQ(Sum(kS64, kS64, kS64, {{{uint64_t{1} << 63}, {2}}, {{3}, {5}}}).bits, 15u);
  EXPECT_EQ(Sum(kU64, kU64, kU8, {{{0x1ff}, {0x1ff}}}).bits, 1u);
}

TEST(ProductSum, ComplexComponentsAreExact) {
  constexpr ElementType kC64 = ElementType::kC64;
  auto c = [](double re, double im) {
    return Element{EncodeFloat(ElementType::kF32, re), EncodeFloat(ElementType::kF32, im)};
  };
  EXPECT_EQ(Sum(kC64, kC64, kC64, {{c(1, 2), c(3, -1)}, {c(0, 1), c(0, 1)}}), c(4, 5));
  // (x + i)(x + i) with x^2 - 1 = 2^-22 + 2^-46: a rounded x^2 would lose the last bit.
  const double x = 1 + 0x1p-23;
  EXPECT_EQ(Sum(kC64, kC64, kC64, {{c(x, 1), c(x, 1)}}), c(0x1p-22 + 0x1p-46, 2 * x));
}

// Factors of another class become the result's type (reference 7.2, "class mixes").
TEST(ProductSum, ClassMixes) {
  using T = ElementType;
  const auto integer = [](T type, int64_t value) {
    return Element{EncodeInteger(type, static_cast<uint64_t>(value))};
  };
  EXPECT_EQ(Sum(T::kF32, T::kS32, T::kF32, {{F(T::kF32, 0.5), integer(T::kS32, 3)}}),
            F(T::kF32, 1.5));
  // 2^24 + 1 is no f32.
  EXPECT_EQ(Sum(T::kS32, T::kS32, T::kF32,
                {{integer(T::kS32, (1 << 24) + 1), integer(T::kS32, 1)},
                 {integer(T::kS32, -(1 << 24)), integer(T::kS32, 1)}}),
            F(T::kF32, 0));
  EXPECT_EQ(Sum(T::kF32, T::kF32, T::kS32,
                {{F(T::kF32, 2.9), F(T::kF32, 3.9)}, {F(T::kF32, -1.5), F(T::kF32, 1)}}),
            integer(T::kS32, 5));
  EXPECT_EQ(Sum(T::kPred, T::kPred, T::kS32, {{{1}, {1}}, {{1}, {1}}, {{1}, {0}}}),
            integer(T::kS32, 2));
  EXPECT_EQ(Sum(T::kS8, T::kF32, T::kPred, {{integer(T::kS8, 4), F(T::kF32, 0)}}), Element{0});
  EXPECT_EQ(Sum(T::kS8, T::kF32, T::kPred, {{integer(T::kS8, 4), F(T::kF32, 0.5)}}), Element{1});
  const Element i_times = {EncodeFloat(T::kF32, 0), EncodeFloat(T::kF32, 1)};
  EXPECT_EQ(Sum(T::kC64, T::kF32, T::kC64, {{i_times, F(T::kF32, 2)}}),
            (Element{EncodeFloat(T::kF32, 0), EncodeFloat(T::kF32, 2)}));
}

}  // namespace
}  // namespace assay::evaluator
