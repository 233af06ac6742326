// What collectives compute, for whoever brings the processes of a group together: a kernel takes
// the operands of all members and gives what one of them gets. Who the members are, and waiting for
// them, is not decided here. collective-permute and collective-broadcast compute nothing.
// Source: reference ops_control_and_collectives.md 7. Tests: collective_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_COLLECTIVES_H_
#define ASSAY_EVALUATOR_COLLECTIVES_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "evaluator/evaluator.h"

namespace assay::evaluator {

// For all-reduce(-start), all-gather(-start), all-to-all, reduce-scatter, ragged-all-to-all, also
// those that an async-start wraps: what the member at `position` of a group of `members` gets.
// Operands of a run are those of all members, member after member in the order of the group; its
// results are the leaves of analysis::CollectiveResult. Where analysis::SameForAllMembers, the
// position does not matter.
//
// A recognised reducer gives the exact result rounded once (reference ops_structural.md 0.3), any
// other the left fold in group order from the first member's value on, as written, in the type of
// the reducer. A group of one gets its operand back.
//
// The instruction must have passed CheckInstruction, and outlive the kernel. INVALID_ARGUMENT, with
// clause and instruction, where the sizes do not go with `members`
// (group_c7, c8, c10); UNIMPLEMENTED for other operations and dynamic dimensions. A run of
// ragged-all-to-all is OUT_OF_RANGE, naming both members, where sender and receiver disagree, rows
// lie outside, or two transfers meet.
absl::StatusOr<std::unique_ptr<Kernel>> PrepareCollective(const Instruction& collective,
                                                          int64_t members, int64_t position);
// The same by the definition, element by element.
absl::StatusOr<std::unique_ptr<Kernel>> PrepareCollectiveStraight(const Instruction& collective,
                                                                  int64_t members,
                                                                  int64_t position);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_COLLECTIVES_H_
