// Tiles for any processor: vectors of 16 bytes, products and sums rounded one after the other.
#define ASSAY_LANE_BYTES 16
#include "backends/cpu/contract/tiles_lanes.h"

namespace assay::cpu {

const Tiles* BaselineTiles() {
  static constexpr Tiles kTiles = {"baseline",
                                   FunctionsOf<float, 4, 2>(),
                                   FunctionsOf<double, 4, 2>(),
                                   FunctionsOf<uint32_t, 4, 2>(),
                                   FunctionsOf<uint64_t, 4, 2>(),
                                   PairFunctionsOf<4, 2>(),
                                   ConversionsOf()};
  return &kTiles;
}

}  // namespace assay::cpu
