// Elementwise operations on boxes. Monotone functions are evaluated at the ends of an interval,
// those of several operands at the corners, and others at their extrema. All values are golden; the
// caller widens them by the profile. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ELEMENTWISE_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ELEMENTWISE_H_

#include <functional>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"

namespace assay::conformance {

// Returns the golden value of the instruction on operands.
using EvaluateAlone = std::function<absl::StatusOr<Literal>(absl::Span<const Literal> operands)>;

// Stores the golden value in `value`. The operands are not copied.
using LiteralPointers = absl::InlinedVector<const Literal*, 3>;
using EvaluateAt =
    std::function<absl::Status(absl::Span<const Literal* const> operands, Literal* value)>;

// Returns a box of all golden values for operands inside the boxes. An operation without a rule is
// unconstrained, and the instruction counts as the undecided one.
absl::Status EncloseElementwise(const Instruction& instruction, Boxes operands,
                                const EvaluateAt& evaluate, Box* box);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ELEMENTWISE_H_
