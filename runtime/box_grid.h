// Cuts a grid into numbered boxes of limited size that follow each other in row-major order.
// Tests: box_grid_test.cc.
#ifndef ASSAY_RUNTIME_BOX_GRID_H_
#define ASSAY_RUNTIME_BOX_GRID_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/shape.h"

namespace assay::runtime {

// The indices starts[d] <= index[d] < starts[d] + counts[d]. They are `count` consecutive positions
// in row-major order, from `first` on.
struct Box {
  Dimensions starts, counts;
  int64_t first = 0, count = 1;

  static Box All(absl::Span<const int64_t> sizes);
};

// A box has whole minor dimensions, and an even share of the dimension around them.
class BoxGrid {
 public:
  // A box has at most `most` elements.
  BoxGrid(absl::Span<const int64_t> sizes, int64_t most);

  // Returns the number of boxes: 0 if the grid has no element.
  int64_t count() const { return count_; }
  Box At(int64_t number) const;

 private:
  Dimensions sizes_;
  int64_t split_ = -1;  // the dimension that is cut; -1 if there is one box
  int64_t share_ = 1, shares_ = 1, inner_ = 1, count_ = 1;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_BOX_GRID_H_
