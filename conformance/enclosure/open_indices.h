// The possible start positions of slices whose indices are intervals, if they are few: the slice at
// each is known. Tests: enclosure_decisions_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_

#include <vector>

#include "conformance/enclosure/box.h"

namespace assay::conformance {

// Returns true if an operand determines positions rather than values.
bool IsIndex(const Instruction& instruction, size_t operand);

// Returns, for dynamic-slice, dynamic-update-slice and gather, the index operands of every possible
// start position after clamping. The slices of a gather are independent, so all of them step
// through their positions together. Returns an empty list if there are too many positions, and for
// other instructions.
std::vector<std::vector<Box>> PossibleIndices(const Instruction& instruction, Boxes operands);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_OPEN_INDICES_H_
