// Updates that meet scattered cells of a result: each cell becomes the recognised reducer of itself
// and all its updates, rounded once. Scatter and select-and-scatter share it.
// Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/scratch.h"

namespace assay::kernels {

// Positions in elements; 32-bit ones where arrays are that short, which halves the scratch.
template <typename Position>
struct CellUpdate {
  Position cell;
  Position update;
};

// A list that grows by halves, counted against the run.
template <typename Position>
class CellUpdates {
 public:
  explicit CellUpdates(EvaluationContext& context) : lease_(context) {}
  absl::Status Add(int64_t cell, int64_t update) {
    if (list_.size() == list_.capacity()) {
      const size_t room = std::max<size_t>(1024, list_.size() + list_.size() / 2);
      absl::Status status = lease_.Add((room - list_.capacity()) * sizeof(list_[0]));
      if (!status.ok()) return status;
      list_.reserve(room);
    }
    list_.push_back({static_cast<Position>(cell), static_cast<Position>(update)});
    return absl::OkStatus();
  }
  void SortByCell() {
    std::sort(list_.begin(), list_.end(),
              [](const auto& a, const auto& b) { return a.cell < b.cell; });
  }
  absl::Span<const CellUpdate<Position>> list() const { return list_; }

 private:
  ScratchLease lease_;
  std::vector<CellUpdate<Position>> list_;
};

inline bool FitsIn32Bits(int64_t cells, int64_t updates) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  return cells <= kMost && updates <= kMost;
}

// The element loop of a reducer that may combine two at a time, whatever the order: every
// recognised one but the sums and products of floats.
std::optional<ElementLoop> PairwiseLoop(const Computation& computation, ElementType type);

// Sorts `updates`.
template <typename Position>
absl::Status FoldCells(const RecognisedFold& fold, CellUpdates<Position>& updates,
                       const std::byte* update_data, std::byte* cells, Meter& meter) {
  const int64_t bytes = StorageBytes(fold.type());
  updates.SortByCell();
  const absl::Span<const CellUpdate<Position>> list = updates.list();
  std::vector<std::byte> gathered;
  const auto count = static_cast<int64_t>(list.size());
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && list[end].cell == list[begin].cell) ++end;
    gathered.resize((end - begin) * bytes);
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(gathered.data() + (i - begin) * bytes, update_data + list[i].update * bytes,
                  bytes);
    }
    std::byte* cell = cells + list[begin].cell * bytes;
    absl::Status status = fold.Rows(cell, 1, gathered.data(), 1, end - begin, cell, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
