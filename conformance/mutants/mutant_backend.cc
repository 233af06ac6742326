#include "conformance/mutants/mutant_backend.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/mutants/state_mutants.h"
#include "spec/ops/shape_inference.h"

namespace assay {
namespace {

// Keeps what the executable runs on.
class MutantExecutable : public Executable {
 public:
  MutantExecutable(DefectiveModule defective, std::unique_ptr<GoldenBackend> golden,
                   std::unique_ptr<Executable> executable)
      : defective_(std::move(defective)),
        golden_(std::move(golden)),
        executable_(std::move(executable)) {}
  int64_t device_count() const override { return executable_->device_count(); }
  absl::StatusOr<std::vector<ExecuteOutputs>> Execute(
      absl::Span<const ExecuteInputs> inputs) override {
    return executable_->Execute(inputs);
  }
  double last_seconds() const override { return executable_->last_seconds(); }

 private:
  DefectiveModule defective_;
  std::unique_ptr<GoldenBackend> golden_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> MutantBackend::Compile(const Module& module) {
  sites_ = 0;
  if (absl::Status status = CheckModuleShapes(module); !status.ok()) return status;
  if (mutant_.state != StateDefect::kNone) return CompileStateful(module);
  const CustomCallRegistry& base = RegistryOf(options_.plan);
  DefectiveModule defective = PutInto(module, mutant_.opcodes, mutant_.defect, base);
  if (defective.sites == 0) return golden_.Compile(module);
  GoldenOptions options = options_;
  options.plan.custom_calls = defective.registry.get();
  if (!options.form) options.form = runtime::FormOf(module);
  auto golden = std::make_unique<GoldenBackend>(std::move(options));
  absl::StatusOr<std::unique_ptr<Executable>> executable = golden->Compile(*defective.module);
  if (!executable.ok()) {
    return absl::InternalError(absl::StrCat(name_, " does not fit into module ", module.name(),
                                            ": ", executable.status().message()));
  }
  sites_ = defective.sites;
  return std::make_unique<MutantExecutable>(std::move(defective), std::move(golden),
                                            *std::move(executable));
}

absl::StatusOr<std::unique_ptr<Executable>> MutantBackend::CompileStateful(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      sites_ += absl::c_linear_search(mutant_.opcodes, each->opcode());
    }
  }
  absl::StatusOr<std::unique_ptr<Executable>> golden = golden_.Compile(module);
  if (!golden.ok() || sites_ == 0) return golden;
  return MakeStateful(mutant_.state, *std::move(golden));
}

}  // namespace assay
