// Covers a grid with boxes of bounded size that follow each other in row-major order.
// Tests: contraction_kernels_test.cc.
#ifndef ASSAY_RUNTIME_BOX_WALK_H_
#define ASSAY_RUNTIME_BOX_WALK_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/shape.h"

namespace assay::runtime {

// The indices starts[d] <= index[d] < starts[d] + counts[d]. They are `count` consecutive positions
// in row-major order, from `first` on.
struct Box {
  int64_t first = 0;
  int64_t count = 1;
  Dimensions starts, counts;

  static Box All(absl::Span<const int64_t> sizes) {
    Box box;
    box.starts.assign(sizes.size(), 0);
    box.counts.assign(sizes.begin(), sizes.end());
    for (const int64_t size : sizes) box.count *= size;
    return box;
  }
};

// Iterates over boxes of at most `most` elements. A box has whole minor dimensions, and an even
// share of the dimension around them.
class BoxWalk {
 public:
  // `sizes` must outlive the walk and have no zero.
  BoxWalk(absl::Span<const int64_t> sizes, int64_t most) : sizes_(sizes), box_(Box::All(sizes)) {
    int64_t inner = 1;
    split_ = static_cast<int64_t>(sizes.size()) - 1;
    while (split_ >= 0 && sizes[split_] <= most / inner) inner *= sizes[split_--];
    if (split_ < 0) return;
    const int64_t fit = std::max<int64_t>(1, most / inner);
    const int64_t shares = (sizes[split_] - 1) / fit + 1;
    share_ = (sizes[split_] - 1) / shares + 1;
    boxes_ = (sizes[split_] - 1) / share_ + 1;
    for (int64_t d = 0; d < split_; ++d) boxes_ *= sizes[d];
    std::fill(box_.counts.begin(), box_.counts.begin() + split_, 1);
    box_.counts[split_] = share_;
    box_.count = share_ * inner;
    inner_ = inner;
  }

  // Returns the number of boxes.
  int64_t count() const { return boxes_; }
  const Box& box() const { return box_; }
  // Moves to the next box. Returns false after the last one.
  bool Next() {
    if (split_ < 0) return false;
    box_.first += box_.count;
    int64_t d = split_;
    box_.starts[d] += box_.counts[d];
    while (box_.starts[d] == sizes_[d]) {
      box_.starts[d] = 0;
      if (--d < 0) return false;
      ++box_.starts[d];
    }
    box_.counts[split_] = std::min(share_, sizes_[split_] - box_.starts[split_]);
    box_.count = box_.counts[split_] * inner_;
    return true;
  }

 private:
  absl::Span<const int64_t> sizes_;
  Box box_;
  int64_t split_;  // the dimension that is cut; -1 if there is one box
  int64_t boxes_ = 1;
  int64_t share_ = 1;
  int64_t inner_ = 1;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_BOX_WALK_H_
