// Runs one case on one target: executes its probes, judges the results and derives the outcome. An
// error of the target affects this case alone. Tests: case_runner_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_CASE_RUNNER_H_
#define ASSAY_CONFORMANCE_RUNNER_CASE_RUNNER_H_

#include "backends/backend.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/profiles/profile.h"
#include "conformance/runner/case_result.h"
#include "conformance/runner/executions.h"
#include "conformance/runner/probe.h"
#include "interpreter/interpreter.h"

namespace assay::conformance {

struct CaseOptions {
  RunBudget golden;     // the budget of a golden evaluation
  double seconds = 60;  // the target's time limit for all probes of a case; negative for no limit
  int repeat = 1;       // the number of runs whose results must have the same bits
  // Computes golden values by the reference definitions alone if the case is small. Golden's own
  // kernels can then be the target.
  bool straight = false;
  // Modules are verified before dispatch. The target never receives an illegal module, and the
  // verifier answers the cases that expect a refusal.
  bool verified = false;
  TraceDepth depth;            // which instructions and groups of a program become probes
  Again again = Again::kNone;  // whether the whole module is executed with other arguments too
};

class CaseRunner {
 public:
  // Both must outlive the runner. A target that can hang must enforce deadlines of its own.
  CaseRunner(Backend& target, const TargetProfile& profile, const CaseOptions& options)
      : target_(target), profile_(profile), options_(options) {}

  CaseResult Run(const CorpusCase& corpus_case);

 private:
  void RunRefused(const CorpusCase& corpus_case, CaseResult* result);
  void RunProbes(const CorpusCase& corpus_case, CaseResult* result);
  bool MayRefuse(const Module& module) const;
  ProbeResult RunProbe(const Probe& probe, bool again, CaseResult* result);
  absl::StatusOr<ModuleRun> Ask(const Probe& probe, const InputSets& inputs, double seconds_left,
                                std::string* failed_first);
  void Judge(const Probe& probe, const ModuleRun& run, absl::Span<const size_t> order,
             ProbeResult* result);

  Backend& target_;
  const TargetProfile& profile_;
  const CaseOptions options_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_CASE_RUNNER_H_
