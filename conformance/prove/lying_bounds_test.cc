// Would the proofs notice a bound that lies? This program has the tiers with smaller bounds than
// their errors (tiers.def as CMakeLists.txt rewrites it): for each of them the hardest arguments
// must give results that the proofs call wrong. With the true bounds f64_test.cc and
// real_functions_test.cc find none for the same arguments. (The tiers of 192 bits and more have no
// argument hard enough; big_tier_test.cc measures their errors.)
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "conformance/prove/hardest_f64.h"
#include "conformance/prove/sweep.h"
#include "evaluator/real/mpfr_functions.h"

namespace assay::conformance::prove {
namespace {

int64_t Decided(const SweepResult& result, evaluator::RealTier tier) {
  return result.tiers.decided[static_cast<int>(tier)];
}

// Results of these f32 arguments lie 2^-54 to 2^-76 from a midpoint (accuracy_design.md 5).
TEST(LyingBoundsTest, Double) {
  const struct {
    evaluator::RealFunction function;
    float x;
  } hardest[] = {
      {evaluator::RealFunction::kLog, 0x1.b121a6p+76f},
      {evaluator::RealFunction::kAcos, 0x1.04c444p-12f},
      {evaluator::RealFunction::kLog1p, 0x1.800006p-21f},
      {evaluator::RealFunction::kAtan, 0x1.1ad646p-4f},
      {evaluator::RealFunction::kLogistic, -0x1p-24f},
      {evaluator::RealFunction::kAsinh, 0x1.b121a6p+75f},
      {evaluator::RealFunction::kAcosh, 0x1.b121a6p+75f},
      {evaluator::RealFunction::kTan, 0x1.fa6748p+64f},
      {evaluator::RealFunction::kSin, 0x1.487e0cp+103f},
      {evaluator::RealFunction::kCos, 0x1.887814p+51f},
      {evaluator::RealFunction::kSinh, 0x1.250bfep-11f},
      {evaluator::RealFunction::kErf, 0x1.81d5acp-13f},
  };
  uint64_t wrong = 0;
  for (const auto& [function, x] : hardest) {
    const SweepResult result =
        SweepInputs(function, ElementType::kF32, {std::bit_cast<uint32_t>(x)});
    EXPECT_EQ(Decided(result, evaluator::RealTier::kDouble), 1) << NameOf(function);
    wrong += result.mismatches;
  }
  EXPECT_GE(wrong, 3);
}

// How many of the published worst cases a tier decided that is the first one, and wrongly.
struct Lies {
  uint64_t decided = 0;
  uint64_t wrong = 0;
};

Lies OfOneOperand(evaluator::RealTier tier) {
  Lies lies;
  const auto hardest = HardestF64(ASSAY_SOURCE_DIR);
  for (const auto& [name, rows] : hardest) {
    const auto function = FunctionNamed(name.c_str());
    if (!function) continue;  // atan2
    std::vector<uint64_t> inputs;
    for (const auto& row : rows) inputs.push_back(std::bit_cast<uint64_t>(row.at(0)));
    SweepOptions options;
    options.first_tier = tier;
    const SweepResult result = SweepInputs(*function, ElementType::kF64, inputs, options);
    lies.wrong += result.mismatches;
    lies.decided += Decided(result, tier);
  }
  return lies;
}

Lies OfAtan2(evaluator::RealTier tier) {
  evaluator::RealStats stats;
  evaluator::RealContext context;
  context.first_tier = tier;
  context.stats = &stats;
  Lies lies;
  const auto hardest = HardestF64(ASSAY_SOURCE_DIR);
  for (const auto& row : hardest.at("atan2")) {
    const uint64_t actual =
        evaluator::EvaluateReal2(evaluator::RealFunction2::kAtan2, ElementType::kF64,
                                 {std::bit_cast<uint64_t>(row.at(0))},
                                 {std::bit_cast<uint64_t>(row.at(1))}, context)
            .bits;
    lies.wrong +=
        actual != ::assay::evaluator::testing::ProvenPair(evaluator::RealFunction2::kAtan2,
                                                          ElementType::kF64, row[0], row[1]);
  }
  lies.decided = stats.decided[static_cast<int>(tier)];
  return lies;
}

void ExpectMany(const Lies& lies) {
  EXPECT_GT(lies.wrong, 0);
  EXPECT_GT(lies.decided, lies.wrong);
  ::testing::Test::RecordProperty("wrong", static_cast<int>(lies.wrong));
  ::testing::Test::RecordProperty("decided", static_cast<int>(lies.decided));
}

TEST(LyingBoundsTest, SumsOfTwoDoubles) { ExpectMany(OfOneOperand(evaluator::RealTier::kDouble)); }
#if defined(__GLIBC__) && defined(__x86_64__)
TEST(LyingBoundsTest, Extended) { ExpectMany(OfOneOperand(evaluator::RealTier::kExtended)); }
// Among the functions of one operand hardly any case is harder than binary128 is exact.
TEST(LyingBoundsTest, Quad) { ExpectMany(OfAtan2(evaluator::RealTier::kQuad)); }
#endif

}  // namespace
}  // namespace assay::conformance::prove
