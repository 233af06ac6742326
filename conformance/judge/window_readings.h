// Other readings of a reduce-window whose reducer depends on what it folds in which order, or whose
// start value counts (decision W-14). The
// operand may be padded, and dilated, with the init first, so that what stands there is folded like
// the rest; and the cells of a window may come with the first dimension fastest. Golden skips the
// padding and goes row by row (reference ops_structural.md 5.3, 0.4). Tests: freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_WINDOW_READINGS_H_
#define ASSAY_CONFORMANCE_JUDGE_WINDOW_READINGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/decision_points.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Whether there are other readings for start values in the ranges.
bool HasOtherWindowReadings(const Instruction& instruction, absl::Span<const ElementRange> starts);

// The values of the instruction by every other reading, if it has any. `evaluate` gives the value
// of a module.
absl::StatusOr<std::vector<Literal>> OtherWindowReadings(const Instruction& instruction,
                                                         absl::Span<const Literal> operands,
                                                         const Evaluate& evaluate);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_WINDOW_READINGS_H_
