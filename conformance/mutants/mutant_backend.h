// A mutant as a target: the golden backend on modules that have the defect in them. Illegal modules
// are refused as golden refuses them. Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_MUTANT_BACKEND_H_
#define ASSAY_CONFORMANCE_MUTANTS_MUTANT_BACKEND_H_

#include <memory>
#include <string>
#include <utility>

#include "backends/golden/golden_backend.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {

class MutantBackend : public Backend {
 public:
  // The mutant must outlive the backend (those of Mutants() do).
  explicit MutantBackend(const Mutant& mutant, GoldenOptions options = {})
      : mutant_(mutant), name_(mutant.target()), options_(options), golden_(std::move(options)) {}
  absl::string_view name() const override { return name_; }
  // It is a target, not the interpreter: it offers little of what golden does beyond results.
  BackendCapabilities capabilities() const override {
    BackendCapabilities capabilities = golden_.capabilities();
    capabilities.features = {Feature::kCustomCalls};
    capabilities.executes_at_once = false;  // defects keep states
    return capabilities;
  }
  absl::Status Supports(const Module& module) override { return golden_.Supports(module); }
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override {
    return golden_.Upload(array, device);
  }
  absl::StatusOr<Literal> Download(const Buffer& buffer) override {
    return golden_.Download(buffer);
  }
  // Of the last Compile: at how many instructions the defect shows.
  int64_t sites() const { return sites_; }

 private:
  absl::StatusOr<std::unique_ptr<Executable>> CompileStateful(const Module& module,
                                                              const CompileOptions& options);

  const Mutant& mutant_;
  std::string name_;
  GoldenOptions options_;
  GoldenBackend golden_;
  int64_t sites_ = 0;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_MUTANT_BACKEND_H_
