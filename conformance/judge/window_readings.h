// The other readings of a reduce-window whose reducer depends on the order of its elements, or
// whose start value counts (decision W-14). An implementation may pad and dilate the operand with
// the init first, so that padding is folded like elements, and may visit the cells of a window with
// the first dimension fastest. The reference interpreter skips padding and goes row by row
// (reference ops_structural.md 5.3, 0.4). A convolution has one other reading: padding and the
// holes of dilated data are zeros that meet infinities and NaNs of the kernel (decision W-26; 8).
// Tests: freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_WINDOW_READINGS_H_
#define ASSAY_CONFORMANCE_JUDGE_WINDOW_READINGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/decision_points.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if there are other readings of a reduce-window for start values in the ranges.
bool HasOtherWindowReadings(const Instruction& instruction, absl::Span<const ElementRange> starts);

// Returns true if the instruction is a convolution of floats that has padding or holes in its data.
bool PadsConvolution(const Instruction& instruction);

// Returns the values of the instruction by every other reading, or nothing. `evaluate` returns the
// value of a module.
absl::StatusOr<std::vector<Literal>> OtherWindowReadings(const Instruction& instruction,
                                                         absl::Span<const Literal> operands,
                                                         const Evaluate& evaluate);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_WINDOW_READINGS_H_
