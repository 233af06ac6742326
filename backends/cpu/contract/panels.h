// Panels of factors, from which a tile of the result is computed: as many rows of lhs or columns of
// rhs as the tile has, contiguous for each contracted position. Tests: contract_test.cc.
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
// The largest number of rows or columns of a tile.
inline constexpr int64_t kWidestPanel = 32;

// Which of the factors is packed: rows of lhs, or columns of rhs.
enum class Side : uint8_t { kRows, kColumns };

// `kPerNumber` 2 puts two contracted positions into each number, 16 bits each.
template <typename T, int kPerNumber = 1>
class PanelPacker {
 public:
  // The factor and the functions must outlive the packer.
  PanelPacker(const Factor& factor, Side side, const TileFunctions<T>& tile,
              const TileConversions& convert)
      : factor_(factor),
        width_(side == Side::kRows ? tile.rows : tile.columns),
        bytes_(Info(factor.type).storage_bytes),
        pack_series_(side == Side::kRows ? tile.pack_row_series : tile.pack_column_series),
        pack_sides_(side == Side::kRows ? tile.pack_rows : tile.pack_columns),
        read_(factor.type, convert),
        multiply_series_(tile.multiply_series),
        multiply_few_series_(tile.multiply_few_series),
        tile_rows_(tile.rows),
        is_stored_(IsStoredAs<T>(factor.type) && kPerNumber == 1) {}

  // The offsets of a block of contracted positions, for panels that follow.
  void SetDepth(int64_t first, int64_t count) {
    depth_ = count;
    factor_.depth.Offsets(first, count, offsets_);
    FindRuns();
  }

  // Packs elements first .. first + count - 1 of the outer index, at most `width`: to[k * width +
  // i] is element i at contracted position k of the block, zero for i >= count.
  void Pack(const std::byte* from, int64_t first, int64_t count, T* to) {
    if (runs_ == 0) return;  // nothing is contracted, and there may be no storage
    int64_t outer[kWidestPanel];
    factor_.outer.Offsets(first, count, outer);
    bool side_by_side = count > 1 || runs_ > 1;
    for (int64_t i = 1; i < count; ++i) side_by_side &= outer[i] == outer[i - 1] + 1;
    if (side_by_side) {
      PackSideBySide(from + outer[0] * bytes_, count, to);
    } else {
      PackEach(from, outer, count, to);
    }
  }

  // Packs panels of elements first .. first + count - 1, each `step` numbers behind the one before.
  void PackPanels(const std::byte* from, int64_t first, int64_t count, int64_t step, T* to) {
    if (!is_stored_ || !factor_.outer.is_contiguous() || count <= width_) {
      for (int64_t i = 0; i < count; i += width_, to += step) {
        Pack(from, first + i, std::min(width_, count - i), to);
      }
      return;
    }
    // Few rows at a time, which are read from end to end: rows are often pages apart. The processor
    // fetches them ahead by itself.
    constexpr int64_t kRowsAtATime = 8;
    const T* const numbers = reinterpret_cast<const T*>(from) + factor_.outer.Offset(first);
    for (int64_t k = 0; k < depth_; k += kRowsAtATime, to += kRowsAtATime * width_) {
      T* panel = to;
      for (int64_t i = 0; i < count; i += width_, panel += step) {
        pack_sides_(std::min(kRowsAtATime, depth_ - k), numbers + i, offsets_ + k,
                    std::min(width_, count - i), panel);
      }
    }
  }

  // Returns the panel that Pack would write where it lies, or null if it has to be packed. Element
  // i at contracted position k of the block is [k * stride + i].
  const T* InPlace(const std::byte* from, int64_t first, int64_t count, int64_t* stride) const {
    const Axis& depth = factor_.depth;
    const bool lies = is_stored_ && count == width_ && factor_.outer.is_contiguous() &&
                      depth.is_progression() && reinterpret_cast<uintptr_t>(from) % alignof(T) == 0;
    if (!lies || depth_ == 0) return nullptr;
    *stride = depth.size() == 1 ? 0 : depth.stride();
    // Longer strides would put all positions into few sets of the first-level cache.
    constexpr int64_t kLongestStride = 1024;  // bytes
    if (*stride < 0 || *stride * bytes_ > kLongestStride) return nullptr;
    return reinterpret_cast<const T*>(from) + offsets_[0] + first;
  }

  // Returns the `count` elements of the block at an outer index as numbers, in place or in
  // `buffer`.
  const T* Series(const std::byte* from, T* buffer) const {
    if (is_stored_ && runs_ == 1) return reinterpret_cast<const T*>(from + offsets_[0] * bytes_);
    if (is_stored_ && runs_ > 0 && !HasLongRuns()) {
      const T* numbers = reinterpret_cast<const T*>(from);
      for (int64_t k = 0; k < depth_; ++k)
        std::memcpy(buffer + k, numbers + offsets_[k], sizeof(T));
      return buffer;
    }
    for (int64_t run = 0, k = 0; run < runs_; k = run_ends_[run++]) {
      read_(from + offsets_[k] * bytes_, run_ends_[run] - k, buffer + k);
    }
    return buffer;
  }

