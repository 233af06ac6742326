#include "backends/cpu/vector/tier.h"

#include <atomic>
#include <cstdlib>

namespace assay::cpu {
namespace {

std::atomic<Tier>& Chosen() {
  static std::atomic<Tier>& chosen = *new std::atomic<Tier>([] {
    const char* wish = std::getenv("ASSAY_CPU_TIER");
    return wish == nullptr ? Tier::kAuto : TierNamed(wish).value_or(Tier::kAuto);
  }());
  return chosen;
}

thread_local std::optional<Tier> tier_of_scope;

}  // namespace

std::optional<Tier> TierNamed(absl::string_view name) {
  for (const Tier tier : {Tier::kAuto, Tier::kBlocks, Tier::kNative}) {
    if (name == TierName(tier)) return tier;
  }
  return std::nullopt;
}
absl::string_view TierName(Tier tier) {
  return tier == Tier::kAuto ? "auto" : tier == Tier::kBlocks ? "blocks" : "native";
}

Tier ChosenTier() {
  return tier_of_scope.has_value() ? *tier_of_scope : Chosen().load(std::memory_order_relaxed);
}
void ChooseTier(Tier tier) { Chosen().store(tier, std::memory_order_relaxed); }

TierScope::TierScope(std::optional<Tier> tier) : outer_(tier_of_scope) {
  if (tier.has_value()) tier_of_scope = tier;
}
TierScope::~TierScope() { tier_of_scope = outer_; }

}  // namespace assay::cpu
