// The places of a scatter's windows. Source: reference ops_structural.md 4.2. Tests:
// folding_kernels_test.cc, small_worlds_indexing_test.cc of evaluator/kernels.
#ifndef ASSAY_SPEC_ANALYSIS_SCATTER_PLAN_H_
#define ASSAY_SPEC_ANALYSIS_SCATTER_PLAN_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "spec/element/element_type.h"
#include "spec/ir/module.h"
#include "spec/views/odometer.h"

namespace assay::analysis {

// Positions and strides count elements of the data, of the indices and of the updates.
struct ScatterPlan {
  struct Component {
    int64_t index_offset;
    int64_t limit;  // the largest start at which the window fits
    int64_t data_stride;
  };
  explicit ScatterPlan(const Instruction& scatter);

  int64_t operands;
  ElementType index_type;
  int64_t windows = 1;  // 0 if there is no element to move
  // True if windows with different starts have no common cell.
  bool disjoint = true;
  int64_t window_count = 1;  // the number of elements of a window
  Odometer<3>::Loops batch;  // offsets in indices, updates, data; without the innermost,
  GridLoop<3> row;           // which is this
  absl::InlinedVector<Component, 4> components;
  // The window without its innermost run; offsets in data, updates.
  Odometer<2>::Loops outer_window;
  int64_t run = 1;  // elements side by side in both
};

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_SCATTER_PLAN_H_
