// What the members of a collective returned, judged together: a reduction over its group by the
// bound of a sum of so many members, everything else bit by bit. Reference
// ops_control_and_collectives.md 7. Tests: collective_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_COLLECTIVE_JUDGE_H_
#define ASSAY_CONFORMANCE_JUDGE_COLLECTIVE_JUDGE_H_

#include <vector>

#include "conformance/judge/allowance.h"
#include "runtime/process_groups.h"

namespace assay {

// `operands` by device, then by operand; `golden` and `actual` by device. Devices are the
// processes of the grid, in its order. `collective` is a collective operation as it stands.
// INVALID_ARGUMENT for results of another shape and groups that do not fit the grid.
absl::StatusOr<Judgement> JudgeCollective(const Instruction& collective,
                                          absl::Span<const std::vector<Literal>> operands,
                                          absl::Span<const Literal> golden,
                                          absl::Span<const Literal> actual,
                                          const runtime::ProcessGrid& grid,
                                          const TargetProfile& profile, const Evaluate& evaluate);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_COLLECTIVE_JUDGE_H_
