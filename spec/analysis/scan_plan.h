// The parameters of a scan: the numbers of inputs, carries, outputs and steps, and the position of
// a step. Tests: scan_plan_test.cc. Source: reference ops_structural.md 6.1.
#ifndef ASSAY_SPEC_ANALYSIS_SCAN_PLAN_H_
#define ASSAY_SPEC_ANALYSIS_SCAN_PLAN_H_

#include <cstdint>

#include "spec/ir/module.h"

namespace assay::analysis {

struct ScanPlan {
  int64_t inputs;   // operands 0..inputs-1; the carries follow
  int64_t carries;  // results outputs..; the outputs stand in front
  int64_t outputs;
  int64_t dimension;
  int64_t steps;
  bool reverse;

  static ScanPlan Of(const Instruction& scan) {
    ScanPlan plan{};
    plan.carries = scan.GetInt(Attr::kNumCarries);
    plan.inputs = scan.operand_count() - plan.carries;
    const Shape& shape = scan.shape();  // a result may stand alone
    plan.outputs =
        (shape.is_tuple() ? static_cast<int64_t>(shape.tuple_shapes().size()) : 1) - plan.carries;
    plan.dimension = scan.GetInt(Attr::kDimension);
    plan.reverse = scan.GetBool(Attr::kIsReverse);
    // Without inputs the outputs determine the number of steps (scan_c6).
    const Shape& counted = plan.inputs > 0    ? scan.operand(0)->shape()
                           : shape.is_tuple() ? shape.tuple_shape(0)
                                              : shape;
    plan.steps = counted.dimension(plan.dimension);
    return plan;
  }

  // Returns the position of step n along the dimension.
  int64_t Position(int64_t n) const { return reverse ? steps - 1 - n : n; }
};

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_SCAN_PLAN_H_
