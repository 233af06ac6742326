// Where the windows of a scatter lie, and walks over them. Source: reference ops_structural.md 4.2.
// Tests: folding_kernels_test.cc, small_worlds_indexing_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SCATTER_PLAN_H_
#define ASSAY_EVALUATOR_KERNELS_SCATTER_PLAN_H_

#include <algorithm>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "evaluator/kernels/indices.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/odometer.h"
#include "spec/ir/module.h"

namespace assay::kernels {

// Positions in elements of the data and of the updates.
struct ScatterPlan {
  struct Component {
    int64_t index_offset;
    int64_t limit;  // the largest start at which the window fits
    int64_t data_stride;
  };
  explicit ScatterPlan(const Instruction& scatter);

  // Calls f(position in data, position in updates) for each window that fits, in order. f may
  // return a status; what f cannot fail at costs less.
  template <typename F>
  absl::Status ForEachWindow(const std::byte* indices, Meter& meter, F f) const {
    return ForEachWindow(indices, 0, windows, meter, f);
  }
  // Of the windows [first, end) only.
  template <typename F>
  absl::Status ForEachWindow(const std::byte* indices, int64_t first, int64_t end, Meter& meter,
                             F f) const {
    absl::Status status;
    WithIndexType(index_type,
                  [&](auto load) { status = Walk(load, indices, first, end, meter, f); });
    return status;
  }
  template <typename Load, typename F>
  absl::Status Walk(Load load, const std::byte* indices, int64_t first, int64_t end, Meter& meter,
                    F& f) const {
    constexpr int64_t kMetered = 1024;
    if (first >= end) return absl::OkStatus();
    Odometer<3> at(batch, first / row.size);
    int64_t i = first % row.size;
    for (int64_t left = end - first; left > 0; i = 0, at.Next()) {
      const int64_t stop = std::min(row.size, i + left);
      left -= stop - i;
      while (i < stop) {
        const int64_t pause = std::min(stop, i + kMetered);
        if (absl::Status status = meter.Add(pause - i); !status.ok()) return status;
        for (; i < pause; ++i) {
          int64_t start = at.offset(2) + i * row.strides[2];
          const int64_t index = at.offset(0) + i * row.strides[0];
          if (!FindStart(load, indices, index, start)) continue;
          const int64_t update = at.offset(1) + i * row.strides[1];
          if constexpr (std::is_void_v<decltype(f(start, update))>) {
            f(start, update);
          } else {
            absl::Status status = f(start, update);
            if (!status.ok()) return status;
          }
        }
      }
    }
    return absl::OkStatus();
  }
  // Adds the start of the window whose index vector lies at `index`. False where the window does
  // not fit.
  template <typename Load>
  bool FindStart(Load load, const std::byte* indices, int64_t index, int64_t& start) const {
    for (const Component& c : components) {
      const int64_t s = load(indices, index + c.index_offset);
      if (s < 0 || s > c.limit) return false;
      start += s * c.data_stride;
    }
    return true;
  }

  int64_t operands;
  ElementType index_type;
  int64_t windows = 1;  // 0 where there is no element to move
  // Windows with different starts share no cell.
  bool disjoint = true;
  int64_t window_count = 1;  // elements of a window
  Odometer<3>::Loops batch;  // offsets in indices, updates, data; without the innermost,
  GridLoop<3> row;           // which is this
  absl::InlinedVector<Component, 4> components;
  // The window without its innermost run; offsets in data, updates.
  Odometer<2>::Loops outer_window;
  int64_t run = 1;  // elements side by side in both
};

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SCATTER_PLAN_H_
