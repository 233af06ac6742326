// A backend over any engine of the runtime. A device is a process of the runtime; there are as many
// as the module's replicas times its partitions, but only the replicas where the module is logical:
// its values are global. Tests: golden/golden_backend_test.cc, and with another engine than
// golden's conformance/runner/toy_backend_test.cc.
#ifndef ASSAY_BACKENDS_ENGINE_BACKEND_H_
#define ASSAY_BACKENDS_ENGINE_BACKEND_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "runtime/module_form.h"
#include "runtime/module_plan.h"
#include "runtime/run.h"

namespace assay {

// Runs a planned module with the arguments and the queues of each device; a host among the options
// stands in the place of the queues. Where several processes stand for a device each has its queue,
// and the first gives its outputs. Adds to `stats`, unless null. Errors as of RunPrograms.
absl::StatusOr<std::vector<DeviceOutputs>> RunWithQueues(const runtime::ModulePlan& module,
                                                         const runtime::ProcessPlan& processes,
                                                         absl::Span<const DeviceInputs> inputs,
                                                         runtime::RunOptions options,
                                                         runtime::RunStats* stats = nullptr);

// Derived classes say how a module is planned for their engine, and what the engine supports.
class EngineBackend : public Backend {
 public:
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  const runtime::RunStats* last_stats() const override { return stats_.get(); }

 protected:
  // Every execution runs with these options. Observers among them see modules that were compiled to
  // be observed.
  explicit EngineBackend(runtime::RunOptions run = {}) : run_(std::move(run)) {}

  // The plan of the module, with all that it refers to. INVALID_ARGUMENT for an illegal module,
  // UNIMPLEMENTED for what the engine does not run.
  virtual absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) = 0;
  // Statistics of an execution, which the engine adds to (EngineState::AddStats).
  virtual std::unique_ptr<runtime::RunStats> NewStats() const {
    return std::make_unique<runtime::RunStats>();
  }

 private:
  friend class EngineExecutable;

  const runtime::RunOptions run_;
  std::unique_ptr<runtime::RunStats> stats_;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_ENGINE_BACKEND_H_
