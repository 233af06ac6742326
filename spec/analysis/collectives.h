// Static properties of collectives. Source: reference ops_control_and_collectives.md 7. Tests:
// evaluator/kernels/collective_kernels_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_COLLECTIVES_H_
#define ASSAY_SPEC_ANALYSIS_COLLECTIVES_H_

#include "spec/ir/module.h"
#include "spec/op_info.h"

namespace assay::analysis {

// Returns the shape of a member's result: that of the instruction, or of the result inside
// all-gather-start's.
const Shape& CollectiveResult(const Instruction& collective);

// Returns true for all-reduce and all-gather, whose result is the same for all members of a group.
bool SameForAllMembers(Opcode opcode);

// Returns true for all-reduce, all-reduce-start and reduce-scatter.
bool IsReduction(Opcode opcode);

// Returns true for collective-permute and collective-permute-start.
bool IsPermutation(Opcode opcode);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_COLLECTIVES_H_
