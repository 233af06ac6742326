// The vectorised engine as a Backend. Tests: kernels_test.cc, conformance/runner/cpu_suite_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CPU_BACKEND_H_
#define ASSAY_BACKENDS_CPU_CPU_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backends/cpu/vector/tier.h"
#include "backends/engine_backend.h"
#include "runtime/custom_calls/custom_call.h"

namespace assay::cpu {

struct CpuOptions {
  runtime::RunOptions run = {};
  double seconds = -1;  // the time limit of planning a module; negative for no limit
  // Runs only passes (backends/passes) that change no bit, not even of NaN.
  bool strict = false;
  // Runs no passes.
  bool plain = false;
  // The targets of custom calls beside the well-known ones. Null for none.
  const runtime::CustomCallRegistry* custom_calls = nullptr;
  std::optional<cpu::Tier> tier = {};  // if not set, that of ASSAY_CPU_TIER, or kAuto
};

// Parses options as users write them: "strict", "plain" and "tier=NAME", separated by commas.
// Returns INVALID_ARGUMENT for any other option.
absl::StatusOr<CpuOptions> ParseCpuOptions(absl::string_view text);

class CpuBackend : public EngineBackend {
 public:
  explicit CpuBackend(CpuOptions options = {});
  absl::string_view name() const override { return name_; }
  BackendCapabilities capabilities() const override;
  absl::Status Supports(const Module& module) override;

 protected:
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) override;

 private:
  const double seconds_;
  const bool strict_, plain_;
  const runtime::CustomCallRegistry* const custom_calls_;
  const std::optional<cpu::Tier> tier_;
  const std::string name_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CPU_BACKEND_H_
