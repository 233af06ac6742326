// The layout of one index of a matrix product in an array: the dimensions that it iterates over in
// row-major order, each with its size and its stride in elements. Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_AXIS_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_AXIS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace assay::cpu {

class Axis {
 public:
  // An axis without dimensions has one position at offset 0.
  Axis() = default;
  // The dimensions of an array that `dimensions` lists, major first.
  Axis(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides,
       absl::Span<const int64_t> dimensions) {
    for (const int64_t d : dimensions) Append(sizes[d], strides[d]);
  }
  // Returns an axis with positions at these offsets.
  static Axis Listed(std::vector<int64_t> offsets) {
    Axis axis;
    axis.listed_ = true;
    axis.size_ = static_cast<int64_t>(offsets.size());
    axis.list_ = std::move(offsets);
    return axis;
  }

  // Adds a dimension inside the others. Must not be called on a listed axis.
  void Append(int64_t size, int64_t stride) {
    size_ *= size;
    if (size == 1) return;
    if (!loops_.empty() && loops_.back().stride == size * stride) {
      loops_.back() = {loops_.back().size * size, stride};
    } else {
      loops_.push_back({size, stride});
    }
  }
  // Returns the same positions in an array of the parts of complex numbers, which has two elements
  // for each complex one. If `part_stride` is not 0 the axis also iterates over the two parts,
  // which are that far apart.
  Axis InParts(int64_t part_stride) const;

  int64_t size() const { return size_; }
  // Tells if consecutive positions have a constant distance, and which.
  bool is_progression() const { return !listed_ && loops_.size() <= 1; }
  int64_t stride() const { return loops_.empty() ? 1 : loops_.back().stride; }
  bool is_contiguous() const { return is_progression() && stride() == 1; }
  // Sets out[i] to the offset of position first + i.
  void Offsets(int64_t first, int64_t count, int64_t* out) const {
    if (listed_) {
      for (int64_t i = 0; i < count; ++i) out[i] = list_[first + i];
      return;
    }
    if (loops_.size() <= 1) {
      const int64_t step = loops_.empty() ? 0 : loops_[0].stride;
      for (int64_t i = 0; i < count; ++i) out[i] = (first + i) * step;
      return;
    }
    if (count > 0) WalkOffsets(first, count, out);
  }
  int64_t Offset(int64_t position) const {
    int64_t offset;
    Offsets(position, 1, &offset);
    return offset;
  }

 private:
  struct Loop {
    int64_t size;
    int64_t stride;
  };
  void WalkOffsets(int64_t first, int64_t count, int64_t* out) const;

  absl::InlinedVector<Loop, 4> loops_;
  bool listed_ = false;
  std::vector<int64_t> list_;
  int64_t size_ = 1;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_AXIS_H_
