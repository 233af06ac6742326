// Forced tiers: names, the same bits from each, and counters that show that earlier ones were
// skipped.
#include "evaluator/real/forced_tier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace assay::evaluator::forced_tier_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ForcedTierTest, Names) {
  for (const std::string& name : ForcibleTiers()) {
    const absl::StatusOr<RealTier> tier = TierOfName(name);
    ASSERT_TRUE(tier.ok());
    EXPECT_EQ(Name(*tier), name);
  }
  EXPECT_EQ(ForcibleTiers().size(), size_t{kRealTierCount} - 1);
  EXPECT_EQ(Name(RealTier::kUndecided), "undecided");
  for (const char* name : {"", "quadruple", "undecided"}) {
    const absl::Status status = TierOfName(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("exact, double, extended"), HasSubstr(name)));
  }
}

class Blocks {
 public:
  explicit Blocks(ElementType type) : type_(type) {
    const ElementType part = Info(type).component;
    bytes_.resize(kCount * Info(type).storage_bytes);
    for (int64_t i = 0; i < kCount; ++i) {
      const double x = 0.3 + 0.01 * static_cast<double>(i);
      StoreElement(type, {EncodeFloat(part, x), IsComplex(type) ? EncodeFloat(part, 1 - x) : 0},
                   bytes_.data(), i);
    }
  }
  std::vector<std::byte> Unary(RealStats* stats) const {
    RealContext context;
    context.stats = stats;
    std::vector<std::byte> out(bytes_.size());
    EvaluateBlock(RealFunction::kExp, type_, bytes_.data(), out.data(), kCount, context);
    return out;
  }
  std::vector<std::byte> Binary(RealStats* stats) const {
    RealContext context;
    context.stats = stats;
    std::vector<std::byte> out(bytes_.size());
    EvaluateBlock2(RealFunction2::kPower, type_, bytes_.data(), bytes_.data(), out.data(), kCount,
                   context);
    return out;
  }
  Element One() const {
    const Element x = LoadElement(type_, bytes_.data(), 3);
    return IsComplex(type_) ? EvaluateComplex(RealFunction::kSin, type_, x)
                            : EvaluateReal(RealFunction::kSin, type_, x);
  }

 private:
  static constexpr int64_t kCount = 40;
  ElementType type_;
  std::vector<std::byte> bytes_;
};

TEST(ForcedTierTest, EveryTierGivesTheSameBits) {
  for (ElementType type : {ElementType::kF8E5M2, ElementType::kBF16, ElementType::kF32,
                           ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    const Blocks blocks(type);
    const auto unary = blocks.Unary(nullptr), binary = blocks.Binary(nullptr);
    const Element one = blocks.One();
    for (const std::string& name : ForcibleTiers()) {
      const RealTier tier = *TierOfName(name);
      RealStats stats;
      ForceTier(tier);
      EXPECT_EQ(blocks.Unary(&stats), unary) << Name(type) << " from " << name;
      EXPECT_EQ(blocks.Binary(&stats), binary) << Name(type) << " from " << name;
      EXPECT_EQ(blocks.One(), one) << Name(type) << " from " << name;
      ForceTier(RealTier::kExact);
      for (int t = 1; t < static_cast<int>(tier); ++t) {
        EXPECT_EQ(stats.decided[t], 0) << Name(type) << " from " << name;
      }
      EXPECT_EQ(stats.undecided(), 0);
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::forced_tier_test
