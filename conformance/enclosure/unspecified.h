// Results that the specification or the profile leaves to the target, and that are not an interval
// around a golden value: decision points, unstable orders, colliding updates, random values. Tests:
// enclosure_test.cc, runner/decision_points_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_

#include <optional>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/judge/decision_points.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

// Returns true if the whole result is unconstrained for values in the boxes.
bool IsUnspecified(const Instruction& instruction, Boxes operands, const TargetProfile& profile);

// Returns the identity of the reduction if the profile permits a target to omit its start value
// (W-12, judge/start_values.h).
std::optional<Box> MissingStartOf(const Instruction& instruction, Boxes operands,
                                  const TargetProfile& profile);

// Joins the values that the admitted decision points of an elementwise instruction
// (instruction_rules.h) permit for operands in the boxes, element by element.
void JoinDecisions(const Instruction& instruction, Boxes operands,
                   absl::Span<const DecisionRule* const> rules, Box* result);

// Returns an array with all bits set in the place of each NaN, and zeros elsewhere.
Literal BitsOfNans(const Literal& values);
// Makes the elements unconstrained whose bits, or some of them, are those of a NaN, which are not
// specified. `bits` is what the instruction makes of BitsOfNans.
void UnconstrainPayloads(const Literal& bits, Box* box);

// Makes unconstrained the comparisons in the total order that depend on the unspecified sign of a
// NaN.
void UnconstrainNanOrder(const Instruction& instruction, Boxes operands,
                         const TargetProfile& profile, Box* result);

// Makes unconstrained the elements that overflow to NaN, if the profile permits the target to
// compute them in a wider type than golden.
void UnconstrainOverflows(const Instruction& instruction, Boxes operands,
                          const TargetProfile& profile, Box* result);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_UNSPECIFIED_H_
