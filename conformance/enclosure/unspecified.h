// Where the specification or the profile leaves a result to the target in another way than by an
// interval: conversions out of range, divisions by zero, unstable orders, colliding updates, random
// values, factors that are judged by their residual. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/profiles/profile.h"

namespace assay {

// Whether something of the kind may happen for values in the boxes.
bool IsUnspecified(const Instruction& instruction, absl::Span<const Box> operands,
                   const TargetProfile& profile);

// Of a bitcast-convert: the bits of a NaN are not specified, whatever is made of them may be
// anything.
void LetGoOfPayloads(const Literal& operand, Box* box);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_
