#include "backends/golden/golden_backend.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/host_buffer.h"

namespace assay {
namespace {

class GoldenExecutable : public Executable {
 public:
  GoldenExecutable(std::unique_ptr<PlannedModule> module, const RunOptions& options,
                   RunStats* stats)
      : module_(std::move(module)), options_(options), stats_(stats) {}

  absl::StatusOr<std::vector<BufferHandle>> Execute(
      absl::Span<const std::vector<const Buffer*>> arguments) override {
    if (arguments.empty()) return absl::InvalidArgumentError("arguments for no device");
    if (arguments.size() > 1) {
      return absl::UnimplementedError(
          absl::StrCat("arguments for ", arguments.size(), " devices; golden runs one"));
    }
    std::vector<Literal> literals;
    for (const Buffer* buffer : arguments[0]) {
      literals.push_back(static_cast<const HostBuffer*>(buffer)->literal());
    }
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<Literal> result = module_->Run(literals, options_, stats_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!result.ok()) return result.status();
    std::vector<BufferHandle> results;
    results.push_back(std::make_unique<HostBuffer>(*std::move(result)));
    return results;
  }
  double last_seconds() const override { return seconds_; }

 private:
  std::unique_ptr<PlannedModule> module_;
  const RunOptions& options_;
  RunStats* stats_;
  double seconds_ = 0;
};

}  // namespace

absl::Status GoldenBackend::Supports(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (IsInterpreted(instruction->opcode())) continue;
      return absl::UnimplementedError(absl::StrCat("the golden interpreter does not run ",
                                                   Name(instruction->opcode()),
                                                   " yet: ", instruction->Describe()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Executable>> GoldenBackend::Compile(const Module& module) {
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned =
      PlannedModule::Create(module, options_.plan);
  if (!planned.ok()) {
    // The plan knows only that an operation has no definition.
    const absl::Status supported = Supports(module);
    return absl::IsUnimplemented(planned.status()) && !supported.ok() ? supported
                                                                      : planned.status();
  }
  return std::make_unique<GoldenExecutable>(*std::move(planned), options_.run, &stats_);
}

absl::StatusOr<BufferHandle> GoldenBackend::Upload(const Literal& literal) {
  return std::make_unique<HostBuffer>(literal);
}

absl::StatusOr<Literal> GoldenBackend::Download(const Buffer& buffer) {
  return static_cast<const HostBuffer&>(buffer).literal();
}

}  // namespace assay
