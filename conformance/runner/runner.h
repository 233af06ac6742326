// Many cases on a target, several at a time, each thread with a target of its own. Results go out
// as they come. Tests: runner_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_RUNNER_H_
#define ASSAY_CONFORMANCE_RUNNER_RUNNER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/profiles/profile.h"
#include "conformance/runner/case_result.h"
#include "conformance/runner/case_runner.h"

namespace assay {

struct SuiteOptions {
  // Called in each thread, whose target it is: children die with the thread that started them.
  std::function<absl::StatusOr<std::unique_ptr<Backend>>()> make_target;
  const TargetProfile* profile = nullptr;
  // But for what the target says of itself: `straight`, `verified`, and whether it executes again.
  CaseOptions each;
  int64_t jobs = 1;
  const std::atomic<bool>* stop = nullptr;  // true: end after the cases that run
  // Sees a target once it has started; one thread at a time.
  std::function<void(Backend&)> started;
  // Takes each result as soon as it is there, one at a time; false: end as `stop` does. Must be
  // there.
  std::function<bool(const CorpusCase&, CaseResult)> take;
};

// Runs the cases, in their order where one job does. An error where no target could be started:
// that of the first.
absl::Status RunCases(absl::Span<const CorpusCase* const> cases, const SuiteOptions& options);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_RUNNER_H_
