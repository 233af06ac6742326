// The inverse of an instruction, by operation: what gives its operand back, at least for some
// values. Compilers remove such pairs. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_INVERSES_H_
#define ASSAY_FUZZ_PROGRAMS_INVERSES_H_

#include "fuzz/programs/writer.h"

namespace assay::fuzz {

// Writes the inverse behind the instruction. Returns its instruction, or null if the operation has
// none or it would exceed the limits.
Instruction* WriteInverse(ProgramWriter& writer, Instruction* instruction);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_INVERSES_H_
