// Windows over an array: walks over output positions in row-major order and over the cells of the
// base that each window meets, in the order of window positions. Source: reference
// ops_structural.md 5.2. Tests: kernels_test.cc, runtime/strided_copy_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_WINDOWS_H_
#define ASSAY_EVALUATOR_KERNELS_WINDOWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "spec/analysis/window_taps.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/shape.h"

namespace assay::evaluator::kernels {

class WindowGrid {
 public:
  struct DimensionPlan {
    analysis::WindowTaps window;
    int64_t stride;  // of the base
  };

  // An absent window (rank 0, or all default) is one of ones.
  WindowGrid(const Shape& base, const Shape& output, const Window& window) {
    const Dimensions strides = RowMajorStrides(base.dimensions());
    for (int64_t d = 0; d < base.rank(); ++d) {
      const WindowDimension dimension =
          window.dimensions.empty() ? WindowDimension() : window.dimensions[d];
      plans_.push_back(
          {analysis::WindowTaps(base.dimension(d), output.dimension(d), dimension), strides[d]});
      output_count_ *= output.dimension(d);
      most_cells_ *= plans_.back().window.most();
    }
  }

  int64_t output_count() const { return output_count_; }
  int64_t most_cells() const { return most_cells_; }
  const DimensionPlan& dimension(int64_t d) const { return plans_[d]; }

  // Needs a grid with outputs. Begins at output number `first`.
  class Walk {
   public:
    explicit Walk(const WindowGrid& grid, int64_t first = 0)
        : grid_(grid), position_(grid.plans_.size(), 0), output_(first) {
      loops_.resize(grid.plans_.size());
      for (size_t d = loops_.size(); d-- > 0;) {
        const int64_t size = grid.plans_[d].window.output_size();
        position_[d] = first % size;
        first /= size;
        SetLoop(d);
      }
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

    // Calls f(position in the base, step, count) for the cells of each line along the last
    // dimension; stops at the first error.
    template <typename F>
    absl::Status ForEachLine(F f) const {
      int64_t cell = 0;
      for (const Loop& loop : loops_) {
        if (loop.count == 0) return absl::OkStatus();
        cell += loop.first;
      }
      const Loop line = loops_.empty() ? Loop{0, 1, 0} : loops_.back();
      const int64_t outer = std::max<int64_t>(1, loops_.size()) - 1;
      absl::InlinedVector<int64_t, 6> index(outer, 0);
      while (true) {
        if (absl::Status status = f(cell, line.step, line.count); !status.ok()) return status;
        int64_t d = outer - 1;
        for (; d >= 0; --d) {
          cell += loops_[d].step;
          if (++index[d] < loops_[d].count) break;
          cell -= loops_[d].count * loops_[d].step;
          index[d] = 0;
        }
        if (d < 0) return absl::OkStatus();
      }
    }

    // Calls f(position in the base) for each cell; stops at the first error.
    template <typename F>
    absl::Status ForEachCell(F f) const {
      return ForEachLine([&](int64_t cell, int64_t step, int64_t count) {
        absl::Status status;
        for (int64_t i = 0; i < count && status.ok(); ++i) status = f(cell + i * step);
        return status;
      });
    }

    // Returns the position of cell number `i` in the order of ForEachCell.
    int64_t CellAt(int64_t i) const {
      int64_t cell = 0;
      for (size_t d = loops_.size(); d-- > 0;) {
        cell += loops_[d].first + i % loops_[d].count * loops_[d].step;
        i /= loops_[d].count;
      }
      return cell;
    }

    // Copies the cells to contiguous storage.
    void GatherCells(const std::byte* base, int64_t bytes, std::byte* out) const {
      WithStorage(bytes, [&](auto sample) {
        ForEachLine([&](int64_t cell, int64_t step, int64_t count) {
          out = CopyLine<decltype(sample)>(base, cell, step, count, out);
          return absl::OkStatus();
        }).IgnoreError();
      });
    }

    // As GatherCells, but at most `most` at a time; calls f(out, n) for each n that lie there.
    template <typename F>
    absl::Status GatherParts(const std::byte* base, int64_t bytes, int64_t most, std::byte* out,
                             F f) const {
      absl::Status status;
      WithStorage(bytes, [&](auto sample) {
        int64_t held = 0;
        status = ForEachLine([&](int64_t cell, int64_t step, int64_t count) {
          for (int64_t i = 0, n = 0; i < count; i += n) {
            n = std::min(count - i, most - held);
            CopyLine<decltype(sample)>(base, cell + i * step, step, n, out + held * bytes);
            held += n;
            if (held < most) continue;
            held = 0;
            if (absl::Status flushed = f(out, most); !flushed.ok()) return flushed;
          }
          return absl::OkStatus();
        });
        if (status.ok() && held > 0) status = f(out, held);
      });
      return status;
    }

   private:
    struct Loop {
      int64_t first;  // position in the base of the first cell, this dimension's part
      int64_t count;
      int64_t step;
    };

    void SetLoop(size_t d) {
      const DimensionPlan& plan = grid_.plans_[d];
      const analysis::Taps taps = plan.window.At(position_[d]);
      loops_[d] = {taps.element * plan.stride, taps.count,
                   plan.window.element_step() * plan.stride};
    }
    // Returns the end of what it wrote.
    template <typename T>
    static std::byte* CopyLine(const std::byte* base, int64_t cell, int64_t step, int64_t count,
                               std::byte* out) {
      constexpr int64_t kLong = 16;
      if (step == 1 && count >= kLong) {
        std::memcpy(out, base + cell * sizeof(T), count * sizeof(T));
      } else {
        for (int64_t i = 0; i < count; ++i) StoreAt(out, i, LoadAt<T>(base, cell + i * step));
      }
      return out + count * sizeof(T);
    }

    const WindowGrid& grid_;
    absl::InlinedVector<int64_t, 6> position_;
    absl::InlinedVector<Loop, 6> loops_;
    int64_t output_;
  };

 private:
  std::vector<DimensionPlan> plans_;
  int64_t output_count_ = 1;
  int64_t most_cells_ = 1;
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_WINDOWS_H_
