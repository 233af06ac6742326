// What ragged-dot means by its group sizes: which dimension of lhs is ragged, what comes in front
// of the sizes, and where each group begins and ends. Source: reference ops_structural.md 7.3.
// Tests: every_path_test.cc, contraction_kernels_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_RAGGED_GROUPS_H_
#define ASSAY_SPEC_ANALYSIS_RAGGED_GROUPS_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "spec/ir/module.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::analysis {

struct RaggedGroups {
  enum class Mode { kRows, kContracted, kBatch };  // what is ragged
  Mode mode;
  int64_t ragged_dim;  // of lhs
  int64_t extent;      // of the ragged dimension
  int64_t groups;
  std::optional<int64_t> group_dim;  // of rhs, kRows only
  // Dimensions of lhs that the sizes of groups have in front; none: one list of sizes for all.
  Dimensions prefix;

  static RaggedGroups Of(const Instruction& dot) {
    const Shape& lhs = dot.operand(0)->shape();
    const Shape& sizes = dot.operand(2)->shape();
    const DotDimensions dims = DotDimensionsOf(dot);
    const int64_t dim = dot.GetInts(Attr::kLhsRaggedDims).front();
    auto contains = [&](const Dimensions& list) {
      return std::find(list.begin(), list.end(), dim) != list.end();
    };
    const Mode mode = contains(dims.lhs_batch)         ? Mode::kBatch
                      : contains(dims.lhs_contracting) ? Mode::kContracted
                                                       : Mode::kRows;
    RaggedGroups ragged = {mode, dim, lhs.dimension(dim), sizes.dimensions().back(), {}, {}};
    if (mode == Mode::kRows) ragged.group_dim = dot.GetInts(Attr::kRhsGroupDims).front();
    if (sizes.rank() == 1) return ragged;
    // The batch, then what stands before the ragged dimension among its like.
    Dimensions before = dims.lhs_batch;
    if (mode == Mode::kRows) {
      before.insert(before.end(), dims.lhs_free.begin(), dims.lhs_free.end());
    } else if (mode == Mode::kContracted) {
      before.insert(before.end(), dims.lhs_contracting.begin(), dims.lhs_contracting.end());
    }
    ragged.prefix.assign(before.begin(), std::find(before.begin(), before.end(), dim));
    return ragged;
  }

  // Where a group ends that begins at `start`: a negative size counts as 0, and what lies beyond
  // the extent is ignored.
  int64_t End(int64_t start, int64_t size) const {
    return start + std::clamp<int64_t>(size, 0, extent - start);
  }
};

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_RAGGED_GROUPS_H_
