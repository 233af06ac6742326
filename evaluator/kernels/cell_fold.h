// Updates that meet scattered cells of a result: each cell becomes the recognised reducer of itself
// and all its updates, rounded once. Scatter and select-and-scatter share it.
// Tests: kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/kernels/recognised_fold.h"

namespace assay::kernels {

// Positions in elements.
struct CellUpdate {
  int64_t cell;
  int64_t update;
};

// Sorts `updates`.
inline absl::Status FoldCells(const RecognisedFold& fold, std::vector<CellUpdate>& updates,
                              const std::byte* update_data, std::byte* cells, Meter& meter) {
  const int64_t bytes = StorageBytes(fold.type());
  std::sort(updates.begin(), updates.end(),
            [](const CellUpdate& a, const CellUpdate& b) { return a.cell < b.cell; });
  std::vector<std::byte> gathered;
  const auto count = static_cast<int64_t>(updates.size());
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && updates[end].cell == updates[begin].cell) ++end;
    gathered.resize((end - begin) * bytes);
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(gathered.data() + (i - begin) * bytes, update_data + updates[i].update * bytes,
                  bytes);
    }
    std::byte* cell = cells + updates[begin].cell * bytes;
    absl::Status status = fold.Rows(cell, 1, gathered.data(), 1, end - begin, cell, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
