// The possible start positions of slices whose indices are intervals, if they are few: the slice at
// each is known. Tests: enclosure_decisions_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_

#include <vector>

#include "conformance/enclosure/box.h"

namespace assay {

// Returns true if an operand determines positions rather than values.
bool IsIndex(const Instruction& instruction, size_t operand);

// Of dynamic-slice, dynamic-update-slice and gather: the index operands at every place where a
// slice may start, after clamping. What one slice of a gather starts at says nothing of another, so
// they go through their places together. Empty: too many, or of another instruction.
std::vector<std::vector<Box>> PossibleIndices(const Instruction& instruction, Boxes operands);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_
