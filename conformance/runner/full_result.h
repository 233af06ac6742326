// A case result in which no member has its default value, for tests that write and read results.
#ifndef ASSAY_CONFORMANCE_RUNNER_FULL_RESULT_H_
#define ASSAY_CONFORMANCE_RUNNER_FULL_RESULT_H_

#include <limits>

#include "conformance/runner/case_result.h"

namespace assay::conformance {

inline CaseResult FullCase() {
  Evidence evidence;
  evidence.verdict = Verdict::kNotJudgeable;
  evidence.device = 1;
  evidence.outfeed = true;
  evidence.leaf = 2;
  evidence.position = 5;
  evidence.index = {1, 2};
  evidence.golden = "nan";
  evidence.actual = "-0";
  evidence.golden_bits = "0x7fc00000";
  evidence.actual_bits = "0x80000000";
  evidence.operands = {"1", "-inf"};
  evidence.bound = std::numeric_limits<double>::infinity();
  evidence.distance = 0.25;
  evidence.reason = "denormals: \"quoted\" </script> \xe2\x80\xa8";
  ProbeResult probe;
  probe.name = "add.3+a@3";
  probe.subgraph = true;
  probe.outcome = Outcome::kNotJudgeable;
  probe.message = "why";
  probe.execution = 3;
  probe.other_arguments = true;
  probe.judgement.verdict = Verdict::kNotJudgeable;
  probe.judgement.counts = {1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < kFreedoms; ++i) probe.judgement.freedoms[i] = i;
  probe.judgement.largest_fraction = 0.1;
  probe.judgement.largest_distance = std::numeric_limits<uint64_t>::max();
  probe.judgement.histogram[0] = 7;
  probe.judgement.histogram[kUlpBuckets - 1] = 8;
  probe.judgement.rule = "7 ulp";
  probe.judgement.evidence = {evidence};
  probe.judgement.reasons = {"one", "two"};
  probe.judgement.deviations = {"P-2 (there)"};
  CaseResult result;
  result.id = "a/f32";
  result.hash = "0123456789abcdef";
  result.op = "add";
  result.type = "f32";
  result.outcome = Outcome::kInvalid;
  result.message = "refused";
  result.waiver = "known";
  result.text = "case a/f32\n";
  result.probes = {probe, ProbeResult()};
  result.target_seconds = 0.5;
  result.golden_seconds = 0.000001;
  result.judge_seconds = 3;
  return result;
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_FULL_RESULT_H_
