// Rounding into f32 and f64, and of 64-bit integers into every float type, against the hardware and
// against exact integers (exact_float_model.h).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "spec/element/element.h"
#include "spec/element/exact_float_model.h"

namespace assay {
namespace {

using exact_model::Integer;
using exact_model::Model;
using exact_model::Number;
using Uint128 = unsigned __int128;

Integer ToInteger(Uint128 value) {
  return (Integer(static_cast<uint64_t>(value >> 64)) << 64) + static_cast<uint64_t>(value);
}

// The model's answer. A sticky number stands for one that lies a third of a unit higher.
uint64_t ModelRound(const Model& model, const Unrounded& value) {
  Integer significand = ToInteger(value.significand);
  Number number =
      exact_model::Dyadic(value.negative, value.sticky ? Integer(3 * significand + 1) : significand,
                          static_cast<int>(value.exponent));
  if (value.sticky) number.denominator *= 3;
  return exact_model::Round(model, number);
}

TEST(FloatRoundingTest, RandomNumbersIntoEveryType) {
  std::mt19937_64 random(1);
  for (const Model& model : exact_model::Models()) {
    SCOPED_TRACE(std::string(Name(model.type)));
    for (int i = 0; i < 20000; ++i) {
      Unrounded value;
      value.negative = random() % 2 != 0;
      const int width = 1 + static_cast<int>(random() % 128);
      value.significand = (static_cast<Uint128>(random()) << 64 | random()) >> (128 - width);
      value.significand |= static_cast<Uint128>(1) << (width - 1);
      if (i % 2 == 0) {  // few bits set: ties are likely
        value.significand = static_cast<Uint128>(1) << (width - 1);
        value.significand |= static_cast<Uint128>(1) << (random() % width);
        value.significand |= static_cast<Uint128>(1) << (random() % width);
      }
      value.sticky = width > model.mantissa_bits + 1 && random() % 2 != 0;
      // Over the whole range and a little beyond, or about the two ends.
      const int range = (1 << model.exponent_bits) + 2 * model.mantissa_bits + 12;
      const int top = static_cast<int>(random() % range) - range / 2;
      const int bottom = model.min_exponent() - model.mantissa_bits;
      value.exponent = (i % 5 == 0 ? bottom + static_cast<int>(random() % 4) - 2 : top) - width + 1;
      ASSERT_EQ(RoundToFloat(model.type, value), ModelRound(model, value))
          << i << " exponent " << value.exponent << " sticky " << value.sticky;
    }
  }
}

TEST(FloatRoundingTest, ExtremeExponentsOverflowNothing) {
  for (const Model& model : exact_model::Models()) {
    SCOPED_TRACE(std::string(Name(model.type)));
    const Uint128 ones = ~static_cast<Uint128>(0);
    EXPECT_EQ(RoundToFloat(model.type, {false, ones, int64_t{1} << 40, true}),
              exact_model::Overflowed(model, false));
    const uint64_t smallest = model.kind == exact_model::Kind::kFnu ? 0 : MinPositive(model.type);
    EXPECT_EQ(RoundToFloat(model.type, {false, ones, -(int64_t{1} << 40), true}), 0u);
    // All 128 bits below the smallest quantum: 2^128 - 1 units of 2^-128 round to one.
    const int quantum = model.min_exponent() - model.mantissa_bits;
    if (model.kind != exact_model::Kind::kFnu) {
      EXPECT_EQ(RoundToFloat(model.type, {false, ones, quantum - 128, true}), smallest);
      EXPECT_EQ(RoundToFloat(model.type, {false, ones, quantum - 129, true}), 0u);
      EXPECT_EQ(RoundToFloat(model.type, {false, Uint128{1} << 127, quantum - 128, false}), 0u);
      EXPECT_EQ(RoundToFloat(model.type, {false, Uint128{1} << 127, quantum - 128, true}),
                smallest);
    }
  }
}

TEST(FloatRoundingTest, DoublesIntoF32AsTheHardwareDoes) {
  std::mt19937_64 random(2);
  const Model& f32 = exact_model::ModelOf(ElementType::kF32);
  const Model& f64 = exact_model::ModelOf(ElementType::kF64);
  for (int i = 0; i < 200000; ++i) {
    // Near f32's own values and midpoints, subnormals included.
    const auto bits = static_cast<uint32_t>(random());
    double x = std::bit_cast<float>(bits);
    if (!std::isfinite(x)) continue;
    const double up = std::nextafter(std::bit_cast<float>(bits), INFINITY);
    if (i % 2 == 0 && std::isfinite(up)) x += (up - x) / 2;
    if (i % 3 == 0) x = std::nextafter(x, i % 4 < 2 ? INFINITY : -INFINITY);
    const uint64_t expected = std::bit_cast<uint32_t>(static_cast<float>(x));
    ASSERT_EQ(EncodeFloat(ElementType::kF32, x), expected) << x;
    const Number exact = exact_model::Decode(f64, std::bit_cast<uint64_t>(x));
    if (i % 10 == 0) {
      ASSERT_EQ(exact_model::Round(f32, exact), expected) << x;
    }
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);
    const Unrounded unrounded = {std::signbit(x), static_cast<Uint128>(std::ldexp(fraction, 53)),
                                 exponent - 53, false};
    ASSERT_EQ(RoundToFloat(ElementType::kF32, unrounded), expected) << x;
  }
}

TEST(FloatRoundingTest, WidePatternsKeepEveryBit) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random();
    const double x = DecodeFloat(ElementType::kF64, bits);
    ASSERT_EQ(std::bit_cast<uint64_t>(x), bits);
    const bool nan = std::isnan(x);
    ASSERT_EQ(EncodeFloat(ElementType::kF64, x),
              nan ? 0x7ff8000000000000u | (bits >> 63 << 63) : bits);
    const auto narrow = static_cast<uint32_t>(bits);
    const double y = DecodeFloat(ElementType::kF32, narrow);
    if (!std::isnan(y)) {
      ASSERT_EQ(EncodeFloat(ElementType::kF32, y), narrow);
    }
  }
}

