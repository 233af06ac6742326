// What a run may leave open: the judge has to decide nearly all of what it is asked, or a target
// passes because nobody looked. Tests: judgeability_test.cc, report_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_JUDGEABILITY_H_
#define ASSAY_CONFORMANCE_RUNNER_JUDGEABILITY_H_

#include <string>
#include <vector>

#include "conformance/runner/case_result.h"

namespace assay {

// The share of elements of single-operation cases that need not be judgeable.
inline constexpr double kNotJudgeableShare = 0.02;

// Why the run fails although no case does: no case has a result that was judged, because the target
// supports none or the profile leaves all out. None for a run of illegal modules alone that were
// refused, and for a run without cases.
std::vector<std::string> NothingJudged(const RunResult& run);

// Why the run of a whole tier fails although no case does: more than that share of elements is not
// judgeable, or elements of an operation that must be exact are not. None for a part of a tier: a
// shard, what was chosen by a filter, cases of one's own, an interrupted run.
std::vector<std::string> JudgeabilityComplaints(const RunResult& run);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_JUDGEABILITY_H_
