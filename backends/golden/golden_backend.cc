#include "backends/golden/golden_backend.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay {
namespace {

class GoldenBuffer : public Buffer {
 public:
  explicit GoldenBuffer(Literal literal) : literal_(std::move(literal)) {}
  const Shape& shape() const override { return literal_.shape(); }
  const Literal& literal() const { return literal_; }

 private:
  Literal literal_;
};

class GoldenExecutable : public Executable {
 public:
  GoldenExecutable(std::unique_ptr<PlannedModule> module, const RunOptions& options,
                   RunStats* stats)
      : module_(std::move(module)), options_(options), stats_(stats) {}

  absl::StatusOr<std::vector<BufferHandle>> Execute(
      absl::Span<const std::vector<const Buffer*>> arguments) override {
    if (arguments.size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the golden backend runs on one device, arguments for ", arguments.size(),
                       " were given"));
    }
    std::vector<Literal> literals;
    for (const Buffer* buffer : arguments[0]) {
      literals.push_back(static_cast<const GoldenBuffer*>(buffer)->literal());
    }
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<Literal> result = module_->Run(literals, options_, stats_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!result.ok()) return result.status();
    std::vector<BufferHandle> results;
    results.push_back(std::make_unique<GoldenBuffer>(*std::move(result)));
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
  if (!planned.ok()) return planned.status();
  return std::make_unique<GoldenExecutable>(*std::move(planned), options_.run, &stats_);
}

absl::StatusOr<BufferHandle> GoldenBackend::Upload(const Literal& literal) {
  return std::make_unique<GoldenBuffer>(literal);
}

absl::StatusOr<Literal> GoldenBackend::Download(const Buffer& buffer) {
  return static_cast<const GoldenBuffer&>(buffer).literal();
}

}  // namespace assay
