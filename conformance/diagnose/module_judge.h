// Judges what a target returned for a module, of one operation or a program: a case as a whole, and
// an instruction or a group of them alone. There is no other way to a verdict, so that `assay
// test`, `judge`, `diff --isolate` and `triage` say the same. Tests: probe_test.cc,
// instruction_report_test.cc.
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

namespace assay {

// Returns true for operations that name and group values but compute none: parameters, constants,
// tuples and their elements.
bool IsCarrier(Opcode opcode);

// The root, or the collective that it is the end of, where that is all that the module computes;
// else null: it is a program.
const Instruction* SoleInstruction(const Module& module);

// Arguments by device, then by parameter; results by device. INVALID_ARGUMENT, saying both, for
// results of another shape. A single operation gets the verdict of its rule. Elements of a program
// are golden, or inside the interval of what a conforming target may return
// (conformance/enclosure), or not judgeable where a decision lies inside an interval or there is
// none, or wrong.
absl::StatusOr<Judgement> JudgeModule(const Module& module,
                                      absl::Span<const std::vector<Literal>> arguments,
                                      absl::Span<const Literal> golden,
                                      absl::Span<const Literal> actual,
                                      const TargetProfile& profile, const RunBudget& budget);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_MODULE_JUDGE_H_
