// Elements of kernels against those of spec/element, which has an implementation of its own: every
// pattern of the narrow types, and many numbers rounded into every type.
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "backends/cuda/kernels/apply.h"
#include "backends/cuda/kernels/lowering.h"
#include "gtest/gtest.h"
#include "spec/element/element.h"
#include "spec/testing/element_types.h"

namespace assay::cuda {
namespace {

namespace k = ::assay::cuda::emulated;

bool SameDouble(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(KernelElements, EveryPatternOfNarrowFloatsIsItsNumber) {
  for (const ElementType type : FloatTypes()) {
    const ElementRow row = RowOf(type);
    if (row.bits > 16) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << row.bits; ++bits) {
      const double ours = k::DecodeFloat(row, bits), theirs = DecodeFloat(type, bits);
      ASSERT_TRUE(SameDouble(ours, theirs)) << Name(type) << " " << bits;
      ASSERT_EQ(k::IsNanBits(row, bits), IsNan(type, bits));
      ASSERT_EQ(k::IsFiniteBits(row, bits), !IsNan(type, bits) && !IsInfinity(type, bits));
    }
  }
}

TEST(KernelElements, NumbersAreRoundedOnceIntoEveryFloat) {
  std::mt19937_64 engine(1);
  for (const ElementType type : FloatTypes()) {
    const ElementRow row = RowOf(type);
    const auto check = [&](double x) {
      const uint64_t ours = k::EncodeFloat(row, x, true), theirs = EncodeFloat(type, x);
      ASSERT_EQ(ours, theirs) << Name(type) << " " << x;
    };
    // Every number of f16 and of bf16, its neighbours, and what lies half way.
    for (const ElementType source : {ElementType::kF16, ElementType::kBF16}) {
      for (uint64_t bits = 0; bits < 65536; ++bits) {
        const double x = DecodeFloat(source, bits);
        check(x);
        if (!std::isfinite(x)) continue;
        for (const double y : {x * (1 + 0x1p-9), x * (1 + 0x1p-12), std::nextafter(x, 0.0)})
          check(y);
      }
    }
    for (int i = 0; i < 20000; ++i) {
      const uint64_t bits = engine();
      double x;
      std::memcpy(&x, &bits, sizeof x);
      check(x);
      check(std::ldexp(1 + static_cast<double>(bits >> 12) * 0x1p-52,
                       static_cast<int>(bits % 340) - 170));
    }
  }
}

TEST(KernelElements, IntegersAreRoundedOnceIntoEveryFloat) {
  std::mt19937_64 engine(2);
  for (const ElementType type : FloatTypes()) {
    const ElementRow row = RowOf(type);
    for (int i = 0; i < 20000; ++i) {
      const uint64_t x = engine() >> (engine() % 64);
      const auto s = static_cast<int64_t>(engine()) >> (engine() % 64);
      ASSERT_EQ(k::Convert(RowOf(ElementType::kU64), row, {x, 0}).bits,
                EncodeFloatFromUnsigned(type, x))
          << Name(type) << " " << x;
      ASSERT_EQ(k::Convert(RowOf(ElementType::kS64), row, {static_cast<uint64_t>(s), 0}).bits,
                EncodeFloatFromSigned(type, s))
          << Name(type) << " " << s;
    }
  }
}

// Saturation and truncation, by way of long double.
TEST(KernelElements, FloatsAreTruncatedIntoEveryInteger) {
  for (const ElementType type : kArrayTypes) {
    if (!IsInteger(type)) continue;
    const ElementRow row = RowOf(type);
    const long double low = IsSigned(type) ? static_cast<long double>(MinSigned(type)) : 0;
    const long double high = IsSigned(type) ? static_cast<long double>(MaxSigned(type))
                                            : static_cast<long double>(MaxUnsigned(type));
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      const double x = DecodeFloat(ElementType::kBF16, bits);
      const uint64_t ours = k::Convert(RowOf(ElementType::kBF16), row, {bits, 0}).bits;
      uint64_t expected = 0;
      if (!std::isnan(x)) {
        const long double t =
            std::min(high, std::max(low, std::trunc(static_cast<long double>(x))));
        expected = IsSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(t))
                                  : static_cast<uint64_t>(t);
        expected = EncodeInteger(type, expected);
      }
      ASSERT_EQ(ours, expected) << Name(type) << " " << x;
    }
  }
}

