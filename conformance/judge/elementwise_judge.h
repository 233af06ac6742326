// Judges elements of elementwise operations by their ulp budget, and by the values that permitted
// deviations produce. Tests: allowance_test.cc, freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ELEMENTWISE_JUDGE_H_
#define ASSAY_CONFORMANCE_JUDGE_ELEMENTWISE_JUDGE_H_

#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/element_rule.h"
#include "conformance/judge/evidence.h"

namespace assay::conformance {

// Returns a finding for each of `positions`, at which `actual` and `golden` have different bits.
absl::StatusOr<std::vector<ElementFinding>> JudgeElements(const Subject& subject,
                                                          const ElementRule& rule,
                                                          const Literal& golden,
                                                          const Literal& actual,
                                                          const std::vector<int64_t>& positions);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_ELEMENTWISE_JUDGE_H_
