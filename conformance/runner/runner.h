// Runs many cases in parallel. Each worker thread has a target of its own. Results are delivered as
// soon as they are available. Tests: runner_test.cc.
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

namespace assay::conformance {

struct SuiteOptions {
  // Called once in each worker thread. A child process ends with the thread that started it.
  std::function<absl::StatusOr<std::unique_ptr<Backend>>()> make_target;
  const TargetProfile* profile = nullptr;
  // The target's own capabilities replace `straight`, `verified` and whether a case is run again.
  CaseOptions each;
  int64_t jobs = 1;
  const std::atomic<bool>* stop = nullptr;  // if it becomes true, no further case is started
  // Called with a target after it has started, by one thread at a time.
  std::function<void(Backend&)> started;
  // Required. Receives each result as soon as it is available, by one thread at a time. Returns
  // false to stop the run as `stop` does.
  std::function<bool(const CorpusCase&, CaseResult)> take;
};

// Runs the cases; a single job keeps their order. Returns the error of the first target if no
// target could be started.
absl::Status RunCases(absl::Span<const CorpusCase* const> cases, const SuiteOptions& options);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_RUNNER_H_
