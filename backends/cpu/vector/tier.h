// How block programs run: by the kernels alone, or with runs of cheap steps and small loops
// compiled to machine code (native/). All tiers give the same bits.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_TIER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_TIER_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace assay::cpu {

enum class Tier : uint8_t {
  kAuto,    // compiles what has run often enough
  kBlocks,  // compiles nothing
  kNative,  // compiles at the first run
};
std::optional<Tier> TierNamed(absl::string_view name);  // auto, blocks, native

// Of the programs that are made from now on. At first it is that of the environment variable
// ASSAY_CPU_TIER, or kAuto.
Tier ChosenTier();
void ChooseTier(Tier tier);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_TIER_H_