  // Returns true if the block consists of runs that are long enough to be multiplied in place, or
  // to be copied one by one.
  bool HasLongRuns() const {
    constexpr int64_t kLong = 8;
    return is_stored_ && runs_ > 0 && depth_ / runs_ >= kLong;
  }
  // Sets series[i] to the first element of outer index first + i. As many as a tile could have
  // beyond repeat the last one.
  void SetSeries(const std::byte* from, int64_t first, int64_t count, const T** series) const {
    for (int64_t i = 0; i < count; i += kWidestPanel) {
      int64_t outer[kWidestPanel];
      const int64_t n = std::min(kWidestPanel, count - i);
      factor_.outer.Offsets(first + i, n, outer);
      for (int64_t k = 0; k < n; ++k) {
        series[i + k] = reinterpret_cast<const T*>(from + outer[k] * bytes_);
      }
    }
    for (int64_t i = 0; i < tile_rows_; ++i) series[count + i] = series[count - 1];
  }
  // Returns the number of rows that MultiplySeries should multiply next, of `left`.
  int64_t SeriesRows(int64_t left) const {
    const auto rounded = [&](int64_t unit) { return (left + unit - 1) / unit * unit; };
    const bool few = left <= 2 * kFewTileRows && rounded(kFewTileRows) < rounded(tile_rows_);
    return few ? kFewTileRows : tile_rows_;
  }
  // Multiplies the rows whose elements begin at `series`, a tile's or kFewTileRows, by a panel of
  // rhs.
  void MultiplySeries(const T* const* series, int64_t rows, const T* rhs, int64_t rhs_stride,
                      T* tile, int64_t tile_stride, bool add) const {
    const auto multiply = rows == tile_rows_ ? multiply_series_ : multiply_few_series_;
    for (int64_t run = 0, k = 0; run < runs_; k = run_ends_[run++]) {
      multiply(run_ends_[run] - k, series, offsets_[k], rhs + k * rhs_stride, rhs_stride, tile,
               tile_stride, add || run > 0);
    }
  }
  // Returns the buffer of series i.
  T* buffer(int64_t i) { return buffer_ + i * kNumbers; }

 private:
  // Finds the ends of runs of contiguous elements.
  void FindRuns() {
    const Axis& depth = factor_.depth;
    if (depth.is_contiguous() || depth_ <= 1) {
      runs_ = std::min<int64_t>(depth_, 1);
      run_ends_[0] = depth_;
      return;
    }
    runs_ = 0;
    if (depth.is_progression()) {
      for (; runs_ < depth_; ++runs_) run_ends_[runs_] = runs_ + 1;
      return;
    }
    for (int64_t k = 1; k <= depth_; ++k) {
      if (k == depth_ || offsets_[k] != offsets_[k - 1] + 1) run_ends_[runs_++] = k;
    }
  }

  void PackSideBySide(const std::byte* from, int64_t count, T* to) {
    if (is_stored_) {
      return pack_sides_(depth_, reinterpret_cast<const T*>(from), offsets_, count, to);
    }
    T rows[kPerNumber][kWidestPanel] = {};
    for (int64_t k = 0; k < depth_; k += kPerNumber, to += width_) {
      for (int64_t p = 0; p < kPerNumber; ++p) {
        if (k + p < depth_) {
          read_(from + offsets_[k + p] * bytes_, count, rows[p]);
        } else {
          std::fill_n(rows[p], count, T{0});
        }
      }
      for (int64_t i = 0; i < width_; ++i) {
        if constexpr (kPerNumber == 2) {
          to[i] = Pair(rows[0][i], rows[1][i]);
        } else {
          to[i] = rows[0][i];
        }
      }
    }
  }

  void PackEach(const std::byte* from, const int64_t* outer, int64_t count, T* to) {
    const T* series[kWidestPanel];
    const int64_t numbers = (depth_ + kPerNumber - 1) / kPerNumber;
    for (int64_t i = 0; i < count; ++i) {
      T* buffer = this->buffer(i);
      series[i] = Series(from + outer[i] * bytes_, buffer);
      if constexpr (kPerNumber == 2) {
        if (depth_ % 2 != 0) buffer[depth_] = 0;
        for (int64_t k = 0; k < numbers; ++k) buffer[k] = Pair(buffer[2 * k], buffer[2 * k + 1]);
      }
    }
    pack_series_(numbers, series, count, to);
  }

  static T Pair(T low, T high) { return static_cast<T>((low & T{0xffff}) | high << 16); }

  static constexpr int64_t kNumbers = kDepthBlock * kPerNumber;

  const Factor& factor_;
  const int64_t width_, bytes_;
  const typename TileFunctions<T>::PackSeries pack_series_;
  const typename TileFunctions<T>::PackSides pack_sides_;
  const BlockReader<T> read_;
  const typename TileFunctions<T>::MultiplySeries multiply_series_, multiply_few_series_;
  const int64_t tile_rows_;
  const bool is_stored_;
  int64_t depth_ = 0, runs_ = 0;
  int64_t offsets_[kNumbers];
  int64_t run_ends_[kNumbers];
  T buffer_[kWidestPanel * kNumbers];
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_PANELS_H_
