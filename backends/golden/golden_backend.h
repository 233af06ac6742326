// The golden interpreter behind the interface of backends. A device is a process; there are as many
// as the module's replicas times its partitions, but only the replicas where the module is logical:
// its values are global. Tests: golden_backend_test.cc.
#ifndef ASSAY_BACKENDS_GOLDEN_GOLDEN_BACKEND_H_
#define ASSAY_BACKENDS_GOLDEN_GOLDEN_BACKEND_H_

#include <memory>
#include <optional>

#include "backends/backend.h"
#include "interpreter/interpreter.h"
#include "runtime/module_form.h"

namespace assay {

struct GoldenOptions {
  PlanOptions plan;
  RunOptions run;
  std::optional<runtime::ModuleForm> form;  // none: what the module tells (FormOf)
};

// Runs a planned module with the arguments and the queues of each device; a host among the options
// stands in the place of the queues. Where several processes stand for a device each has its queue,
// and the first gives its outputs. Errors as of RunPrograms.
absl::StatusOr<std::vector<DeviceOutputs>> RunWithQueues(const PlannedModule& module,
                                                         const runtime::ProcessPlan& processes,
                                                         absl::Span<const DeviceInputs> inputs,
                                                         RunOptions options,
                                                         RunStats* stats = nullptr);

class GoldenBackend : public Backend {
 public:
  explicit GoldenBackend(GoldenOptions options = {}) : options_(std::move(options)) {}
  absl::string_view name() const override { return "golden"; }
  BackendCapabilities capabilities() const override {
    return {.modules_are_verified = true, .is_reference = true};
  }
  absl::Status Supports(const Module& module) override;
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& literal) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  // Of the last Execute.
  const RunStats& last_stats() const { return stats_; }

 private:
  GoldenOptions options_;
  RunStats stats_;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_GOLDEN_GOLDEN_BACKEND_H_
