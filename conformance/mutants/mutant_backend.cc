#include "conformance/mutants/mutant_backend.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/mutants/state_mutants.h"
#include "spec/ops/shape_inference.h"

namespace assay::conformance {
namespace {

// Keeps what the executable runs on. The defective module takes and gives what the given one does.
class MutantExecutable : public Executable {
 public:
  MutantExecutable(const Module& module, DefectiveModule defective,
                   std::unique_ptr<GoldenBackend> golden, std::unique_ptr<Executable> executable)
      : Executable(module),
        defective_(std::move(defective)),
        golden_(std::move(golden)),
        executable_(std::move(executable)) {}
  int64_t device_count() const override { return executable_->device_count(); }

 protected:
  absl::StatusOr<std::unique_ptr<Execution>> Launch(
      absl::Span<const ExecuteInputs> inputs) override {
    return executable_->Start(inputs);
  }

 private:
  DefectiveModule defective_;
  std::unique_ptr<GoldenBackend> golden_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> MutantBackend::Compile(const Module& module,
                                                                   const CompileOptions& options) {
  sites_ = 0;
  if (absl::Status status = CheckModuleShapes(module); !status.ok()) return status;
  if (mutant_.state != StateDefect::kNone) return CompileStateful(module, options);
  DefectiveModule defective =
      PutInto(module, mutant_.opcodes, mutant_.defect, options_.plan.custom_calls);
  if (defective.sites == 0) return golden_.Compile(module, options);
  GoldenOptions golden_options = options_;
  golden_options.plan.custom_calls = defective.registry.get();
  CompileOptions compile = options;
  if (!compile.form) compile.form = runtime::FormOf(module);
  auto golden = std::make_unique<GoldenBackend>(std::move(golden_options));
  absl::StatusOr<std::unique_ptr<Executable>> executable =
      golden->Compile(*defective.module, compile);
  if (!executable.ok()) {
    return absl::InternalError(absl::StrCat(name_, " does not fit into module ", module.name(),
                                            ": ", executable.status().message()));
  }
  sites_ = defective.sites;
  return std::make_unique<MutantExecutable>(module, std::move(defective), std::move(golden),
                                            *std::move(executable));
}

absl::StatusOr<std::unique_ptr<Executable>> MutantBackend::CompileStateful(
    const Module& module, const CompileOptions& options) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      sites_ += absl::c_linear_search(mutant_.opcodes, each->opcode());
    }
  }
  absl::StatusOr<std::unique_ptr<Executable>> golden = golden_.Compile(module, options);
  if (!golden.ok() || sites_ == 0) return golden;
  return MakeStateful(mutant_.state, *std::move(golden));
}

}  // namespace assay::conformance
