// One atomic number. Tests: forced_tier_test.cc.
#include "evaluator/real/forced_tier.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay::evaluator {
namespace {

constexpr absl::string_view kNames[kRealTierCount] = {
    "exact", "double", "extended", "quad", "big192", "big384", "big768", "big1536", "undecided"};

std::atomic<RealTier> forced_tier{RealTier::kExact};

}  // namespace

absl::string_view Name(RealTier tier) { return kNames[static_cast<int>(tier)]; }

std::vector<std::string> ForcibleTiers() {
  return std::vector<std::string>(std::begin(kNames), std::end(kNames) - 1);
}

absl::StatusOr<RealTier> TierOfName(absl::string_view name) {
  for (int i = 0; i < static_cast<int>(RealTier::kUndecided); ++i) {
    if (kNames[i] == name) return static_cast<RealTier>(i);
  }
  return absl::InvalidArgumentError(absl::StrCat("no tier is called \"", name, "\"; there are ",
                                                 absl::StrJoin(ForcibleTiers(), ", ")));
}

void ForceTier(RealTier tier) { forced_tier.store(tier, std::memory_order_relaxed); }

namespace real {

RealContext WithForcedTier(const RealContext& context) {
  RealContext forced = context;
  forced.first_tier = std::max(context.first_tier, forced_tier.load(std::memory_order_relaxed));
  return forced;
}

}  // namespace real
}  // namespace assay::evaluator
