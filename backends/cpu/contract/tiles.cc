#include "backends/cpu/contract/tiles.h"

#include "runtime/processor.h"

namespace assay::cpu {
namespace {

const Tiles* ChooseTiles() {
#if defined(ASSAY_HAS_X86_TILES)
  if (runtime::Supports(runtime::InstructionSet::kAvx512)) return Avx512Tiles();
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) return Avx2Tiles();
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
