// The interval of values that every element of a program's result may have on a conforming target,
// computed instruction by instruction, through calls, loops and branches. A value outside its
// interval is proven wrong; a value inside is admissible. If an interval leaves a decision
// undecided, the values that depend on it are unconstrained and the enclosure names the
// instruction. docs/enclosures.md has the rules. Tests: enclosure_test.cc, containment_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The maximum nesting depth of calls, loops and branches.
inline constexpr int kMostEnclosedLevels = 256;

// Encloses the results of the entry computation by device (replica * partitions + partition).
// `arguments` is indexed by device, then by parameter number. All devices of a group meet in a
// collective; its result is unconstrained on a device whose partners may not reach it because of an
// undecided decision, and on a device that enters or leaves a manual region. Returns UNIMPLEMENTED
// if dynamic sizes depend on intervals, RESOURCE_EXHAUSTED beyond the budget's steps (each
// iteration of a loop counts one step per element and device) or seconds, and otherwise the errors
// of the interpreter.
absl::StatusOr<std::vector<BoxTree>> EncloseProcesses(
    const Module& module, const ProcessGrid& grid, absl::Span<const std::vector<Literal>> arguments,
    const TargetProfile& profile, const RunBudget& budget);

// Encloses a module that runs on one device. Returns UNIMPLEMENTED for others.
absl::StatusOr<BoxTree> Enclose(const Module& module, absl::Span<const Literal> arguments,
                                const TargetProfile& profile, const RunBudget& budget);

// Judges a result by its enclosure. Distances are measured from `golden`. Of the leaves `drawn`
// every value inside the intervals is one that a conforming target may return, also an integer.
// Returns INVALID_ARGUMENT, with both shapes in the message, if the result has another shape.
absl::StatusOr<Judgement> JudgeWhole(const BoxTree& enclosure, const Literal& golden,
                                     const Literal& actual, absl::Span<const int64_t> drawn = {});

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_H_
