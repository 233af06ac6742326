// Which updates meet which cell of a result, in order: scatter and select-and-scatter walk over
// their updates once and then answer for every cell.
#ifndef ASSAY_EVALUATOR_OPS_CELL_UPDATES_H_
#define ASSAY_EVALUATOR_OPS_CELL_UPDATES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace assay {

class CellUpdates {
 public:
  // Row-major positions of the cell and of the update.
  void Add(int64_t cell, int64_t update) { updates_[cell].push_back(update); }
  absl::Span<const int64_t> Of(int64_t cell) const {
    auto found = updates_.find(cell);
    return found == updates_.end() ? absl::Span<const int64_t>() : found->second;
  }

 private:
  absl::flat_hash_map<int64_t, std::vector<int64_t>> updates_;
};

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_CELL_UPDATES_H_
