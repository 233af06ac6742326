// How block programs run: by the kernels alone, or with runs of cheap steps and small loops
// compiled to machine code (native/). All tiers give the same bits.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_TIER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_TIER_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace assay::cpu {

enum class Tier : uint8_t {
  kAuto,    // compiles runs of steps that have run often enough
  kBlocks,  // compiles nothing
  kNative,  // compiles at the first run
};
std::optional<Tier> TierNamed(absl::string_view name);  // auto, blocks, native
absl::string_view TierName(Tier tier);

// Returns the tier of the programs that this thread builds: that of the innermost TierScope,
// otherwise that of the environment variable ASSAY_CPU_TIER, or kAuto.
Tier ChosenTier();
void ChooseTier(Tier tier);

// Sets the tier, if one is given, of the programs that this thread builds during the scope.
class TierScope {
 public:
  explicit TierScope(std::optional<Tier> tier);
  ~TierScope();
  TierScope(const TierScope&) = delete;
  TierScope& operator=(const TierScope&) = delete;

 private:
  const std::optional<Tier> outer_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_TIER_H_
