// Tiles for processors with AVX-512: 32 registers, 24 of them sums.
#define ASSAY_LANE_BYTES 64
#include "backends/cpu/contract/tiles_lanes.h"

namespace assay::cpu {

const Tiles* Avx512Tiles() {
  static constexpr Tiles kTiles = {"avx512",
                                   FunctionsOf<float, 12, 2>(),
                                   FunctionsOf<double, 12, 2>(),
                                   FunctionsOf<uint32_t, 8, 2>(),
                                   FunctionsOf<uint64_t, 8, 2>(),
                                   PairFunctionsOf<12, 2>(),
                                   ConversionsOf()};
  return &kTiles;
}

}  // namespace assay::cpu
