// Tiled layouts, of which bitcasts are refused by every engine. Tests: those of bitcast.
#ifndef ASSAY_SPEC_LAYOUT_TILES_H_
#define ASSAY_SPEC_LAYOUT_TILES_H_

#include "spec/ir/shape.h"

namespace assay {

inline bool HasTiles(const Shape& shape) {
  return shape.has_layout() && !shape.layout()->tiles.empty();
}

}  // namespace assay

#endif  // ASSAY_SPEC_LAYOUT_TILES_H_
