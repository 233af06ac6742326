// scatter: windows of updates folded into a copy of the data, in the order of the definition. A
// window that does not fit is left out whole. Sums and products of narrow floats are accumulated in
// f32. Source: reference ops_structural.md 4.2. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cpu/cell_fold.h"
#include "backends/cpu/cell_rows.h"
#include "backends/cpu/kernels.h"
#include "backends/defect.h"
#include "runtime/indices.h"
#include "runtime/scratch.h"
#include "spec/analysis/scatter_plan.h"

namespace assay::cpu {
namespace {

class ScatterKernel : public Kernel {
 public:
  ScatterKernel(const Instruction& scatter, std::shared_ptr<const Fold> fold)
      : plan_(scatter),
        fold_(std::move(fold)),
        arrays_(plan_.operands),
        cells_(scatter.operand(0)->shape().element_count()) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    for (int64_t k = 0; k < arrays_; ++k) {
      if (results[k].data == operands[k].data || cells_ == 0) continue;
      std::memcpy(results[k].data, operands[k].data, cells_ * fold_->result_bytes(k));
    }
    if (absl::Status status = context.Charge(cells_); !status.ok()) return status;
    if (plan_.windows == 0) return absl::OkStatus();
    if (ASSAY_DEFECT(11, false, fold_->overwrites())) return absl::OkStatus();
    if (fold_->overwrites()) return Overwrite(operands, results, context);
    // Accumulators: the results themselves, or wide copies of them.
    runtime::ScratchLease lease(context);
    std::vector<std::optional<Workspace>> wide(arrays_);
    std::vector<std::byte*> acc(arrays_);
    for (int64_t k = 0; k < arrays_; ++k) {
      acc[k] = results[k].data;
      if (!fold_->narrows(k)) continue;
      const int64_t bytes = cells_ * fold_->acc_bytes(k);
      if (absl::Status status = lease.Add(bytes); !status.ok()) return status;
      wide[k].emplace(bytes);
      acc[k] = wide[k]->data();
      fold_->WidenResult(k, results[k].data, cells_, acc[k]);
    }
    absl::Status status = FoldWindows(operands, acc, context);
    for (int64_t k = 0; k < arrays_ && status.ok(); ++k) {
      if (fold_->rounds_results(k)) {
        status = StoreMet(operands, k, acc[k], results[k].data, context);
      } else if (fold_->narrows(k)) {
        fold_->Narrow(k, acc[k], cells_, results[k].data);
      }
    }
    return status;
  }
  int in_place_operand() const override { return 0; }

 private:
  // Runs of a window shorter than this are combined with those of other windows.
  static constexpr int64_t kLongRun = 32;
  // The number of runs that are folded by one call.
  static constexpr int64_t kRuns = 256;
  // The number of steps between two charges.
  static constexpr int64_t kStepsOfPortion = 1 << 12;

  // Calls visit(offset in the data, offset in the updates) for each window that fits. Charges one
  // step for each window, and `cost` for each that fits.
  template <typename Visit>
  absl::Status ForEachWindow(absl::Span<const ArrayRef> operands, Context& context, int64_t cost,
                             Visit visit) const {
    const std::byte* indices = operands[arrays_].data;
    absl::Status status;
    runtime::WithIndexType(plan_.index_type, [&](auto load) {
      if (plan_.components.size() == 1) {
        const analysis::ScatterPlan::Component only = plan_.components[0];
        status = WalkWindows(context, cost, visit, [=](int64_t index, int64_t* data) {
          return Place(only, indices, index, load, data);
        });
      } else {
        status = WalkWindows(context, cost, visit, [&](int64_t index, int64_t* data) {
          bool fits = true;
          for (const analysis::ScatterPlan::Component& component : plan_.components) {
            fits &= Place(component, indices, index, load, data);
          }
          return fits;
        });
      }
    });
    return status;
  }

  // Calls place(offset in the indices, &offset in the data) for each window, and `visit` as
  // ForEachWindow does where that returns true.
  template <typename Visit, typename Place>
  absl::Status WalkWindows(Context& context, int64_t cost, Visit& visit, Place place) const {
    runtime::Meter meter(context);
    const int64_t portion = std::max<int64_t>(1, kStepsOfPortion / (cost + 1));
    const GridLoop<3> row = plan_.row;
    Odometer<3> batch(plan_.batch);
    do {
      const int64_t index = batch.offset(0), update = batch.offset(1), data = batch.offset(2);
      for (int64_t first = 0; first < row.size; first += portion) {
        const int64_t end = std::min(first + portion, row.size);
        int64_t fitting = 0;
        for (int64_t r = first; r < end; ++r) {
          int64_t start = data + r * row.strides[2];
          if (!place(index + r * row.strides[0], &start)) continue;
          ++fitting;
          if constexpr (std::is_void_v<decltype(visit(start, update))>) {
            visit(start, update + r * row.strides[1]);
          } else {
            absl::Status status = visit(start, update + r * row.strides[1]);
            if (!status.ok()) return status;
          }
        }
        absl::Status status = meter.Add(end - first + fitting * cost);
        if (!status.ok()) return status;
      }
    } while (batch.Next());
    return meter.Flush();
  }

