// Judges the result of one instruction on given operands when the golden value is known. Each
// element is held against derived bounds and the permitted deviations of the target's profile. No
// tolerance is tuned: ulp budgets are data (conformance/profiles), sums are bounded by n u
// sum|terms|, everything else is exact. Reference accuracy_requirements.md. Tests:
// allowance_test.cc, bounds_test.cc, freedoms_test.cc, factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_
#define ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Judges `actual` against `golden`, which is the exact value of `instruction` on `operands`,
// rounded once. `evaluate` runs modules on the reference interpreter to evaluate flushed operands
// and sums of magnitudes. Returns INVALID_ARGUMENT if `actual` has another shape.
absl::StatusOr<Judgement> JudgeInstruction(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& actual,
                                           const TargetProfile& profile, const Evaluate& evaluate);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_
