#include "backends/cpu/contract/tiles.h"

namespace assay::cpu {
namespace {

const Tiles* ChooseTiles() {
#if defined(ASSAY_HAS_X86_TILES)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Avx512Tiles();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Avx2Tiles();
#endif
  return BaselineTiles();
}

}  // namespace

#if !defined(ASSAY_HAS_X86_TILES)
const Tiles* Avx2Tiles() { return nullptr; }
const Tiles* Avx512Tiles() { return nullptr; }
#endif

const Tiles& BestTiles() {
  static const Tiles* const tiles = ChooseTiles();
  return *tiles;
}

}  // namespace assay::cpu
