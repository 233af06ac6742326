// The lists of result members that are mostly empty, one for each type. The code that writes and
// reads results as JSON (case_result.cc) and packed (case_results.cc) shares them. Tests:
// case_result_test.cc, case_results_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_RESULT_MEMBERS_H_
#define ASSAY_CONFORMANCE_RUNNER_RESULT_MEMBERS_H_

#include <type_traits>

#include "conformance/runner/case_result.h"

namespace assay::conformance {

template <typename T, typename Visit>
void VisitMembers(T& of, const Visit& visit) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Type, Evidence>) {
    visit("device", of.device);
    visit("outfeed", of.outfeed);
    visit("leaf", of.leaf);
    visit("position", of.position);
    visit("golden_bits", of.golden_bits);
    visit("actual_bits", of.actual_bits);
    visit("operands", of.operands);
    visit("bound", of.bound);
    visit("distance", of.distance);
    visit("reason", of.reason);
  } else if constexpr (std::is_same_v<Type, Judgement>) {
    visit("largest_distance", of.largest_distance);
    visit("rule", of.rule);
    visit("reasons", of.reasons);
    visit("deviations", of.deviations);
  } else if constexpr (std::is_same_v<Type, ProbeResult>) {
    visit("name", of.name);
    visit("source", of.source);
    visit("subgraph", of.subgraph);
    visit("message", of.message);
    visit("execution", of.execution);
    visit("other_arguments", of.other_arguments);
  } else if constexpr (std::is_same_v<Type, CaseResult>) {
    visit("hash", of.hash);
    visit("op", of.op);
    visit("type", of.type);
    visit("message", of.message);
    visit("waiver", of.waiver);
    visit("text", of.text);
  } else {
    static_assert(std::is_same_v<Type, RunResult>);
    visit("target_version", of.target_version);
    visit("profile", of.profile);
    visit("tier", of.tier);
    visit("filter", of.filter);
    visit("subgraphs", of.subgraphs);
    visit("turns", of.iterations);
    visit("case_files", of.case_files);
    visit("sweeps", of.sweeps);
    visit("profile_differences", of.profile_differences);
    visit("corpus", of.corpus);
    visit("memory", of.memory);
    visit("interrupted", of.interrupted);
    visit("started", of.started);
    visit("complaints", of.complaints);
  }
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_RESULT_MEMBERS_H_