// Sums, products and quotients of every pair of the 8-bit types: exact in double or rounded where
// no tie can come of it, so that one encoding rounds them.
TEST(KernelElements, ArithmeticOfNarrowFloatsIsRoundedOnce) {
  for (const ElementType type : FloatTypes()) {
    const ElementRow row = RowOf(type);
    if (row.bits > 8) continue;
    const uint64_t count = uint64_t{1} << row.bits;
    for (uint64_t a = 0; a < count; ++a) {
      for (uint64_t b = 0; b < count; ++b) {
        const double x = DecodeFloat(type, a), y = DecodeFloat(type, b);
        const auto value = [&](Op op) { return k::Arithmetic(op, row, row, {a, 0}, {b, 0}).bits; };
        const auto same = [&](uint64_t ours, double exact) {
          const uint64_t theirs = EncodeFloat(type, exact);
          return ours == theirs || (IsNan(type, ours) && IsNan(type, theirs)) ||
                 (std::isnan(exact) && !Info(type).format->has_nan());
        };
        ASSERT_TRUE(same(value(Op::kAdd), x + y)) << Name(type) << x << " + " << y;
        ASSERT_TRUE(same(value(Op::kMultiply), x * y)) << Name(type) << x << " * " << y;
        ASSERT_TRUE(same(value(Op::kDivide), x / y)) << Name(type) << x << " / " << y;
      }
    }
  }
}

// Every pair of the integers of up to 4 bits, and shifts, against arithmetic in int.
TEST(KernelElements, SmallIntegersWrap) {
  for (const ElementType type : kArrayTypes) {
    if (!IsInteger(type) || Info(type).bits > 4) continue;
    const ElementRow row = RowOf(type);
    const int bits = row.bits, count = 1 << bits;
    const auto number = [&](int pattern) {
      return IsSigned(type) && pattern >= count / 2 ? pattern - count : pattern;
    };
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) {
        const int x = number(a), y = number(b);
        const auto expect = [&](Op op, int exact) {
          const uint64_t ours = k::Arithmetic(op, row, row, {static_cast<uint64_t>(a), 0},
                                              {static_cast<uint64_t>(b), 0})
                                    .bits;
          ASSERT_EQ(ours, static_cast<uint64_t>(exact) & (count - 1))
              << Name(type) << " " << static_cast<int>(op) << ": " << x << ", " << y;
        };
        expect(Op::kAdd, x + y);
        expect(Op::kSubtract, x - y);
        expect(Op::kMultiply, x * y);
        expect(Op::kDivide, y == 0 ? -1 : x / y);
        expect(Op::kRemainder, y == 0 ? x : x % y);
        expect(Op::kMaximum, std::max(x, y));
        expect(Op::kMinimum, std::min(x, y));
        expect(Op::kShiftLeft, b >= bits ? 0 : a << b);
        expect(Op::kShiftRightLogical, b >= bits ? 0 : a >> b);
        const int extended = a >= count / 2 ? a - count : a;
        expect(Op::kShiftRightArithmetic, extended >> std::min(b, bits - 1));
        expect(Op::kMulhi, static_cast<int>(std::floor(static_cast<double>(x * y) / count)));
        int power = y < 0 ? (x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0) : 1;
        for (int i = 0; i < y; ++i) power = (power * x) & (count - 1);
        expect(Op::kPower, power);
      }
    }
  }
}

}  // namespace
}  // namespace assay::cuda
