// The permitted deviations of zeros and denormals: where an instruction may return a zero of either
// sign, and where it may treat denormals as zero. Only arithmetic may; a move keeps every bit
// (reference ops_structural.md 0, "pure data movement is bit-exact"). Tests: freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_FREEDOMS_H_
#define ASSAY_CONFORMANCE_JUDGE_FREEDOMS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if a zero at `element` of the result may have either sign (accuracy_requirements.md
// 1, ops_structural.md 14.2). That holds for sums, for an addition or subtraction that cancels, for
// minimum and maximum of zeros of both signs, and at the decision points M-2, M-7, S-1, F-4 and X-2
// of ops_elementwise_and_types.md 7.
bool ZeroSignIsOpen(const Instruction& instruction, absl::Span<const Literal> operands,
                    int64_t element);

// Returns true if the instruction computes with its elements, so that denormals may be flushed in
// its operands or results (ops_elementwise_and_types.md 3.3).
bool MayFlush(const Instruction& instruction);

// Replaces every denormal by a zero of its sign.
Literal FlushDenormals(const Literal& array);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_FREEDOMS_H_
