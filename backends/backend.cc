#include "backends/backend.h"

#include <algorithm>
#include <latch>
#include <limits>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay {

namespace {

absl::StatusOr<std::vector<DeviceOutputs>> DownloadAll(Backend& backend, const Module& module,
                                                       std::vector<ExecuteOutputs> devices) {
  const Shape& shape = module.entry()->root()->shape();
  std::vector<DeviceOutputs> outputs;
  for (ExecuteOutputs& device : devices) {
    absl::StatusOr<Literal> result = DownloadValue(backend, shape, device.results);
    if (!result.ok()) return result.status();
    outputs.push_back({*std::move(result), std::move(device.outfeed)});
  }
  return outputs;
}

// The arguments of a set on the backend.
struct UploadedSet {
  std::vector<BufferHandle> buffers;
  std::vector<ExecuteInputs> inputs;
};

absl::StatusOr<UploadedSet> UploadSet(Backend& backend, const Executable& executable,
                                      absl::Span<const DeviceInputs> inputs) {
  const auto devices = static_cast<int64_t>(inputs.size());
  if (devices < executable.device_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("arguments for ", devices, " device", devices == 1 ? "" : "s", "; ",
                     backend.name(), " runs the module on ", executable.device_count(),
                     ": they are named arg0.dev0, arg0.dev1, ... (or made by --inputs random)"));
  }
  UploadedSet set;
  for (const DeviceInputs& device : inputs) {
    // Buffers alone do not tell which parameter a leaf was meant for.
    absl::Status status = runtime::CheckArguments(*executable.module().entry(), device.arguments);
    if (!status.ok()) return status;
    const auto number = static_cast<int64_t>(set.inputs.size());
    ExecuteInputs& given = set.inputs.emplace_back();
    given.infeed = device.infeed;
    for (const Literal& argument : device.arguments) {
      absl::StatusOr<std::vector<BufferHandle>> leaves = UploadValue(backend, argument, number);
      if (!leaves.ok()) return leaves.status();
      for (BufferHandle& leaf : *leaves) {
        given.arguments.emplace_back(leaf.get());
        set.buffers.push_back(std::move(leaf));
      }
    }
  }
  return set;
}

