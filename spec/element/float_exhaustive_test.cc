// Every pattern of every float type of at most 16 bits, and every midpoint between neighbours,
// against exact integers computed from the rules of the reference (exact_float_model.h).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "spec/element/element.h"
#include "spec/element/exact_float_model.h"

namespace assay {
namespace {

using exact_model::Integer;
using exact_model::Model;
using exact_model::Number;

std::vector<Model> NarrowModels() {
  std::vector<Model> narrow;
  for (const Model& model : exact_model::Models()) {
    if (model.bits() <= 16) narrow.push_back(model);
  }
  return narrow;
}

class NarrowFloatTest : public testing::TestWithParam<Model> {
 protected:
  const Model& model() const { return GetParam(); }
  ElementType type() const { return model().type; }
  uint64_t codes() const { return uint64_t{1} << model().bits(); }
};

// A double as a number of the model, from its own encoding.
Number FromDouble(double value) {
  return exact_model::Decode(exact_model::ModelOf(ElementType::kF64),
                             std::bit_cast<uint64_t>(value));
}

bool Equal(const Number& a, const Number& b) {
  return a.cls == b.cls && a.negative == b.negative &&
         (a.cls != Number::kFinite || a.numerator * b.denominator == b.numerator * a.denominator);
}

TEST_P(NarrowFloatTest, DecodesExactly) {
  std::vector<std::byte> storage(codes() * Info(type()).storage_bytes);
  for (uint64_t bits = 0; bits < codes(); ++bits)
    StoreElement(type(), {bits}, storage.data(), bits);
  std::vector<double> block(codes());
  DecodeFloats(type(), storage.data(), static_cast<int64_t>(codes()), block.data());
  for (uint64_t bits = 0; bits < codes(); ++bits) {
    const Number expected = exact_model::Decode(model(), bits);
    ASSERT_TRUE(Equal(FromDouble(DecodeFloat(type(), bits)), expected)) << std::hex << bits;
    ASSERT_TRUE(Equal(FromDouble(block[bits]), expected)) << std::hex << bits;
  }
}

TEST_P(NarrowFloatTest, EncodesItsOwnValues) {
  std::vector<double> values;
  for (uint64_t bits = 0; bits < codes(); ++bits) values.push_back(DecodeFloat(type(), bits));
  std::vector<std::byte> storage(codes() * Info(type()).storage_bytes);
  EncodeFloats(type(), values.data(), static_cast<int64_t>(codes()), storage.data());
  for (uint64_t bits = 0; bits < codes(); ++bits) {
    const uint64_t expected = exact_model::Round(model(), exact_model::Decode(model(), bits));
    if (!IsNan(type(), bits)) {
      ASSERT_EQ(expected, bits);
    }
    ASSERT_EQ(EncodeFloat(type(), values[bits]), expected) << std::hex << bits;
    ASSERT_EQ(LoadElement(type(), storage.data(), static_cast<int64_t>(bits)).bits, expected);
  }
}

TEST_P(NarrowFloatTest, Classifies) {
  for (uint64_t bits = 0; bits < codes(); ++bits) {
    const Number value = exact_model::Decode(model(), bits);
    const bool finite = value.cls == Number::kFinite;
    ASSERT_EQ(IsNan(type(), bits), value.cls == Number::kNan) << std::hex << bits;
    ASSERT_EQ(IsInfinity(type(), bits), value.cls == Number::kInfinite) << std::hex << bits;
    ASSERT_EQ(IsZero(type(), bits), finite && value.numerator == 0) << std::hex << bits;
    ASSERT_EQ(IsNegative(type(), bits), value.negative) << std::hex << bits;
    // Below 2^min_exponent and not zero.
    const Number bound = exact_model::Dyadic(false, 1, model().min_exponent());
    const bool subnormal =
        finite && model().kind != exact_model::Kind::kFnu && value.numerator != 0 &&
        value.numerator * bound.denominator < bound.numerator * value.denominator;
    ASSERT_EQ(IsSubnormal(type(), bits), subnormal) << std::hex << bits;
  }
}

// Ordinals follow the values: sorted by value, each differs from the one before by one.
TEST_P(NarrowFloatTest, OrdinalsCountValues) {
  std::vector<std::pair<double, uint64_t>> values;
  for (uint64_t bits = 0; bits < codes(); ++bits) {
    if (!IsNan(type(), bits)) values.emplace_back(DecodeFloat(type(), bits), bits);
  }
  std::sort(values.begin(), values.end());
  for (size_t i = 1; i < values.size(); ++i) {
    const int64_t step =
        FloatOrdinal(type(), values[i].second) - FloatOrdinal(type(), values[i - 1].second);
    ASSERT_EQ(step, values[i].first == values[i - 1].first ? 0 : 1) << std::hex << values[i].second;
  }
  const uint64_t origin = model().kind == exact_model::Kind::kFnu ? MinPositive(type()) : 0;
  EXPECT_EQ(FloatOrdinal(type(), origin), 0);
}

// What each encoder makes of significand * 2^exponent, plus a little when sticky.
void ExpectRounds(ElementType type, Unrounded value, uint64_t expected) {
  ASSERT_EQ(RoundToFloat(type, value), expected);
  if (value.sticky) return;
  const double x =
      std::ldexp(static_cast<double>(value.significand), static_cast<int>(value.exponent));
  const double as_double = value.negative ? -x : x;
  ASSERT_EQ(EncodeFloat(type, as_double), expected) << as_double;
  std::byte stored[2] = {};
  EncodeFloats(type, &as_double, 1, stored);
  ASSERT_EQ(LoadElement(type, stored, 0).bits, expected) << as_double;
}

// Between each value and the next (the first one beyond the largest included) lies a midpoint: it
// goes to the even code, what lies below it down, what lies above it up.
TEST_P(NarrowFloatTest, MidpointsAndTheirNeighbours) {
  if (model().kind == exact_model::Kind::kFnu) GTEST_SKIP() << "no ties to even: RoundsScales";
  for (uint64_t low = 0; low <= model().max_finite; ++low) {
    const uint64_t field = low >> model().mantissa_bits;
    const int quantum =
        static_cast<int>(std::max<uint64_t>(field, 1)) - model().bias - model().mantissa_bits;
    const uint64_t hidden = field == 0 ? 0 : uint64_t{1} << model().mantissa_bits;
    const uint64_t m = hidden | (low & ((uint64_t{1} << model().mantissa_bits) - 1));
    for (const bool negative : {false, true}) {
      SCOPED_TRACE(testing::Message() << std::hex << low << (negative ? " negative" : ""));
      const auto code = [&](uint64_t magnitude) {
        if (magnitude > model().max_finite) return exact_model::Overflowed(model(), negative);
        if (magnitude == 0 && model().kind == exact_model::Kind::kFnuz) return uint64_t{0};
        return magnitude | (negative ? model().sign_bit() : 0);
      };
      const uint64_t even = low % 2 == 0 ? low : low + 1;
      // In units of 2^(quantum - 40): midpoint, one unit to each side, and less than one unit.
      const unsigned __int128 midpoint = (static_cast<unsigned __int128>(2 * m + 1)) << 39;
      const int64_t exponent = quantum - 40;
      ExpectRounds(type(), {negative, midpoint, exponent, false}, code(even));
      ExpectRounds(type(), {negative, midpoint - 1, exponent, false}, code(low));
      ExpectRounds(type(), {negative, midpoint + 1, exponent, false}, code(low + 1));
      ExpectRounds(type(), {negative, midpoint - 1, exponent, true}, code(low));
      ExpectRounds(type(), {negative, midpoint, exponent, true}, code(low + 1));
      // With the fewest bits that a sticky number may have.
      ExpectRounds(type(), {negative, 2 * m + 1, quantum - 1, true}, code(low + 1));
      if (m != 0) ExpectRounds(type(), {negative, 2 * m, quantum - 1, true}, code(low));
      if (HasFatalFailure()) return;
    }
  }
}

// Doubles just beside each midpoint, by the model.
TEST_P(NarrowFloatTest, DoublesBesideMidpoints) {
  for (uint64_t low = 0; low < model().max_finite; ++low) {
    const double a = DecodeFloat(type(), low);
    const double middle = a + (DecodeFloat(type(), low + 1) - a) / 2;
    for (const double x : {std::nextafter(middle, -1.0), middle, std::nextafter(middle, 1e300)}) {
      ASSERT_EQ(EncodeFloat(type(), x), exact_model::Round(model(), FromDouble(x))) << x;
      ASSERT_EQ(EncodeFloat(type(), -x), exact_model::Round(model(), FromDouble(-x))) << -x;
    }
  }
}

TEST_P(NarrowFloatTest, SpecialDoubles) {
  const double inf = INFINITY;
  const double nan = NAN;
  for (const double x : {0.0, -0.0, inf, -inf, nan, -nan, 5e-324, -5e-324, 1e308, -1e308,
                         std::numeric_limits<double>::max(), 0x1p-1022}) {
    ASSERT_EQ(EncodeFloat(type(), x), exact_model::Round(model(), FromDouble(x))) << x;
    std::byte stored[2] = {};
    EncodeFloats(type(), &x, 1, stored, NanSign::kPositive);
    const uint64_t expected = std::isnan(x) ? model().nan : EncodeFloat(type(), x);
    ASSERT_EQ(LoadElement(type(), stored, 0).bits, expected) << x;
  }
}

// Every power of two with each number of following bits, far beyond both ends of every type.
TEST_P(NarrowFloatTest, ManySignificandsOverAllExponents) {
  for (int exponent = -300; exponent <= 300; ++exponent) {
    for (const uint64_t significand : {0x1ull, 0x3ull, 0x5ull, 0x7ull, 0xffull, 0x101ull,
                                       0x17fffull, 0x18000ull, 0x18001ull, 0x1fffffffffffffull}) {
      for (const bool negative : {false, true}) {
        const Number number = exact_model::Dyadic(negative, significand, exponent);
        const uint64_t expected = exact_model::Round(model(), number);
        ASSERT_EQ(RoundToFloat(type(), {negative, significand, exponent, false}), expected)
            << significand << " * 2^" << exponent;
        const double x = std::ldexp(static_cast<double>(significand), exponent);
        ASSERT_EQ(EncodeFloat(type(), negative ? -x : x), expected);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, NarrowFloatTest, testing::ValuesIn(NarrowModels()),
                         [](const testing::TestParamInfo<Model>& info) {
                           return std::string(Name(info.param.type));
                         });

// f8e8m0fnu: ties up, and the two lowest codes take everything up to themselves (reference 6.13).
TEST(ScaleFloatTest, RoundsScales) {
  const ElementType type = ElementType::kF8E8M0FNU;
  for (uint64_t code = 1; code <= 0xfe; ++code) {
    const int exponent = static_cast<int>(code) - 127;
    const uint64_t next = code + 1;  // 0xff, NaN, past the largest
    ExpectRounds(type, {false, 1, exponent, false}, code);
    ExpectRounds(type, {false, 3, exponent - 1, false}, next);
    ExpectRounds(type, {false, (3ull << 40) - 1, exponent - 41, false}, code);
    ExpectRounds(type, {false, (3ull << 40) - 1, exponent - 41, true}, code);
    ExpectRounds(type, {false, 3, exponent - 1, true}, next);
    ExpectRounds(type, {true, 1, exponent, false}, 0xff);
  }
  ExpectRounds(type, {false, 1, -127, false}, 0);
  ExpectRounds(type, {false, 2, -128, true}, 1);
  ExpectRounds(type, {false, (1ull << 40) + 1, -167, false}, 1);
  ExpectRounds(type, {false, 1, -1000, false}, 0);
  ExpectRounds(type, {false, 0, 0, false}, 0xff);
  EXPECT_EQ(RoundToFloat(type, {false, 0, -5000, true}), 0u);
}

}  // namespace
}  // namespace assay
