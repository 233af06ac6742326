// Windows over an array: walks over output positions in row-major order and over the cells of the
// base that each window meets, in the order of window positions. Source: reference
// ops_structural.md 5.2. Tests: kernels_test.cc, strided_copy_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_WINDOWS_H_
#define ASSAY_EVALUATOR_KERNELS_WINDOWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "evaluator/kernels/window_taps.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/shape.h"

namespace assay::kernels {

class WindowGrid {
 public:
  struct DimensionPlan {
    WindowTaps window;
    int64_t stride;  // of the base
  };

  // An absent window (rank 0, or all default) is one of ones.
  WindowGrid(const Shape& base, const Shape& output, const Window& window) {
    const Dimensions strides = RowMajorStrides(base.dimensions());
    for (int64_t d = 0; d < base.rank(); ++d) {
      const WindowDimension dimension =
          window.dimensions.empty() ? WindowDimension() : window.dimensions[d];
      plans_.push_back({WindowTaps(base.dimension(d), output.dimension(d), dimension), strides[d]});
      output_count_ *= output.dimension(d);
      most_cells_ *= plans_.back().window.most();
    }
  }

  int64_t output_count() const { return output_count_; }
  int64_t most_cells() const { return most_cells_; }
  const DimensionPlan& dimension(int64_t d) const { return plans_[d]; }

  // Needs a grid with outputs.
  class Walk {
   public:
    explicit Walk(const WindowGrid& grid) : grid_(grid), position_(grid.plans_.size(), 0) {
      loops_.resize(grid.plans_.size());
      for (size_t d = 0; d < loops_.size(); ++d) SetLoop(d);
    }

    int64_t output() const { return output_; }
    int64_t cell_count() const {
      int64_t count = 1;
      for (const Loop& loop : loops_) count *= loop.count;
      return count;
    }
    bool Next() {
      ++output_;
      for (int64_t d = static_cast<int64_t>(loops_.size()) - 1; d >= 0; --d) {
        const bool wraps = ++position_[d] == grid_.plans_[d].window.output_size();
        if (wraps) position_[d] = 0;
        SetLoop(d);
        if (!wraps) return true;
      }
      return false;
    }

    // Calls f(position in the base) for each cell; stops at the first error.
    template <typename F>
    absl::Status ForEachCell(F f) const {
      int64_t cell = 0;
      for (const Loop& loop : loops_) {
        if (loop.count == 0) return absl::OkStatus();
        cell += loop.first;
      }
      absl::InlinedVector<int64_t, 6> index(loops_.size(), 0);
      while (true) {
        if (absl::Status status = f(cell); !status.ok()) return status;
        int64_t d = static_cast<int64_t>(loops_.size()) - 1;
        for (; d >= 0; --d) {
          cell += loops_[d].step;
          if (++index[d] < loops_[d].count) break;
          cell -= loops_[d].count * loops_[d].step;
          index[d] = 0;
        }
        if (d < 0) return absl::OkStatus();
      }
    }

    // The cells side by side.
    void GatherCells(const std::byte* base, int64_t bytes, std::byte* out) const {
      switch (bytes) {
        case 1:
          return Gather<1>(base, out);
        case 2:
          return Gather<2>(base, out);
        case 4:
          return Gather<4>(base, out);
        case 8:
          return Gather<8>(base, out);
        default:
          return Gather<16>(base, out);
      }
    }

   private:
    struct Loop {
      int64_t first;  // position in the base of the first cell, this dimension's part
      int64_t count;
      int64_t step;
    };

    void SetLoop(size_t d) {
      const DimensionPlan& plan = grid_.plans_[d];
      const Taps taps = plan.window.At(position_[d]);
      loops_[d] = {taps.element * plan.stride, taps.count,
                   plan.window.element_step() * plan.stride};
    }
    template <int kBytes>
    void Gather(const std::byte* base, std::byte* out) const {
      ForEachCell([&](int64_t cell) {
        std::memcpy(out, base + cell * kBytes, kBytes);
        out += kBytes;
        return absl::OkStatus();
      }).IgnoreError();
    }

    const WindowGrid& grid_;
    absl::InlinedVector<int64_t, 6> position_;
    absl::InlinedVector<Loop, 6> loops_;
    int64_t output_ = 0;
  };

 private:
  std::vector<DimensionPlan> plans_;
  int64_t output_count_ = 1;
  int64_t most_cells_ = 1;
};

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_WINDOWS_H_
