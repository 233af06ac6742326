// Judges a target's results for a module, which is a case, a single instruction or a group of them.
// All verdicts come from here, so that `assay test`, `judge`, `diff --isolate` and `triage` agree.
// Tests: probe_test.cc, instruction_report_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_MODULE_JUDGE_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_MODULE_JUDGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true for operations that name and group values but do not compute: parameters, constants,
// tuples and their elements.
bool IsCarrier(Opcode opcode);

// Returns the only instruction that the module computes: its root, or the collective whose async
// done the root is. Returns null for a program.
const Instruction* SoleInstruction(const Module& module);

// Judges results. Arguments are by device, then by parameter; results by device. A single operation
// is judged by its rule. An element of a program is golden, inside its interval
// (conformance/enclosure), inconclusive if the interval is unconstrained, or wrong. Returns
// INVALID_ARGUMENT, with both shapes in the message, if a result has another shape.
absl::StatusOr<Judgement> JudgeModule(const Module& module,
                                      absl::Span<const std::vector<Literal>> arguments,
                                      absl::Span<const Literal> golden,
                                      absl::Span<const Literal> actual,
                                      const TargetProfile& profile, const RunBudget& budget);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_MODULE_JUDGE_H_
