// What every layout of an array must be. Tests: spec/verify/testdata (shape_c4, entry_c4),
// parser_errors_test.cc.
#ifndef ASSAY_SPEC_OPS_LAYOUT_CHECK_H_
#define ASSAY_SPEC_OPS_LAYOUT_CHECK_H_

#include <algorithm>

#include "spec/ir/shape.h"

namespace assay {

// It lists every dimension once, its tiles have sizes of 1 or more, its elements no negative size;
// types of indices and pointers are for sparse arrays, which are no more.
inline bool IsSoundLayout(const Layout& layout, int64_t rank) {
  const auto is_sound = [](const Tile& tile) {
    return !tile.sizes.empty() &&
           std::all_of(tile.sizes.begin(), tile.sizes.end(),
                       [](int64_t size) { return size >= 1 || size == Tile::kCombine; });
  };
  return IsPermutation(layout.minor_to_major, rank) &&
         std::all_of(layout.tiles.begin(), layout.tiles.end(), is_sound) &&
         layout.element_size_in_bits >= 0 && layout.index_type == ElementType::kInvalid &&
         layout.pointer_type == ElementType::kInvalid;
}

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_LAYOUT_CHECK_H_
