// Blocks against elements from the binary128 tier on, and vectors of every width against the scalar
// functions of the library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "evaluator/real/double_block.h"
#include "evaluator/real/hardware_tiers.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::function_blocks_test {
namespace {

using real::kMostLanes;
using real::Lanes;
using real::MostLanes;

constexpr ElementType kF32 = ElementType::kF32;
constexpr int kRealFunctions = static_cast<int>(RealFunction::kTanh) + 1;
constexpr RealFunction2 kBinary[] = {RealFunction2::kAtan2, RealFunction2::kPower};

// Patterns of f32 over the whole type, infinities, zeros and NaNs of every kind among them; the odd
// stride varies all bits.
std::vector<uint32_t> PatternsOfF32(uint32_t stride) {
  std::vector<uint32_t> patterns = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00001,
                                    0xffc00000, 0x7f800001, 0xff812345, 1,          0x80000001,
                                    0x3f800000, 0xbf800000, 0x7f7fffff, 0x00800000, 0x42b17218};
  for (uint64_t pattern = stride / 3; pattern < uint64_t{1} << 32; pattern += stride) {
    patterns.push_back(static_cast<uint32_t>(pattern));
  }
  return patterns;
}

const std::byte* Bytes(const std::vector<uint32_t>& patterns) {
  return reinterpret_cast<const std::byte*>(patterns.data());
}

TEST(FunctionBlocksTest, F32EqualsElementsOfTheQuadTier) {
  const std::vector<uint32_t> x = PatternsOfF32(400'009);
  RealContext quad;
  quad.first_tier = RealTier::kQuad;
  for (int f = 0; f < kRealFunctions; ++f) {
    const auto function = static_cast<RealFunction>(f);
    std::vector<uint32_t> in_place = x;
    RealStats stats;
    RealContext counted;
    counted.stats = &stats;
    EvaluateBlock(function, kF32, Bytes(in_place), reinterpret_cast<std::byte*>(in_place.data()),
                  static_cast<int64_t>(x.size()), counted);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(in_place[i], EvaluateReal(function, kF32, {x[i], 0}, quad).bits)
          << f << " of " << std::hex << x[i];
    }
    int64_t total = 0;
    for (int64_t decided : stats.decided) total += decided;
    EXPECT_EQ(total, static_cast<int64_t>(x.size())) << f;
  }
}

TEST(FunctionBlocksTest, F32OperandsInPairs) {
  const std::vector<uint32_t> values = PatternsOfF32(60'000'011);
  std::vector<uint32_t> a, b;
  for (uint32_t x : values) {
    for (uint32_t y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  // Near 1, where powers are in range.
  std::mt19937 random(5);
  for (int i = 0; i < 10'000; ++i) {
    a.push_back(0x3e000000 + random() % 0x02000000);
    b.push_back(0x3e000000 + random() % 0x04000000 + (random() % 2 << 31));
  }
  RealContext quad;
  quad.first_tier = RealTier::kQuad;
  for (RealFunction2 function : kBinary) {
    std::vector<uint32_t> out = b;
    EvaluateBlock2(function, kF32, Bytes(a), Bytes(out), reinterpret_cast<std::byte*>(out.data()),
                   static_cast<int64_t>(a.size()));
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(out[i], EvaluateReal2(function, kF32, {a[i], 0}, {b[i], 0}, quad).bits)
          << static_cast<int>(function) << " of " << std::hex << a[i] << ", " << b[i];
    }
  }
}

TEST(FunctionBlocksTest, SmallTypesInPairs) {
  for (ElementType type : {ElementType::kF16, ElementType::kBF16, ElementType::kF8E4M3FN,
                           ElementType::kF8E5M2FNUZ, ElementType::kF6E2M3FN}) {
    const ElementTypeInfo& info = Info(type);
    constexpr int64_t kCount = 20'000;
    std::mt19937 random(7);
    std::vector<std::byte> a(kCount * info.storage_bytes), b(a.size()), out(a.size());
    // Surplus high bits of sub-byte types mean nothing.
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::byte>(random());
      b[i] = static_cast<std::byte>(random());
    }
    for (RealFunction2 function : kBinary) {
      RealContext quad;
      quad.first_tier = RealTier::kQuad;
      EvaluateBlock2(function, type, a.data(), b.data(), out.data(), kCount);
      for (int64_t i = 0; i < kCount; ++i) {
        const Element x = LoadElement(type, a.data(), i), y = LoadElement(type, b.data(), i);
        ASSERT_EQ(LoadElement(type, out.data(), i), EvaluateReal2(function, type, x, y, quad))
            << Name(type) << static_cast<int>(function) << " of " << x.bits << ", " << y.bits;
      }
    }
  }
}

