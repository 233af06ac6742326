// Sums of complex numbers in programs: each part is a sum of its own, with the bound, the overflow
// and the infinities of its own terms (ops_structural.md 14.4).
#include <cmath>
#include <limits>

#include "conformance/enclosure/enclosure_testing.h"

namespace assay::conformance {
namespace {

constexpr char kAdder[] =
    "sum { a = c64[] parameter(0)\n b = c64[] parameter(1)\n ROOT s = c64[] add(a, b) }\n";

class ComplexSumsTest : public EnclosureTest {
 protected:
  // The enclosure of a sum of three complex numbers, whose imaginary parts are made from `imags`.
  BoxTree Sum(const std::vector<double>& reals, const std::vector<double>& imags,
              const std::string& made, const std::string& root = " ROOT i = f32[] imag(r)") {
    return Of(absl::StrCat("a = f32[3] parameter(0)\n b = f32[3] parameter(1)\n e = f32[3] ", made,
                           "(b)\n x = c64[3] complex(a, e)\n none = c64[] constant((0, 0))\n",
                           " r = c64[] reduce(x, none), dimensions={0}, to_apply=sum\n", root),
              {Array(ElementType::kF32, reals), Array(ElementType::kF32, imags)}, "cpu-strict",
              kAdder);
  }
};

// 1 + 2 + 3 errs by 2 u 6, whatever the real part is.
TEST_F(ComplexSumsTest, LargeRealPartsLeaveTheImaginaryPartAlone) {
  for (const double large : {0.0, 1e8, 3e38}) {
    const BoxTree known = Sum({large, -large, large}, {1, 2, 3}, "copy");
    EXPECT_LE(Low(known), 6) << large;
    EXPECT_GE(Low(known), 6 - 4 * 0x1p-22) << large;
    EXPECT_GE(High(known), 6) << large;
    EXPECT_LE(High(known), 6 + 4 * 0x1p-22) << large;
  }
}

// Each exponential is within 2 ulp of 2^-22 and half of one that golden is off. The sum errs by
// 2 u 9, and ends are rounded outwards to numbers 2^-20 apart, from a golden half as far off.
TEST_F(ComplexSumsTest, LargeRealPartsLeaveIntervalsAlone) {
  constexpr double kReach = 3 * 2.5 * 0x1p-22 + 2 * 9 * 0x1p-24 + 1.5 * 0x1p-20;
  for (const double large : {0.0, 1e8, 3e38}) {
    const BoxTree interval = Sum({large, -large, large}, {1, 1, 1}, "exponential");
    EXPECT_LT(Low(interval), 3 * std::exp(1.0)) << large;
    EXPECT_GT(Low(interval), 3 * std::exp(1.0) - kReach) << large;
    EXPECT_GT(High(interval), 3 * std::exp(1.0)) << large;
    EXPECT_LT(High(interval), 3 * std::exp(1.0) + kReach) << large;
  }
}

// The real part may be a NaN, the imaginary one is infinite in any order.
TEST_F(ComplexSumsTest, InfinitiesMeetInTheirOwnPart) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const BoxTree infinite =
      Sum({kInfinite, -3e38, -3e38}, {kInfinite, -1, 3e38}, "copy", " ROOT o = c64[] copy(r)");
  const Box& box = infinite.box();
  ASSERT_TRUE(box.has_nan());
  EXPECT_NE(box.nan.Get(0).bits, 0);
  EXPECT_EQ(box.nan.Get(0).imag, 0);
  EXPECT_EQ(DecodeFloat(ElementType::kF32, box.low.Get(0).imag), kInfinite);
  EXPECT_EQ(DecodeFloat(ElementType::kF32, box.high.Get(0).imag), kInfinite);
}

}  // namespace
}  // namespace assay::conformance
