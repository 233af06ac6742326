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

}  // namespace

std::optional<Tier> TierNamed(absl::string_view name) {
  if (name == "auto") return Tier::kAuto;
  if (name == "blocks") return Tier::kBlocks;
  if (name == "native") return Tier::kNative;
  return std::nullopt;
}

Tier ChosenTier() { return Chosen().load(std::memory_order_relaxed); }
void ChooseTier(Tier tier) { Chosen().store(tier, std::memory_order_relaxed); }

}  // namespace assay::cpu
