// Judges the results of a program as a whole: an element is golden; or it differs where an
// instruction reaches it that the profile lets differ, and then it is inside or outside the
// interval of what a conforming target may return (conformance/enclosure); or it is wrong. Tests:
// program_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_PROGRAM_JUDGE_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_PROGRAM_JUDGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Results by device, of shapes that fit. Without bounds: what may differ is not judgeable.
Judgement JudgeProgram(const Module& module, absl::Span<const Literal> golden,
                       absl::Span<const Literal> actual, const TargetProfile& profile);

// What the devices have fed out, array by array: golden's, or reached by what may differ, or wrong.
// Outfeeds of the entry give what their operands are; of one in a called computation nobody knows
// which arrays it has given, and whatever may differ in the module reaches all. Others in number or
// of other shapes are wrong, unless what may differ decides how many there are.
Judgement JudgeOutfeeds(const Module& module, absl::Span<const DeviceOutputs> golden,
                        absl::Span<const DeviceOutputs> actual, const TargetProfile& profile);

// As JudgeProgram, but elements that are not golden's are held against the interval of what they
// may be. Where a dynamic size follows from an interval, of what comes from a host or a channel and
// beyond the budget there is none: what may differ reaches them, or nothing. Arguments by device,
// then by parameter. Errors as of EncloseProcesses.
absl::StatusOr<Judgement> JudgeByInterval(const Module& module,
                                          absl::Span<const std::vector<Literal>> arguments,
                                          absl::Span<const Literal> golden,
                                          absl::Span<const Literal> actual,
                                          const TargetProfile& profile, const RunBudget& budget);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_PROGRAM_JUDGE_H_