// Executes at the same time, in a thread for each set of inputs. All executions have started before
// the first is awaited.
std::vector<absl::StatusOr<ExecuteResults>> ExecuteAtOnce(
    Executable& executable, absl::Span<const UploadedSet* const> sets) {
  const auto count = static_cast<std::ptrdiff_t>(sets.size());
  std::latch ready(count), started(count);
  std::vector<absl::StatusOr<ExecuteResults>> results(sets.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sets.size(); ++i) {
    threads.emplace_back([&, i] {
      ready.arrive_and_wait();
      const absl::StatusOr<std::unique_ptr<Execution>> execution =
          executable.Start(sets[i]->inputs);
      started.arrive_and_wait();
      results[i] = execution.ok() ? (*execution)->Await()
                                  : absl::StatusOr<ExecuteResults>(execution.status());
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

// Executes in the order; keeps what every execution gives, or the last.
absl::StatusOr<ModuleRun> ExecuteInOrder(Backend& backend, Executable& executable,
                                         const InputSets& inputs, bool keep_all) {
  std::vector<UploadedSet> sets;
  for (const absl::Span<const DeviceInputs> each : inputs.sets) {
    absl::StatusOr<UploadedSet> set = UploadSet(backend, executable, each);
    if (!set.ok()) return set.status();
    sets.push_back(*std::move(set));
  }
  ModuleRun run;
  run.seconds = std::numeric_limits<double>::infinity();
  const size_t executions = inputs.order.size();
  const size_t at_once =
      backend.capabilities().executes_at_once ? std::min(inputs.at_once, executions) : 0;
  const auto add = [&](absl::StatusOr<ExecuteResults> given, bool keep) -> absl::Status {
    if (!given.ok()) return given.status();
    run.seconds = std::min(run.seconds, given->seconds);
    if (!keep) return absl::OkStatus();
    absl::StatusOr<std::vector<DeviceOutputs>> outputs =
        DownloadAll(backend, executable.module(), std::move(given->devices));
    if (!outputs.ok()) return outputs.status();
    run.outputs.push_back(*std::move(outputs));
    return absl::OkStatus();
  };
  std::vector<const UploadedSet*> together;
  for (size_t i = 0; i < executions; ++i) {
    const UploadedSet& set = sets[inputs.order[i]];
    if (i >= executions - at_once) {
      together.push_back(&set);
      continue;
    }
    absl::Status status = add(executable.Execute(set.inputs), keep_all || i + 1 == executions);
    if (!status.ok()) return status;
  }
  for (absl::StatusOr<ExecuteResults>& given : ExecuteAtOnce(executable, together)) {
    if (absl::Status status = add(std::move(given), /*keep=*/true); !status.ok()) return status;
  }
  return run;
}

InputSets OneSet(absl::Span<const DeviceInputs> inputs, int repeat) {
  return {{inputs}, std::vector<size_t>(static_cast<size_t>(repeat), 0)};
}

}  // namespace

absl::StatusOr<ModuleRun> Backend::RunSets(const Module& module, const InputSets& inputs) {
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(module);
  if (!executable.ok()) return executable.status();
  return ExecuteInOrder(*this, **executable, inputs, /*keep_all=*/true);
}

absl::StatusOr<ModuleRun> Backend::Run(const Module& module, absl::Span<const DeviceInputs> inputs,
                                       int repeat) {
  return RunSets(module, OneSet(inputs, repeat));
}

absl::StatusOr<std::vector<BufferHandle>> UploadValue(Backend& backend, const Literal& value,
                                                      int64_t device) {
  std::vector<BufferHandle> leaves;
  for (const Literal& leaf : Flatten(value)) {
    absl::StatusOr<BufferHandle> buffer = backend.Upload(leaf, device);
    if (!buffer.ok()) return buffer.status();
    leaves.push_back(*std::move(buffer));
  }
  return leaves;
}

absl::StatusOr<Literal> DownloadValue(Backend& backend, const Shape& shape,
                                      absl::Span<const BufferHandle> leaves) {
  std::vector<Literal> values;
  for (const BufferHandle& leaf : leaves) {
    absl::StatusOr<Literal> value = backend.Download(*leaf);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  return Unflatten(shape, values);
}

absl::StatusOr<std::vector<DeviceOutputs>> RunOnDevices(Backend& backend, Executable& executable,
                                                        absl::Span<const DeviceInputs> inputs,
                                                        int repeat, double* seconds) {
  absl::StatusOr<ModuleRun> run =
      ExecuteInOrder(backend, executable, OneSet(inputs, repeat), /*keep_all=*/false);
  if (!run.ok()) return run.status();
  if (seconds != nullptr) *seconds = run->seconds;
  return std::move(run->outputs.back());
}

absl::StatusOr<Literal> RunCompiled(Backend& backend, Executable& executable,
                                    absl::Span<const Literal> arguments, int repeat,
                                    double* seconds) {
  const DeviceInputs inputs = {{arguments.begin(), arguments.end()}, {}};
  absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      RunOnDevices(backend, executable, absl::MakeConstSpan(&inputs, 1), repeat, seconds);
  if (!outputs.ok()) return outputs.status();
  return std::move(outputs->front().result);
}

absl::StatusOr<Literal> RunOnce(Backend& backend, const Module& module,
                                absl::Span<const Literal> arguments) {
  const DeviceInputs inputs = {{arguments.begin(), arguments.end()}, {}};
  absl::StatusOr<ModuleRun> run = backend.Run(module, absl::MakeConstSpan(&inputs, 1), 1);
  if (!run.ok()) return run.status();
  return std::move(run->outputs.front().front().result);
}

}  // namespace assay
