// Walks over the windows of a scatter. Source: reference ops_structural.md 4.2.
// Tests: folding_kernels_test.cc, small_worlds_indexing_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SCATTER_WINDOWS_H_
#define ASSAY_EVALUATOR_KERNELS_SCATTER_WINDOWS_H_

#include <algorithm>
#include <type_traits>

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "runtime/indices.h"
#include "spec/analysis/scatter_plan.h"
#include "spec/views/odometer.h"

namespace assay::evaluator::kernels {

struct ScatterWindows : analysis::ScatterPlan {
  using ScatterPlan::ScatterPlan;

  // Calls f(position in data, position in updates) for each window that fits, in order. f may
  // return a status; what f cannot fail at costs less.
  template <typename F>
  absl::Status ForEachWindow(const std::byte* indices, Meter& meter, F f) const {
    return ForEachWindow(indices, 0, windows, meter, f);
  }
  // Visits the windows [first, end) only.
  template <typename F>
  absl::Status ForEachWindow(const std::byte* indices, int64_t first, int64_t end, Meter& meter,
                             F f) const {
    absl::Status status;
    runtime::WithIndexType(index_type,
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
  // Adds the start of the window whose index vector lies at `index`. Returns false if the window
  // does not fit.
  template <typename Load>
  bool FindStart(Load load, const std::byte* indices, int64_t index, int64_t& start) const {
    for (const Component& c : components) {
      const int64_t s = load(indices, index + c.index_offset);
      if (s < 0 || s > c.limit) return false;
      start += s * c.data_stride;
    }
    return true;
  }
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SCATTER_WINDOWS_H_
