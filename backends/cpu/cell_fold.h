// Folds updates into cells that are named by index, one update after the other: scatter and
// select-and-scatter. Updates of different cells are independent and are combined together.
// Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CELL_FOLD_H_
#define ASSAY_BACKENDS_CPU_CELL_FOLD_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/cpu/fold.h"

namespace assay::cpu {

class CellFold {
 public:
  // `cells` has, for each array, all cells as accumulators.
  CellFold(const Fold& fold, absl::Span<std::byte* const> cells, runtime::Context& context);

  // Folds element `position` of the updates into a cell, at the latest when Flush is called.
  absl::Status Add(int64_t cell, int64_t position) {
    cell_[held_] = cell;
    position_[held_] = position;
    return ++held_ < kBlockElements ? absl::OkStatus() : Flush();
  }
  // Sets the arrays of updates that positions refer to.
  void SetUpdates(absl::Span<const std::byte* const> updates) {
    updates_.assign(updates.begin(), updates.end());
  }
  absl::Status Flush();
  // Folds n neighbouring updates into as many neighbouring cells, after all that was added.
  absl::Status AddRun(int64_t cell, int64_t position, int64_t n);

 private:
  // Computes for each held update how many earlier held updates have the same cell; returns the
  // largest of these numbers.
  int64_t RankUpdates();
  absl::Status CombineHeld(int64_t first, int64_t n);

  static constexpr int64_t kTable = 4 * kBlockElements;
  const Fold& fold_;
  const std::vector<std::byte*> cells_;
  std::vector<const std::byte*> updates_;
  runtime::Context& context_;
  Workspace space_;
  std::vector<std::byte*> acc_, load_, wide_;
  std::byte* scratch_;
  std::vector<int64_t> cell_, position_, rank_, order_;
  std::vector<int32_t> table_;  // the last held update of a cell, by hash; -1: none
  int64_t held_ = 0;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CELL_FOLD_H_
