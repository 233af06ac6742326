// Whether what a target returned for one instruction on given operands is right, when the golden
// value is known: derived bounds and named freedoms, element by element, as far as the profile of
// the target grants them. No tolerance is tuned here: budgets are data (conformance/profiles), sums
// are bounded by n u sum|terms|, everything else is exact. Reference accuracy_requirements.md.
// Tests: allowance_test.cc, bounds_test.cc, freedoms_test.cc, factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_
#define ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Judges `actual` against `golden`, the exact value of `instruction` on `operands` rounded once.
// `evaluate` runs modules on the golden interpreter: what flushed operands give, sums of
// magnitudes. INVALID_ARGUMENT for a result of another shape.
absl::StatusOr<Judgement> JudgeInstruction(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& actual,
                                           const TargetProfile& profile, const Evaluate& evaluate);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_
