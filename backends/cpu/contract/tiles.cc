#include "backends/cpu/contract/tiles.h"

#if defined(ASSAY_HAS_X86_TILES)
#include <cpuid.h>
#endif

namespace assay::cpu {
namespace {

#if defined(ASSAY_HAS_X86_TILES)
// F16C, which Clang 14 does not know by name.
bool HasHalves() {
  unsigned a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

const Tiles* ChooseTiles() {
#if defined(ASSAY_HAS_X86_TILES)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Avx512Tiles();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && HasHalves()) {
    return Avx2Tiles();
  }
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
