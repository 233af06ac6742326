// Small changes of an instruction: one attribute, or one step of the computation that it calls.
// Most leave it valid, and many leave the shape of its result. variations.cc makes near copies of
// instructions with them. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_ATTRIBUTE_CHANGES_H_
#define ASSAY_FUZZ_PROGRAMS_ATTRIBUTE_CHANGES_H_

#include "fuzz/programs/writer.h"

namespace assay::fuzz {

// Changes one attribute of an instruction that is not in a computation yet. Returns false if it has
// none that can be changed. The caller asks shape inference whether the instruction is still valid.
bool ChangeAttribute(Choices& choices, Instruction* instruction);

// Makes the instruction call a changed copy of its computation: another operation, operands in the
// other order, or a comparison in the other direction. Returns false if the computation has no such
// step.
bool ChangeComputation(ProgramWriter& writer, Instruction* instruction);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_ATTRIBUTE_CHANGES_H_
