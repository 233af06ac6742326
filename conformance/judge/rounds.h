// Whether an instruction rounds anything: of one that does not the golden bits are exact, of one
// that does they are correctly rounded. Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ROUNDS_H_
#define ASSAY_CONFORMANCE_JUDGE_ROUNDS_H_

#include "spec/element/element_type.h"
#include "spec/ir/module.h"

namespace assay {

// Floats and complex numbers.
inline bool IsRounded(ElementType type) { return IsFloat(type) || IsComplex(type); }

// Looks into the computations that it calls as well. `type` is that of the result in question.
bool Rounds(const Instruction& instruction, ElementType type);

// Whether it computes with its elements, itself or in what it calls.
bool Computes(const Instruction& instruction);

// Operations that pick or reinterpret elements, and those of selection: they keep every bit.
bool Moves(const Instruction& instruction);

// The computation that a fold runs per element; null for other instructions.
const Computation* FoldRegion(const Instruction& instruction);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_ROUNDS_H_
