// Judges the results of a program as a whole. An element that differs from golden is wrong if no
// instruction that it depends on may differ under the profile. Otherwise it is judged by the
// interval of conforming values (conformance/enclosure). Tests: program_judge_test.cc.
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

namespace assay::conformance {

// Judges without intervals: an element that may differ is inconclusive. Results are by device and
// have the shape of the module's result.
Judgement JudgeProgram(const Module& module, absl::Span<const Literal> golden,
                       absl::Span<const Literal> actual, const TargetProfile& profile);

// Judges the outfeeds of the devices, array by array: golden, dependent on instructions that may
// differ (inconclusive), or wrong. An array of an outfeed in the entry depends on its operand. It
// is not known which arrays an outfeed in a called computation has written, so every array depends
// on all instructions then. Another number or other shapes of arrays are wrong, unless instructions
// that may differ decide the number.
Judgement JudgeOutfeeds(const Module& module, absl::Span<const DeviceOutputs> golden,
                        absl::Span<const DeviceOutputs> actual, const TargetProfile& profile);

// Like JudgeProgram, but elements that differ from golden are judged by their intervals, and arrays
// of random numbers by what they are samples of (drawn_arrays.h). There is
// no interval if a dynamic size depends on one, for values from a host or a channel, and beyond the
// budget; JudgeProgram's rule applies then. Arguments are by device, then by parameter. Returns the
// errors of EncloseProcesses.
absl::StatusOr<Judgement> JudgeByInterval(const Module& module,
                                          absl::Span<const std::vector<Literal>> arguments,
                                          absl::Span<const Literal> golden,
                                          absl::Span<const Literal> actual,
                                          const TargetProfile& profile, const RunBudget& budget);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_PROGRAM_JUDGE_H_
