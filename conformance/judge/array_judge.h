// Judges the elements of one result array of an instruction that is not elementwise: by the bounds
// of its leaf, by flushed denormals and overflow, and by other readings of windows and start
// values. Tests: bounds_test.cc, freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ARRAY_JUDGE_H_
#define ASSAY_CONFORMANCE_JUDGE_ARRAY_JUDGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/evidence.h"

namespace assay::conformance {

// Returns a finding for each of the positions, at which `golden` and `actual` have different bits.
absl::StatusOr<std::vector<ElementFinding>> JudgeArray(const Subject& subject, size_t leaf,
                                                       const Literal& golden, const Literal& actual,
                                                       const Bounds& bounds,
                                                       const std::vector<int64_t>& positions);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_ARRAY_JUDGE_H_
