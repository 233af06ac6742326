// Follows the NaNs that a program only moves. An argument or a constant gives such a NaN with its
// sign and payload, and every movement keeps them (N-2), so that the judge knows its bits. A NaN
// that any other operation returns may have any bits (N-1). Tests: moved_nans_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_MOVED_NANS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_MOVED_NANS_H_

#include "absl/status/status.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/golden_instructions.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns the marks of Box::given for a value that an argument or a constant gives.
Literal MarkNans(const Literal& value);

// Sets Box::given of a result: the marks of a constant, or those of the operands, moved by the
// instruction. Other instructions, dynamic sizes and places that are not known leave no marks.
absl::Status MarkMovedNans(const Instruction& instruction, Boxes operands,
                           GoldenInstructions* golden, Box* result);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_MOVED_NANS_H_
