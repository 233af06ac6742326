#include "backends/cpu/contract/axis.h"

#include <algorithm>

namespace assay::cpu {

Axis Axis::InParts(int64_t part_stride) const {
  if (listed_) {
    std::vector<int64_t> offsets;
    offsets.reserve(2 * list_.size());
    for (const int64_t offset : list_) {
      offsets.push_back(2 * offset);
      if (part_stride != 0) offsets.push_back(2 * offset + part_stride);
    }
    return Listed(std::move(offsets));
  }
  Axis axis;
  for (const Loop& loop : loops_) axis.Append(loop.size, 2 * loop.stride);
  if (size_ == 0) axis.size_ = 0;
  if (part_stride != 0) axis.Append(2, part_stride);
  return axis;
}

// Fills one run along the innermost dimension after the other.
void Axis::WalkOffsets(int64_t first, int64_t count, int64_t* out) const {
  absl::InlinedVector<int64_t, 8> position(loops_.size());
  int64_t outer = 0;  // the offset of the run
  int64_t rest = first;
  for (size_t d = loops_.size(); d-- > 0; rest /= loops_[d].size) {
    position[d] = rest % loops_[d].size;
    if (d + 1 < loops_.size()) outer += position[d] * loops_[d].stride;
  }
  const Loop& inner = loops_.back();
  for (int64_t done = 0, at = position.back(); done < count; at = 0) {
    const int64_t run = std::min(inner.size - at, count - done);
    for (int64_t i = 0; i < run; ++i) out[done + i] = outer + (at + i) * inner.stride;
    done += run;
    for (size_t d = loops_.size() - 1; d-- > 0;) {
      outer += loops_[d].stride;
      if (++position[d] < loops_[d].size) break;
      outer -= loops_[d].size * loops_[d].stride;
      position[d] = 0;
    }
  }
}

}  // namespace assay::cpu
