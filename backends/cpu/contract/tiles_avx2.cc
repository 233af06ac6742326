// Tiles for processors with AVX2 and FMA: 16 registers, 12 of them sums.
#define ASSAY_LANE_BYTES 32
#include "backends/cpu/contract/tiles_lanes.h"

namespace assay::cpu {

const Tiles* Avx2Tiles() {
  static constexpr Tiles kTiles = {"avx2",
                                   FunctionsOf<float, 6, 2>(),
                                   FunctionsOf<double, 6, 2>(),
                                   FunctionsOf<uint32_t, 4, 2>(),
                                   FunctionsOf<uint64_t, 4, 1>(),
                                   PairFunctionsOf<6, 2>(),
                                   ConversionsOf()};
  return &kTiles;
}

}  // namespace assay::cpu
