#include "backends/engine_backend.h"

#include <chrono>
#include <mutex>

#include "backends/host_buffer.h"
#include "runtime/queue_host.h"
#include "spec/analysis/effects.h"

namespace assay {

using runtime::ProcessId;

class EngineExecutable : public SynchronousExecutable {
 public:
  EngineExecutable(const Module& module, std::shared_ptr<const runtime::ModulePlan> plan,
                   const runtime::ProcessPlan& processes, EngineBackend& backend)
      : SynchronousExecutable(module),
        plan_(std::move(plan)),
        processes_(processes),
        backend_(backend),
        continues_random_streams_(analysis::UsesRandomState(module)),
        options_(backend.run_) {
    if (continues_random_streams_ && options_.random == nullptr) options_.random = &random_;
    if (!continues_random_streams_) options_.random = nullptr;
  }

  int64_t device_count() const override { return processes_.grid.count() / processes_.per_device; }

 protected:
  absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> inputs) override {
    std::vector<DeviceInputs> devices;
    for (const ExecuteInputs& each : inputs) devices.push_back(ValuesOf(each));
    std::unique_lock<std::mutex> turn(random_mutex_, std::defer_lock);
    if (continues_random_streams_) turn.lock();
    std::unique_ptr<runtime::RunStats> stats = backend_.NewStats();
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<std::vector<DeviceOutputs>> outputs =
        RunWithQueues(*plan_, processes_, devices, options_, stats.get());
    backend_.SetStats(std::move(stats));
    if (!outputs.ok()) return outputs.status();
    ExecuteResults results;
    results.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (DeviceOutputs& each : *outputs) {
      const auto device = static_cast<int64_t>(results.devices.size());
      results.devices.push_back({HostBuffersOf(each.result, device), std::move(each.outfeed)});
    }
    return results;
  }

 private:
  // Parameters of the leaves. Storage of donated buffers is freed with these values.
  DeviceInputs ValuesOf(const ExecuteInputs& inputs) const {
    DeviceInputs values;
    values.infeed.assign(inputs.infeed.begin(), inputs.infeed.end());
    size_t next = 0;
    for (const Instruction* parameter : module().entry()->parameters()) {
      std::vector<Literal> leaves;
      for (size_t count = Leaves(parameter->shape()).size(); count > 0; --count) {
        const Argument& argument = inputs.arguments[next++];
        leaves.push_back(HostBuffer::ValueOf(*argument.buffer()));
        if (argument.donated() != nullptr) argument.donated()->Delete();
      }
      values.arguments.push_back(Unflatten(parameter->shape(), leaves));
    }
    return values;
  }

  const std::shared_ptr<const runtime::ModulePlan> plan_;
  const runtime::ProcessPlan processes_;
  EngineBackend& backend_;
  const bool continues_random_streams_;  // executions that do take turns
  runtime::RunOptions options_;
  std::mutex random_mutex_;       // held by an execution that uses random_
  runtime::RandomStates random_;  // continues from one execution to the next
};

absl::StatusOr<std::vector<DeviceOutputs>> RunWithQueues(const runtime::ModulePlan& module,
                                                         const runtime::ProcessPlan& processes,
                                                         absl::Span<const DeviceInputs> inputs,
                                                         runtime::RunOptions options,
                                                         runtime::RunStats* stats) {
  const int64_t per_device = processes.per_device;
  runtime::Program program;
  program.module = &module;
  program.grid = processes.grid;
  std::vector<std::vector<Literal>> arguments;  // by process
  runtime::QueueHost queues;
  const auto process = [&](int64_t number) {
    return ProcessId{0, program.grid.ReplicaOf(number), program.grid.PartitionOf(number)};
  };
  for (const DeviceInputs& device : inputs) {
    for (int64_t i = 0; i < per_device; ++i) {
      const auto number = static_cast<int64_t>(arguments.size());
      arguments.push_back(device.arguments);
      for (const Literal& array : device.infeed) queues.PutInfeed(process(number), array);
    }
  }
  program.arguments = arguments;
  if (options.host == nullptr) options.host = &queues;
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      runtime::RunPrograms(absl::MakeConstSpan(&program, 1), options, stats);
  if (!results.ok()) return results.status();
  std::vector<DeviceOutputs> outputs;
  const auto count = static_cast<int64_t>(results->front().size());
  for (int64_t i = 0; i < count; i += per_device) {
    outputs.push_back({std::move(results->front()[i]), queues.outfed(process(i))});
  }
  return outputs;
}

absl::StatusOr<std::unique_ptr<Executable>> EngineBackend::Compile(const Module& module,
                                                                   const CompileOptions& options) {
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> plan = Plan(module, options);
  if (!plan.ok()) return plan.status();
  const absl::StatusOr<runtime::ProcessPlan> processes =
      runtime::PlanProcesses(module, options.form);
  if (!processes.ok()) return processes.status();
  return std::make_unique<EngineExecutable>(module, *std::move(plan), *processes, *this);
}

absl::StatusOr<BufferHandle> EngineBackend::Upload(const Literal& array, int64_t device) {
  return UploadToHost(array, device, capabilities().devices);
}

absl::StatusOr<Literal> EngineBackend::Download(const Buffer& buffer) {
  return DownloadFromHost(buffer);
}

}  // namespace assay
