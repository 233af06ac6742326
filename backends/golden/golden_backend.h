// The golden interpreter behind the interface of backends: its engine, what it supports, and its
// statistics. Tests: golden_backend_test.cc.
#ifndef ASSAY_BACKENDS_GOLDEN_GOLDEN_BACKEND_H_
#define ASSAY_BACKENDS_GOLDEN_GOLDEN_BACKEND_H_

#include <memory>
#include <utility>

#include "backends/engine_backend.h"
#include "interpreter/interpreter.h"

namespace assay {

struct GoldenOptions {
  PlanOptions plan;  // of every module; CompileOptions add to it
  RunOptions run;
};

class GoldenBackend : public EngineBackend {
 public:
  explicit GoldenBackend(GoldenOptions options = {})
      : EngineBackend(std::move(options.run)), plan_(options.plan) {}
  absl::string_view name() const override { return "golden"; }
  BackendCapabilities capabilities() const override;
  absl::Status Supports(const Module& module) override;

 protected:
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) override;
  // assay::RunStats: tiers, undecided elements.
  std::unique_ptr<runtime::RunStats> NewStats() const override;

 private:
  const PlanOptions plan_;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_GOLDEN_GOLDEN_BACKEND_H_
