// The groups of ragged-dot: the ragged dimension of lhs, the prefix dimensions of the group sizes,
// and the range of each group. Source: reference ops_structural.md 7.3. Tests: every_path_test.cc,
// contraction_kernels_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_RAGGED_GROUPS_H_
#define ASSAY_SPEC_ANALYSIS_RAGGED_GROUPS_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "spec/ir/module.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::analysis {

struct RaggedGroups {
  enum class Mode { kRows, kContracted, kBatch };  // the kind of the ragged dimension
  Mode mode;
  int64_t ragged_dim;  // of lhs
  int64_t extent;      // of the ragged dimension
  int64_t groups;
  std::optional<int64_t> group_dim;  // the group dimension of rhs, for kRows only
  // The dimensions of lhs that precede the groups in the group sizes. If there are none, one list
  // of sizes applies to all.
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
    // The batch dimensions, then dimensions of the same kind before the ragged one.
    Dimensions before = dims.lhs_batch;
    if (mode == Mode::kRows) {
      before.insert(before.end(), dims.lhs_free.begin(), dims.lhs_free.end());
    } else if (mode == Mode::kContracted) {
      before.insert(before.end(), dims.lhs_contracting.begin(), dims.lhs_contracting.end());
    }
    ragged.prefix.assign(before.begin(), std::find(before.begin(), before.end(), dim));
    return ragged;
  }

  // Returns the end of a group that begins at `start`. A negative size counts as 0, and elements
  // beyond the extent are ignored.
  int64_t End(int64_t start, int64_t size) const {
    return start + std::clamp<int64_t>(size, 0, extent - start);
  }
};

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_RAGGED_GROUPS_H_
