#include "backends/golden/golden_backend.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/host_buffer.h"
#include "interpreter/custom_call.h"
#include "runtime/queue_host.h"

namespace assay {
namespace {

class GoldenExecutable : public Executable {
 public:
  GoldenExecutable(std::unique_ptr<PlannedModule> module, const runtime::ProcessPlan& processes,
                   const RunOptions& options, RunStats* stats)
      : module_(std::move(module)), processes_(processes), options_(options), stats_(stats) {
    if (options_.random == nullptr) options_.random = &random_;
  }

  int64_t device_count() const override { return processes_.grid.count() / processes_.per_device; }

  absl::StatusOr<std::vector<ExecuteOutputs>> Execute(
      absl::Span<const ExecuteInputs> inputs) override {
    std::vector<DeviceInputs> devices;
    for (const ExecuteInputs& each : inputs) {
      DeviceInputs& device = devices.emplace_back();
      for (const Buffer* buffer : each.arguments) {
        device.arguments.push_back(static_cast<const HostBuffer*>(buffer)->literal());
      }
      device.infeed.assign(each.infeed.begin(), each.infeed.end());
    }
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<std::vector<DeviceOutputs>> outputs =
        RunWithQueues(*module_, processes_, devices, options_, stats_);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!outputs.ok()) return outputs.status();
    std::vector<ExecuteOutputs> given;
    for (DeviceOutputs& each : *outputs) {
      given.push_back(
          {std::make_unique<HostBuffer>(std::move(each.result)), std::move(each.outfeed)});
    }
    return given;
  }
  double last_seconds() const override { return seconds_; }

 private:
  std::unique_ptr<PlannedModule> module_;
  runtime::ProcessPlan processes_;
  RunOptions options_;
  RandomStates random_;  // goes on from one execution to the next
  RunStats* stats_;
  double seconds_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<DeviceOutputs>> RunWithQueues(const PlannedModule& module,
                                                         const runtime::ProcessPlan& processes,
                                                         absl::Span<const DeviceInputs> inputs,
                                                         RunOptions options, RunStats* stats) {
  const int64_t per_device = processes.per_device;
  Program program;
  program.module = &module;
  program.grid = processes.grid;
  runtime::QueueHost queues;
  const auto process = [&](int64_t number) {
    return ProcessId{0, program.grid.ReplicaOf(number), program.grid.PartitionOf(number)};
  };
  for (const DeviceInputs& device : inputs) {
    for (int64_t i = 0; i < per_device; ++i) {
      const auto number = static_cast<int64_t>(program.arguments.size());
      program.arguments.push_back(device.arguments);
      for (const Literal& array : device.infeed) queues.PutInfeed(process(number), array);
    }
  }
  if (options.host == nullptr) options.host = &queues;
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      RunPrograms(absl::MakeConstSpan(&program, 1), options, stats);
  if (!results.ok()) return results.status();
  std::vector<DeviceOutputs> outputs;
  const auto count = static_cast<int64_t>(results->front().size());
  for (int64_t i = 0; i < count; i += per_device) {
    outputs.push_back({std::move(results->front()[i]), queues.outfed(process(i))});
  }
  return outputs;
}

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
  const absl::StatusOr<runtime::ProcessPlan> processes =
      runtime::PlanProcesses(module, options_.form);
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
