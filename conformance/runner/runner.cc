#include "conformance/runner/runner.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

// Returns OK if the target answers at all.
absl::Status TryTarget(Backend& target) {
  const auto module = ParseModule("ENTRY e { ROOT p = f32[] parameter(0) }");
  if (!module.ok()) return module.status();
  const absl::Status status = target.Supports(**module);
  return absl::IsUnimplemented(status) ? absl::OkStatus() : status;
}

class Suite {
 public:
  Suite(absl::Span<const CorpusCase* const> cases, const SuiteOptions& options)
      : cases_(cases), options_(options) {}

  absl::Status Run() {
    const auto count = std::min<int64_t>(options_.jobs, static_cast<int64_t>(cases_.size()));
    std::vector<std::thread> workers;
    for (int64_t i = 0; i < count; ++i) workers.emplace_back([this] { Work(); });
    for (std::thread& worker : workers) worker.join();
    return started_ > 0 || cases_.empty() ? absl::OkStatus() : not_started_;
  }

 private:
  bool Ended() const {
    return ended_ || (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed));
  }

  void Work() {
    absl::StatusOr<std::unique_ptr<Backend>> target = options_.make_target();
    absl::Status status = target.status();
    if (status.ok()) status = TryTarget(**target);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!status.ok()) {
        if (not_started_.ok()) not_started_ = status;
        return;
      }
      if (started_++ == 0 && options_.started) options_.started(**target);
    }
    CaseOptions each = options_.each;
    each.verified = (*target)->capabilities().modules_are_verified;
    each.straight = (*target)->capabilities().is_reference;
    if (!(*target)->capabilities().executes_again) each.again = Again::kNone;
    CaseRunner runner(**target, *options_.profile, each);
    while (!Ended()) {
      const size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      if (next >= cases_.size()) return;
      CaseResult result = runner.Run(*cases_[next]);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!options_.take(*cases_[next], std::move(result))) ended_ = true;
    }
  }

  const absl::Span<const CorpusCase* const> cases_;
  const SuiteOptions& options_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  int64_t started_ = 0;       // targets
  absl::Status not_started_;  // why the first did not
};

}  // namespace

absl::Status RunCases(absl::Span<const CorpusCase* const> cases, const SuiteOptions& options) {
  return Suite(cases, options).Run();
}

}  // namespace assay::conformance
