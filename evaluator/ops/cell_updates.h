// The updates of each cell of a result, in order. Scatter and select-and-scatter iterate over their
// updates once and then look up the updates of a cell.
#ifndef ASSAY_EVALUATOR_OPS_CELL_UPDATES_H_
#define ASSAY_EVALUATOR_OPS_CELL_UPDATES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace assay::evaluator {

class CellUpdates {
 public:
  // Adds an update. Both numbers are row-major positions.
  void Add(int64_t cell, int64_t update) { updates_[cell].push_back(update); }
  absl::Span<const int64_t> Of(int64_t cell) const {
    auto found = updates_.find(cell);
    return found == updates_.end() ? absl::Span<const int64_t>() : found->second;
  }

 private:
  absl::flat_hash_map<int64_t, std::vector<int64_t>> updates_;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_CELL_UPDATES_H_
