// Walks over a grid in row-major order and keeps the offsets that belong to the position.
#ifndef ASSAY_SPEC_VIEWS_ODOMETER_H_
#define ASSAY_SPEC_VIEWS_ODOMETER_H_

#include <array>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace assay {

// A dimension of the grid, with the step of each of kOffsets offsets.
template <int kOffsets>
struct GridLoop {
  int64_t size = 1;
  std::array<int64_t, kOffsets> strides = {};
};

template <int kOffsets>
class Odometer {
 public:
  using Loops = absl::InlinedVector<GridLoop<kOffsets>, 6>;
  // `loops` must outlive the odometer and have no empty dimension. Begins at position number
  // `first`.
  explicit Odometer(const Loops& loops, int64_t first = 0)
      : loops_(loops), position_(loops.size(), 0) {
    for (size_t d = loops.size(); d-- > 0 && first > 0; first /= loops[d].size) {
      position_[d] = first % loops[d].size;
      for (int i = 0; i < kOffsets; ++i) offsets_[i] += position_[d] * loops[d].strides[i];
    }
  }

  int64_t offset(int i) const { return offsets_[i]; }
  int64_t position(int64_t d) const { return position_[d]; }
  // False, and back at the start, after the last position.
  bool Next() {
    for (int64_t d = static_cast<int64_t>(loops_.size()) - 1; d >= 0; --d) {
      const GridLoop<kOffsets>& loop = loops_[d];
      const bool wraps = ++position_[d] == loop.size;
      const int64_t steps = wraps ? 1 - loop.size : 1;
      for (int i = 0; i < kOffsets; ++i) offsets_[i] += steps * loop.strides[i];
      if (!wraps) return true;
      position_[d] = 0;
    }
    return false;
  }

 private:
  const Loops& loops_;
  absl::InlinedVector<int64_t, 6> position_;
  std::array<int64_t, kOffsets> offsets_ = {};
};

}  // namespace assay

#endif  // ASSAY_SPEC_VIEWS_ODOMETER_H_