// Blocks of every length around a vector's and a chunk's.
TEST(FunctionBlocksTest, EveryLength) {
  const std::vector<uint32_t> x = PatternsOfF32(6'000'011);
  std::vector<uint32_t> whole(x.size());
  const auto write = [](std::vector<uint32_t>& v) {
    return reinterpret_cast<std::byte*>(v.data());
  };
  EvaluateBlock(RealFunction::kTanh, kF32, Bytes(x), write(whole), 700);
  for (int64_t length : {0, 1, 2, 7, 8, 9, 31, 511, 512, 513, 520}) {
    std::vector<uint32_t> out(x.size(), 0xdeadbeef);
    EvaluateBlock(RealFunction::kTanh, kF32, Bytes(x), write(out), length);
    EXPECT_EQ(0, std::memcmp(out.data(), whole.data(), static_cast<size_t>(length) * 4));
    EXPECT_EQ(out[static_cast<size_t>(length)], 0xdeadbeef);
  }
}

// What overflows even in the tier's own type needs no later one.
TEST(FunctionBlocksTest, FarOverflowIsDecidedByTheFirstTier) {
  constexpr struct {
    ElementType type;
    RealTier tier;
  } kCases[] = {{kF32, RealTier::kDouble}, {ElementType::kF64, RealTier::kExtended}};
  for (const auto& [type, tier] : kCases) {
    RealStats stats;
    RealContext context;
    context.stats = &stats;
    const Element huge = {EncodeFloat(type, -1e30), 0};
    EXPECT_EQ(EvaluateReal(RealFunction::kCosh, type, huge, context).bits, Infinity(type));
    EXPECT_EQ(EvaluateReal(RealFunction::kSinh, type, huge, context).bits, Infinity(type, true));
    if (type == kF32 || std::numeric_limits<long double>::digits == 64) {
      EXPECT_EQ(stats.decided[static_cast<int>(tier)], 2);
    }
  }
}

// Far below the bound of 256 units: the library documents 4.
void ExpectNear(double value, double expected, int f, double x) {
  if (std::isnan(expected) || std::isinf(expected) || expected == 0) return;
  EXPECT_LE(std::fabs(value - expected), std::fabs(expected) * 0x1p-49 + 0x1p-1074)
      << f << " of " << std::hexfloat << x;
}

TEST(FunctionBlocksTest, LanesAgree) {
  const std::vector<uint32_t> patterns = PatternsOfF32(100'003);
  std::vector<double> x(patterns.size() + kMostLanes), y(x.size());
  DecodeFloats(kF32, Bytes(patterns), static_cast<int64_t>(patterns.size()), x.data());
  const auto count = static_cast<int64_t>(patterns.size());
  for (Lanes lanes : {Lanes::kFour, Lanes::kEight}) {
    if (lanes > MostLanes()) continue;
    for (int f = 0; f < kRealFunctions; ++f) {
      const auto function = static_cast<RealFunction>(f);
      y = x;
      real::DoubleBlock(function, lanes, y.data(), count);
      for (size_t i = 0; i < patterns.size(); ++i) {
        ExpectNear(y[i], real::DoubleFunctionOf(function)(x[i]), f, x[i]);
      }
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::function_blocks_test
