#include "backends/golden/golden_backend.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/host_buffer.h"
#include "interpreter/custom_call.h"

namespace assay {
namespace {

class GoldenExecutable : public Executable {
 public:
  GoldenExecutable(std::unique_ptr<PlannedModule> module, const ProcessPlan& processes,
                   const RunOptions& options, RunStats* stats)
      : module_(std::move(module)), processes_(processes), options_(options), stats_(stats) {
    if (options_.random == nullptr) options_.random = &random_;
  }

  int64_t device_count() const override { return processes_.grid.count() / processes_.per_device; }

  absl::StatusOr<std::vector<BufferHandle>> Execute(
      absl::Span<const std::vector<const Buffer*>> arguments) override {
    Program program;
    program.module = module_.get();
    program.grid = processes_.grid;
    for (const std::vector<const Buffer*>& buffers : arguments) {
      std::vector<Literal> literals;
      for (const Buffer* buffer : buffers) {
        literals.push_back(static_cast<const HostBuffer*>(buffer)->literal());
      }
      program.arguments.insert(program.arguments.end(), processes_.per_device, literals);
    }
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<std::vector<std::vector<Literal>>> results =
        RunPrograms(absl::MakeConstSpan(&program, 1), options_, stats_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!results.ok()) return results.status();
    std::vector<BufferHandle> handles;
    for (size_t i = 0; i < results->front().size(); i += processes_.per_device) {
      handles.push_back(std::make_unique<HostBuffer>(std::move(results->front()[i])));
    }
    return handles;
  }
  double last_seconds() const override { return seconds_; }

 private:
  std::unique_ptr<PlannedModule> module_;
  ProcessPlan processes_;
  RunOptions options_;
  RandomStates random_;  // goes on from one execution to the next
  RunStats* stats_;
  double seconds_ = 0;
};

}  // namespace

absl::Status GoldenBackend::Supports(const Module& module) {
  for (const auto& computation : module.computations()) {
    absl::Status status = CheckCustomCalls(*computation, options_.plan);
    if (!status.ok()) return status;
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
  const absl::StatusOr<ProcessPlan> processes = PlanProcesses(module, options_.form);
  if (!processes.ok()) return processes.status();
  return std::make_unique<GoldenExecutable>(*std::move(planned), *processes, options_.run, &stats_);
}

absl::StatusOr<BufferHandle> GoldenBackend::Upload(const Literal& literal) {
  return std::make_unique<HostBuffer>(literal);
}

absl::StatusOr<Literal> GoldenBackend::Download(const Buffer& buffer) {
  return static_cast<const HostBuffer&>(buffer).literal();
}

}  // namespace assay
