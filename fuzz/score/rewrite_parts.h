// What the tables of wrong rewrites share: an instruction on other operands, and results that are
// made of its operands' operands. Tests: score_test.cc.
#ifndef ASSAY_FUZZ_SCORE_REWRITE_PARTS_H_
#define ASSAY_FUZZ_SCORE_REWRITE_PARTS_H_

#include <vector>

#include "conformance/mutants/rewrites.h"

namespace assay::fuzz {

// The instruction at the site on other operands; null if one is null or it would be illegal.
Instruction* On(conformance::Site& site, std::vector<Instruction*> operands);

// An instruction with an attribute `dimensions`.
Instruction* BuildDimensions(conformance::Site& site, Opcode opcode, const Shape& shape,
                             Instruction* operand, const std::vector<int64_t>& dims);

// The sum, maximum or the like of both operands of operand 0, each put through the instruction.
Instruction* Distributed(conformance::Site& site, Opcode opcode);

// Returns true if the site is a reduction of one array by the reducer, whose operand is an
// instruction of the opcode.
bool Reduces(conformance::Site& site, Opcode reducer, Opcode of);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_SCORE_REWRITE_PARTS_H_
