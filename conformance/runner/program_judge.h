// Judges the results of a program as a whole. No bound is derived for it: an element is golden; or
// it differs where an instruction reaches it that the profile lets differ, and nothing follows; or
// it is wrong. Tests: program_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_PROGRAM_JUDGE_H_
#define ASSAY_CONFORMANCE_RUNNER_PROGRAM_JUDGE_H_

#include "absl/types/span.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Results by device, of shapes that fit.
Judgement JudgeProgram(const Module& module, absl::Span<const Literal> golden,
                       absl::Span<const Literal> actual, const TargetProfile& profile);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_PROGRAM_JUDGE_H_
