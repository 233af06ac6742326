// Where slices may start whose indices lie in intervals: few places, at each of which the slice is
// known. Tests: enclosure_decisions_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_

#include <vector>

#include "conformance/enclosure/box.h"

namespace assay {

// Whether an operand says where, not what, is moved.
bool IsIndex(const Instruction& instruction, size_t operand);

// Of dynamic-slice, dynamic-update-slice and gather: the index operands at every place where a
// slice may start, after clamping. What one slice of a gather starts at says nothing of another, so
// they go through their places together. Empty: too many, or of another instruction.
std::vector<std::vector<Box>> PossibleIndices(const Instruction& instruction, Boxes operands);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_