  // Moves *data by one component of a window's start. Returns false if the window does not fit.
  template <typename Load>
  static bool Place(const analysis::ScatterPlan::Component& component, const std::byte* indices,
                    int64_t index, Load load, int64_t* data) {
    const int64_t start = load(indices, index + component.index_offset);
    const bool fits = start >= 0 && start <= ASSAY_DEFECT(10, component.limit, component.limit - 1);
    *data += fits ? start * component.data_stride : 0;
    return fits;
  }

  // Calls visit(offset in the data, offset in the updates) for each run of a window.
  template <typename Visit>
  void ForEachRun(Visit visit) const {
    if (plan_.outer_window.empty()) return visit(0, 0);
    Odometer<2> window(plan_.outer_window);
    do {
      visit(window.offset(0), window.offset(1));
    } while (window.Next());
  }

  absl::Status Overwrite(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, Context& context) const {
    return ForEachWindow(operands, context, plan_.window_count, [&](int64_t data, int64_t update) {
      ForEachRun([&](int64_t cell, int64_t position) {
        for (int64_t k = 0; k < arrays_; ++k) {
          // Elements and results of an overwriting reducer have one type.
          const int64_t bytes = fold_->element_bytes(k);
          std::memcpy(results[k].data + (data + cell) * bytes,
                      operands[arrays_ + 1 + k].data + (update + position) * bytes,
                      plan_.run * bytes);
        }
      });
    });
  }

  // Stores array k where an update has met it. All else keeps numbers that the accumulators lack.
  absl::Status StoreMet(absl::Span<const ArrayRef> operands, int64_t k, const std::byte* acc,
                        std::byte* result, Context& context) const {
    const int64_t bytes = fold_->result_bytes(k);
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(cells_ * bytes); !status.ok()) return status;
    std::vector<std::byte> narrow(cells_ * bytes);
    fold_->Narrow(k, acc, cells_, narrow.data());
    return ForEachWindow(operands, context, plan_.window_count, [&](int64_t data, int64_t) {
      ForEachRun([&](int64_t cell, int64_t) {
        const int64_t first = (data + cell) * bytes;
        std::memcpy(result + first, narrow.data() + first, plan_.run * bytes);
      });
    });
  }

  // One run of a window after the other, in a plain loop.
  absl::Status FoldRunsOfWindows(absl::Span<const ArrayRef> operands, std::byte* acc,
                                 Context& context) const {
    const std::byte* updates = operands[arrays_ + 1].data;
    int64_t cells[kRuns], positions[kRuns], count = 0;
    const CellFunction fold = fold_->cells(0);
    const auto flush = [&] {
      fold(acc, updates, {cells, positions, count, ASSAY_DEFECT(9, plan_.run, plan_.run / 2)});
      count = 0;
    };
    const auto add = [&](int64_t cell, int64_t position) {
      cells[count] = cell;
      positions[count] = position;
      if (++count == kRuns) flush();
    };
    absl::Status status;
    if (plan_.outer_window.empty()) {
      status = ForEachWindow(operands, context, plan_.window_count, add);
    } else {
      status =
          ForEachWindow(operands, context, plan_.window_count, [&](int64_t data, int64_t update) {
            ForEachRun(
                [&](int64_t cell, int64_t position) { add(data + cell, update + position); });
          });
    }
    flush();
    return status;
  }

  absl::Status FoldWindows(absl::Span<const ArrayRef> operands, absl::Span<std::byte* const> acc,
                           Context& context) const {
    if (arrays_ == 1 && fold_->cells(0) != nullptr) {
      return FoldRunsOfWindows(operands, acc[0], context);
    }
    CellFold cells(*fold_, acc, context);
    std::vector<const std::byte*> updates;
    for (int64_t k = 0; k < arrays_; ++k) updates.push_back(operands[arrays_ + 1 + k].data);
    cells.SetUpdates(updates);
    absl::Status status = ForEachWindow(operands, context, 0, [&](int64_t data, int64_t update) {
      Odometer<2> window(plan_.outer_window);
      do {
        const int64_t cell = data + window.offset(0), position = update + window.offset(1);
        absl::Status added;
        if (plan_.run >= kLongRun) {
          added = cells.AddRun(cell, position, plan_.run);
        } else {
          for (int64_t i = 0; i < plan_.run && added.ok(); ++i) {
            added = cells.Add(cell + i, position + i);
          }
        }
        if (!added.ok()) return added;
      } while (window.Next());
      return absl::OkStatus();
    });
    return status.ok() ? cells.Flush() : status;
  }

  const analysis::ScatterPlan plan_;
  const std::shared_ptr<const Fold> fold_;
  const int64_t arrays_, cells_;
};

}  // namespace

KernelOr PrepareScatter(const Instruction& scatter) {
  const int64_t arrays = (scatter.operand_count() - 1) / 2;
  std::vector<ElementType> elements, results;
  const std::vector<const Shape*> leaves = Leaves(scatter.shape());
  for (int64_t k = 0; k < arrays; ++k) {
    elements.push_back(scatter.operand(arrays + 1 + k)->shape().element_type());
    results.push_back(leaves[k]->element_type());
  }
  auto fold = Fold::Create(*scatter.to_apply(), elements, results, results);
  if (!fold.ok()) return fold.status();
  return std::make_unique<ScatterKernel>(scatter, *std::move(fold));
}

}  // namespace assay::cpu
