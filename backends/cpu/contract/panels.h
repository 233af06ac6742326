// Panels of factors: what a tile of the result is computed from, as many rows of lhs or columns of
// rhs as the tile has, side by side for each contracted position. Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_PANELS_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_PANELS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backends/cpu/contract/axis.h"
#include "backends/cpu/contract/number_blocks.h"
#include "backends/cpu/contract/product.h"
#include "spec/element/element.h"

namespace assay::cpu {

// Contracted positions that are summed in registers before the sum goes to memory.
inline constexpr int64_t kDepthBlock = 256;
// No tile has more rows or columns.
inline constexpr int64_t kWidestPanel = 64;

template <typename T>
class PanelPacker {
 public:
  // `width` elements of factor.outer make a panel. The factor must outlive the packer.
  PanelPacker(const Factor& factor, int64_t width)
      : factor_(factor),
        width_(width),
        bytes_(Info(factor.type).storage_bytes),
        read_(BlockReader<T>(factor.type)) {}

  // The offsets of a block of at most kDepthBlock contracted positions, for panels that follow.
  void SetDepth(int64_t first, int64_t count) {
    depth_ = count;
    factor_.depth.Offsets(first, count, depth_offsets_);
    // Where runs of elements that lie one after the other end.
    runs_ = 0;
    for (int64_t k = 1; k <= count; ++k) {
      if (k == count || depth_offsets_[k] != depth_offsets_[k - 1] + 1) run_ends_[runs_++] = k;
    }
  }

  // Packs elements first .. first + count - 1 of the outer index, at most `width`: to[k * width +
  // i] is element i at contracted position k of the block, zero for i >= count.
  void Pack(const std::byte* from, int64_t first, int64_t count, T* to) {
    int64_t outer[kWidestPanel];
    factor_.outer.Offsets(first, count, outer);
    bool side_by_side = true;
    for (int64_t i = 1; i < count; ++i) side_by_side &= outer[i] == outer[i - 1] + 1;
    if (count < width_) std::fill(to, to + depth_ * width_, T{0});
    if (side_by_side) {
      for (int64_t k = 0; k < depth_; ++k) {
        read_(factor_.type, from + (outer[0] + depth_offsets_[k]) * bytes_, count, to + k * width_);
      }
    } else {
      for (int64_t i = 0; i < count; ++i) PackOne(from + outer[i] * bytes_, to + i);
    }
  }

 private:
  // One element of the outer index at all positions.
  void PackOne(const std::byte* from, T* to) {
    T numbers[kDepthBlock];
    for (int64_t run = 0, k = 0; run < runs_; k = run_ends_[run++]) {
      read_(factor_.type, from + depth_offsets_[k] * bytes_, run_ends_[run] - k, numbers + k);
    }
    for (int64_t k = 0; k < depth_; ++k) to[k * width_] = numbers[k];
  }

  const Factor& factor_;
  const int64_t width_, bytes_;
  const ReadBlock<T> read_;
  int64_t depth_ = 0, runs_ = 0;
  int64_t depth_offsets_[kDepthBlock];
  int64_t run_ends_[kDepthBlock];
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_PANELS_H_
