// Judges the results of all members of a collective together. A reduction over a group has the
// bound of a sum with one term per member; everything else is compared bit by bit. Reference
// ops_control_and_collectives.md 7. Tests: collective_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_COLLECTIVE_JUDGE_H_
#define ASSAY_CONFORMANCE_JUDGE_COLLECTIVE_JUDGE_H_

#include <vector>

#include "conformance/judge/allowance.h"
#include "runtime/process_groups.h"

namespace assay::conformance {

// Judges the results of a collective operation on all devices of the grid, in the grid's order.
// `operands` is indexed by device, then by operand; `golden` and `actual` by device. The
// computation of a reduction has the type of the arrays (module_judge.cc judges others). Returns
// INVALID_ARGUMENT if a result has another shape or the groups do not fit the grid.
absl::StatusOr<Judgement> JudgeCollective(const Instruction& collective,
                                          absl::Span<const std::vector<Literal>> operands,
                                          absl::Span<const Literal> golden,
                                          absl::Span<const Literal> actual,
                                          const runtime::ProcessGrid& grid,
                                          const TargetProfile& profile, const Evaluate& evaluate);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_COLLECTIVE_JUDGE_H_
