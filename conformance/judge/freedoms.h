// Where an instruction leaves the sign of a zero open, and where it may take denormals for zero:
// arithmetic does, moves never (reference ops_structural.md 0, "pure data movement is bit-exact").
// Tests: freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_FREEDOMS_H_
#define ASSAY_CONFORMANCE_JUDGE_FREEDOMS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Whether a zero at `element` of the result may have either sign. accuracy_requirements.md 1 and
// ops_structural.md 14.2: sums of any kind, an addition or subtraction that cancels, minimum and
// maximum of zeros of both signs; decision points M-2, M-7, S-1, F-4 and X-2 of
// ops_elementwise_and_types.md 7.
bool ZeroSignIsOpen(const Instruction& instruction, absl::Span<const Literal> operands,
                    int64_t element);

// Whether the instruction computes with its elements, so that denormals may be flushed on the way
// in or out (ops_elementwise_and_types.md 3.3).
bool MayFlush(const Instruction& instruction);

// With a zero of its sign in place of every denormal.
Literal FlushDenormals(const Literal& array);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_FREEDOMS_H_
