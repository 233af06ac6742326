// Limits on the share of results that are not judgeable. A run in which the judge decided too
// little fails, because a target could pass without having been tested. Tests:
// judgeability_test.cc, report_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_JUDGEABILITY_H_
#define ASSAY_CONFORMANCE_RUNNER_JUDGEABILITY_H_

#include <string>
#include <vector>

#include "conformance/runner/case_result.h"

namespace assay::conformance {

// The largest permitted share of elements of single-operation cases that are not judgeable.
inline constexpr double kNotJudgeableShare = 0.02;

// Returns why the run fails although no case fails: no case has a result that was judged, because
// the target supports none or the profile excludes all. Nullopt for a run that consists of illegal
// modules that were refused, and for a run without cases.
std::vector<std::string> NothingJudged(const RunResult& run);

// Returns why the run of a whole tier fails although no case fails: more than that share of
// elements is not judgeable, or an element of an operation that must be exact is not. Nullopt for a
// part of a tier: a shard, a filtered selection, the user's own cases, an interrupted run.
std::vector<std::string> JudgeabilityComplaints(const RunResult& run);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_JUDGEABILITY_H_
