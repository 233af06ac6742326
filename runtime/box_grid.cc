#include "runtime/box_grid.h"

#include <algorithm>

namespace assay::runtime {

Box Box::All(absl::Span<const int64_t> sizes) {
  Box box;
  box.starts.assign(sizes.size(), 0);
  box.counts.assign(sizes.begin(), sizes.end());
  for (const int64_t size : sizes) box.count *= size;
  return box;
}

BoxGrid::BoxGrid(absl::Span<const int64_t> sizes, int64_t most)
    : sizes_(sizes.begin(), sizes.end()) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    count_ = 0;
    return;
  }
  split_ = static_cast<int64_t>(sizes.size()) - 1;
  while (split_ >= 0 && sizes[split_] <= most / inner_) inner_ *= sizes[split_--];
  if (split_ < 0) return;
  const int64_t fit = std::max<int64_t>(1, most / inner_);
  const int64_t shares = (sizes[split_] - 1) / fit + 1;
  share_ = (sizes[split_] - 1) / shares + 1;
  shares_ = (sizes[split_] - 1) / share_ + 1;
  count_ = shares_;
  for (int64_t d = 0; d < split_; ++d) count_ *= sizes[d];
}

Box BoxGrid::At(int64_t number) const {
  Box box = Box::All(sizes_);
  if (split_ < 0) return box;
  box.starts[split_] = number % shares_ * share_;
  box.counts[split_] = std::min(share_, sizes_[split_] - box.starts[split_]);
  box.count = box.counts[split_] * inner_;
  box.first = box.starts[split_] * inner_;
  int64_t rest = number / shares_, stride = sizes_[split_] * inner_;
  for (int64_t d = split_ - 1; d >= 0; --d) {
    box.starts[d] = rest % sizes_[d];
    box.counts[d] = 1;
    box.first += box.starts[d] * stride;
    stride *= sizes_[d];
    rest /= sizes_[d];
  }
  return box;
}

}  // namespace assay::runtime
