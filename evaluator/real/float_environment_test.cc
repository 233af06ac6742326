// The guard sets the state golden code needs, restores what it found, and every entry point holds
// one.
#include "evaluator/real/float_environment.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

#include "evaluator/real/real_functions.h"

namespace assay {
namespace {

// Computed at run time, so that the state of the thread counts.
double HalfOf(double x) {
  volatile double value = x;
  return value * 0.5;
}
double ThirdPlusTiny() {
  volatile double one = 1, three = 3;
  return one / three;
}

TEST(FloatEnvironmentTest, RoundingModeIsSetAndRestored) {
  const double nearest = ThirdPlusTiny();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const double upward = ThirdPlusTiny();
  {
    const FloatEnvironmentGuard guard;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(ThirdPlusTiny(), nearest);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(ThirdPlusTiny(), upward);
  const Element x = {EncodeFloat(ElementType::kF64, 2.5), 0};
  const uint64_t under_upward = EvaluateReal(RealFunction::kExp, ElementType::kF64, x).bits;
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(under_upward, EvaluateReal(RealFunction::kExp, ElementType::kF64, x).bits);
}

#if defined(__SSE2__)
TEST(FloatEnvironmentTest, SubnormalsSurviveAFlushingThread) {
  const double smallest_normal = std::numeric_limits<double>::min();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  const double flushed = HalfOf(smallest_normal);
  double kept;
  {
    const FloatEnvironmentGuard guard;
    kept = HalfOf(smallest_normal);
  }
  const double flushed_again = HalfOf(smallest_normal);
  const uint64_t root = EvaluateReal(RealFunction::kSqrt, ElementType::kF32, {1, 0}).bits;
  _mm_setcsr(before);
  EXPECT_EQ(flushed, 0);
  EXPECT_EQ(kept, smallest_normal / 2);
  EXPECT_EQ(flushed_again, 0);
  EXPECT_EQ(root, 0x1a3504f3u);  // sqrt(2^-149)
}
#endif

}  // namespace
}  // namespace assay
