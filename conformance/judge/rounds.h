// Tells whether an instruction rounds. Golden bits of an instruction that does not round are exact;
// those of one that rounds are correctly rounded. Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ROUNDS_H_
#define ASSAY_CONFORMANCE_JUDGE_ROUNDS_H_

#include "spec/element/element_type.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true for floats and complex numbers.
inline bool IsRounded(ElementType type) { return IsFloat(type) || IsComplex(type); }

// Returns true if the instruction or a computation that it calls rounds a result of this `type`.
bool Rounds(const Instruction& instruction, ElementType type);

// Returns true if the instruction or a computation that it calls computes with elements.
bool Computes(const Instruction& instruction);

// Returns true for operations that select or reinterpret elements, which keep every bit.
bool Moves(const Instruction& instruction);

// Returns true for a bitcast-convert, and for a bitcast to another element type.
bool ReadsBits(const Instruction& instruction);

// Returns the computation that a fold applies to each element; null for other instructions.
const Computation* FoldRegion(const Instruction& instruction);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_ROUNDS_H_
