// What can be said of a collective before its devices meet. Source: reference
// ops_control_and_collectives.md 7. Tests: evaluator/kernels/collective_kernels_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_COLLECTIVES_H_
#define ASSAY_SPEC_ANALYSIS_COLLECTIVES_H_

#include "spec/ir/module.h"
#include "spec/op_info.h"

namespace assay::analysis {

// What a member of the group gets: the shape of the instruction, or of the result inside
// all-gather-start's.
const Shape& CollectiveResult(const Instruction& collective);

// Returns true for all-reduce and all-gather: all members of a group get the same.
bool SameForAllMembers(Opcode opcode);

// Returns true for all-reduce, whole or its start, and reduce-scatter.
bool IsReduction(Opcode opcode);

// Returns true for collective-permute, whole or its start.
bool IsPermutation(Opcode opcode);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_COLLECTIVES_H_
