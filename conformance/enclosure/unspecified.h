// Where the specification or the profile leaves a result to the target in another way than by an
// interval: decision points, unstable orders, colliding updates, random values. Tests:
// enclosure_test.cc, runner/decision_points_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_

#include <optional>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/judge/decision_points.h"
#include "conformance/profiles/profile.h"

namespace assay {

// Whether nothing is known of the whole result for values in the boxes.
bool IsUnspecified(const Instruction& instruction, Boxes operands, const TargetProfile& profile);

// The start value that changes nothing, where the profile lets a target leave that of the reduction
// out (W-12, judge/start_values.h).
std::optional<Box> MissingStartOf(const Instruction& instruction, Boxes operands,
                                  const TargetProfile& profile);

// Of an elementwise instruction: takes in what its decision points, those that the profile admits
// (instruction_rules.h), give for operands in the boxes, element by element.
void TakeInDecisions(const Instruction& instruction, Boxes operands,
                     absl::Span<const DecisionRule* const> rules, Box* result);

// Of a bitcast-convert: the bits of a NaN are not specified, whatever is made of them may be
// anything.
void LetGoOfPayloads(const Literal& operand, Box* box);

// What overflows to NaN may have been a number in a wider type, or just below: lets go of it where
// the profile lets the target compute otherwise than golden.
void LetGoOfOverflows(const Instruction& instruction, Boxes operands, const TargetProfile& profile,
                      Box* result);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_
