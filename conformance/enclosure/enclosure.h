// The interval of values that every element of a program's result may have on a conforming target,
// computed instruction by instruction, through calls, loops and branches. A value outside is proven
// wrong, one inside admissible. Where a decision lies inside an interval nothing is known of what
// follows from it, and the enclosure names the instruction. docs/enclosures.md has the rules.
// Tests: enclosure_test.cc, containment_test.cc.
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

namespace assay {

// Levels of calls, loops and branches inside one another that are followed.
inline constexpr int kMostEnclosedLevels = 256;

// The results of the entry by process (replica * partitions + partition), as the arguments are,
// which then stand by parameter number. Collectives bring the processes together; a process whose
// partners a decision keeps away gets unconstrained results there, and so does one that enters or
// leaves a manual region. UNIMPLEMENTED where dynamic sizes follow from intervals;
// RESOURCE_EXHAUSTED beyond the budget's steps (each iteration of a loop counts one for each
// element, process by process) or seconds; otherwise errors of the interpreter.
absl::StatusOr<std::vector<BoxTree>> EncloseProcesses(
    const Module& module, const ProcessGrid& grid, absl::Span<const std::vector<Literal>> arguments,
    const TargetProfile& profile, const RunBudget& budget);

// The same of a module of one process; UNIMPLEMENTED of others.
absl::StatusOr<BoxTree> Enclose(const Module& module, absl::Span<const Literal> arguments,
                                const TargetProfile& profile, const RunBudget& budget);

// Holds a result against it. `golden` tells how far off it is. INVALID_ARGUMENT, saying both, for
// results of another shape.
absl::StatusOr<Judgement> JudgeWhole(const BoxTree& enclosure, const Literal& golden,
                                     const Literal& actual);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_H_
