// Several executions of one compiled module. A second execution with other arguments shows whether
// the target keeps state of the first. A third one with the first arguments shows whether an
// execution changes its arguments. Every execution is judged. Tests: executions_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_EXECUTIONS_H_
#define ASSAY_CONFORMANCE_RUNNER_EXECUTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/runner/probe.h"

namespace assay::conformance {

// The cases that are executed a second time, with other arguments.
enum class Again : uint8_t {
  kNone,
  kEighth,  // a fixed eighth, chosen by the hash of the id
  kAll
};
bool IsExecutedAgain(absl::string_view id, Again again);

// Returns the case with other legal arguments. Generated arrays have the same value profile with
// another seed. Elements that are written out, and those of profiles without a seed, are reversed.
// Elements that the module uses as indices, branch numbers or sizes are not changed.
CorpusCase WithOtherArguments(const CorpusCase& corpus_case, const Module& module);

// Returns the argument sets of a probe in the order of execution: 0 is its inputs, 1 its other
// inputs, if it has any. Set 0 is executed `repeat` times. If the case is executed again, set 1
// follows, and then set 0 once more.
std::vector<size_t> OrderOfExecutions(const Probe& probe, int repeat, bool again);
InputSets SetsOf(const Probe& probe, std::vector<size_t> order);

struct ExecutionsJudgement {
  Judgement judgement;
  int64_t execution = 1;  // the number of the execution that was judged
  bool other_arguments = false;
};
// Returns the judgement of the first wrong execution, or that of the first execution if none is
// wrong. `order` is that of OrderOfExecutions. The `repeat` repetitions are not judged here: the
// case runner compares their bits with those of the first execution. Results with the same bits as
// an earlier execution of the same arguments are not judged again. An inconclusive later execution
// does not replace the first judgement. Returns the errors of JudgeProbe.
absl::StatusOr<ExecutionsJudgement> JudgeExecutions(const Probe& probe, const ModuleRun& run,
                                                    absl::Span<const size_t> order, int repeat,
                                                    const TargetProfile& profile,
                                                    const RunBudget& budget);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_EXECUTIONS_H_