void ExpectSigned(const Model& model, int64_t value) {
  const Number exact =
      exact_model::Dyadic(value < 0, value < 0 ? -Integer(value) : Integer(value), 0);
  ASSERT_EQ(EncodeFloatFromSigned(model.type, value), exact_model::Round(model, exact)) << value;
}

void ExpectUnsigned(const Model& model, uint64_t value) {
  ASSERT_EQ(EncodeFloatFromUnsigned(model.type, value),
            exact_model::Round(model, exact_model::Dyadic(false, value, 0)))
      << value;
}

// Integers next to every tie: a leading bit, the last bit kept, the tie bit, and a last one far
// down, which a way through double or f32 would lose.
TEST(FloatRoundingTest, IntegersRoundOnce) {
  for (const Model& model : exact_model::Models()) {
    SCOPED_TRACE(std::string(Name(model.type)));
    for (int top = 0; top < 64; ++top) {
      for (int next = 0; next <= top; ++next) {
        const uint64_t base = (uint64_t{1} << top) | (uint64_t{1} << next);
        const uint64_t tie_place =
            top > model.mantissa_bits ? uint64_t{1} << (top - model.mantissa_bits - 1) : 0;
        for (const uint64_t near : {base, base | tie_place, base | tie_place << 1}) {
          for (const uint64_t value : {near, near - 1, near + 1}) {
            ExpectUnsigned(model, value);
            ExpectSigned(model, static_cast<int64_t>(value));
            ExpectSigned(model, -static_cast<int64_t>(value & ~(uint64_t{1} << 63)));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
    for (const int64_t value : {INT64_MIN, INT64_MIN + 1, INT64_MAX, int64_t{0}, int64_t{-1}}) {
      ExpectSigned(model, value);
    }
    ExpectUnsigned(model, UINT64_MAX);
  }
}

// Examples of reference 6.13 and 8.12, each rounded twice by some implementation.
TEST(FloatRoundingTest, PublishedDoubleRoundingTraps) {
  EXPECT_EQ(EncodeFloatFromSigned(ElementType::kBF16, 16842753), 0x4b81u);
  EXPECT_EQ(EncodeFloatFromSigned(ElementType::kF8E5M2, 2305), 0x69u);
  EXPECT_EQ(EncodeFloat(ElementType::kF16, 1 + 0x1p-11 + 0x1p-40), 0x3c01u);
  EXPECT_EQ(EncodeFloat(ElementType::kBF16, 1 + 0x1p-8 + 0x1p-40), 0x3f81u);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E4M3FN, 1 + 0x1p-4 + 0x1p-20), 0x39u);
  EXPECT_EQ(EncodeFloat(ElementType::kF4E2M1FN, 0.25 + 0x1p-20), 0x1u);
  EXPECT_EQ(EncodeFloatFromSigned(ElementType::kF32, 9007199791611905), 0x5a000001u);
  EXPECT_EQ(EncodeFloat(ElementType::kF32, std::bit_cast<double>(0x3ff0000010000001)), 0x3f800001u);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E4M3FN, 464.00003f), 0x7fu);
}

}  // namespace
}  // namespace assay
