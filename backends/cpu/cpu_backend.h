// The vectorised engine behind the interface of backends. Tests: kernels_test.cc, conformance/runner/cpu_suite_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CPU_BACKEND_H_
#define ASSAY_BACKENDS_CPU_CPU_BACKEND_H_

#include <memory>
#include <utility>

#include "backends/engine_backend.h"

namespace assay {

struct CpuOptions {
  runtime::RunOptions run = {};
  double seconds = -1;  // that planning a module may take; negative: unlimited
  // Runs every instruction as it is written: no pass changes the module first.
  bool strict = false;
};

class CpuBackend : public EngineBackend {
 public:
  explicit CpuBackend(CpuOptions options = {})
      : EngineBackend(options.run), seconds_(options.seconds), strict_(options.strict) {}
  absl::string_view name() const override { return strict_ ? "cpu:strict" : "cpu"; }
  BackendCapabilities capabilities() const override;
  absl::Status Supports(const Module& module) override;

 protected:
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) override;

 private:
  const double seconds_;
  const bool strict_;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_CPU_CPU_BACKEND_H_
