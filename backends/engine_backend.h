// A backend for any engine of the runtime. Every replica and partition of a module is a device. In
// a logical module, whose values are global, every replica is a device. Tests:
// golden/golden_backend_test.cc, and with another engine than golden's
// conformance/runner/toy_backend_test.cc.
#ifndef ASSAY_BACKENDS_ENGINE_BACKEND_H_
#define ASSAY_BACKENDS_ENGINE_BACKEND_H_

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "runtime/module_form.h"
#include "runtime/module_plan.h"
#include "runtime/run.h"

namespace assay {

// Runs a planned module with the arguments and the queues of each device. A host in the options
// replaces the queues. If a device has several partitions, each has a queue, and the outputs are
// those of the first. Adds to `stats` unless it is null. Returns the errors of RunPrograms.
absl::StatusOr<std::vector<DeviceOutputs>> RunWithQueues(const runtime::ModulePlan& module,
                                                         const runtime::ProcessPlan& processes,
                                                         absl::Span<const DeviceInputs> inputs,
                                                         runtime::RunOptions options,
                                                         runtime::RunStats* stats = nullptr);

// The base class. Derived classes plan modules for their engine and tell what it supports.
class EngineBackend : public Backend {
 public:
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  const runtime::RunStats* last_stats() const override { return stats_.get(); }

 protected:
  // `run` has the options of every execution. Its observers see modules that were compiled with
  // CompileOptions::observed.
  explicit EngineBackend(runtime::RunOptions run = {}) : run_(std::move(run)) {}

  // Returns true if the options of executions have no host and no observers, which executions at
  // the same time would share.
  bool ExecutesAtOnce() const { return run_.host == nullptr && run_.observers.empty(); }

  // Returns the plan of the module, which owns all objects that it refers to. Returns
  // INVALID_ARGUMENT for an illegal module and UNIMPLEMENTED for an unsupported one.
  virtual absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) = 0;
  // Returns new statistics, to which the engine adds (EngineState::AddStats).
  virtual std::unique_ptr<runtime::RunStats> NewStats() const {
    return std::make_unique<runtime::RunStats>();
  }

 private:
  friend class EngineExecutable;

  void SetStats(std::unique_ptr<runtime::RunStats> stats) {
    const std::lock_guard lock(mutex_);
    stats_ = std::move(stats);
  }

  const runtime::RunOptions run_;
  std::mutex mutex_;                          // of stats_, which executions at the same time set
  std::unique_ptr<runtime::RunStats> stats_;  // of the execution that ended last
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_ENGINE_BACKEND_H_
