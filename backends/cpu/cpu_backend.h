// The vectorised engine behind the interface of backends. Tests: kernels_test.cc,
// conformance/runner/cpu_suite_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CPU_BACKEND_H_
#define ASSAY_BACKENDS_CPU_CPU_BACKEND_H_

#include <memory>
#include <utility>

#include "backends/engine_backend.h"

namespace assay {

struct CpuOptions {
  runtime::RunOptions run = {};
  double seconds = -1;  // that planning a module may take; negative: unlimited
  // Passes (backends/passes) that may change no bit, not even of NaN.
  bool strict = false;
  // Runs every instruction as it is written: no pass changes the module first.
  bool plain = false;
};

class CpuBackend : public EngineBackend {
 public:
  explicit CpuBackend(CpuOptions options = {})
      : EngineBackend(options.run),
        seconds_(options.seconds),
        strict_(options.strict),
        plain_(options.plain) {}
  absl::string_view name() const override {
    return plain_ ? "cpu:plain" : strict_ ? "cpu:strict" : "cpu";
  }
  BackendCapabilities capabilities() const override;
  absl::Status Supports(const Module& module) override;

 protected:
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) override;

 private:
  const double seconds_;
  const bool strict_, plain_;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_CPU_CPU_BACKEND_H_
