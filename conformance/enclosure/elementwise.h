// Elementwise operations on boxes, by what their functions do to an interval: monotone ones are
// evaluated at its ends, those of several operands at the corners, others by their extrema. Values
// are golden ones; the caller widens them by what the profile allows. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ELEMENTWISE_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ELEMENTWISE_H_

#include <functional>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"

namespace assay {

// The golden value of the instruction on operands.
using EvaluateAlone = std::function<absl::StatusOr<Literal>(absl::Span<const Literal> operands)>;

// The same, of operands where they lie.
using LiteralPointers = absl::InlinedVector<const Literal*, 3>;
using EvaluateAt =
    std::function<absl::Status(absl::Span<const Literal* const> operands, Literal* value)>;

// Every value that golden has for some operands inside the boxes, at least. What has no rule here
// may be anything, and the instruction counts as the open decision.
absl::Status EncloseElementwise(const Instruction& instruction, Boxes operands,
                                const EvaluateAt& evaluate, Box* box);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ELEMENTWISE_H_
