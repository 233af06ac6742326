#include "backends/backend.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay {

namespace {

absl::StatusOr<std::vector<DeviceOutputs>> DownloadAll(Backend& backend,
                                                       std::vector<ExecuteOutputs> devices) {
  std::vector<DeviceOutputs> outputs;
  for (ExecuteOutputs& device : devices) {
    absl::StatusOr<Literal> result = backend.Download(*device.result);
    if (!result.ok()) return result.status();
    outputs.push_back({*std::move(result), std::move(device.outfeed)});
  }
  return outputs;
}

// Executes `repeat` times; keeps what every execution gives, or the last.
absl::StatusOr<ModuleRun> Repeat(Backend& backend, Executable& executable,
                                 absl::Span<const DeviceInputs> inputs, int repeat, bool keep_all) {
  const auto devices = static_cast<int64_t>(inputs.size());
  if (devices < executable.device_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("arguments for ", devices, " device", devices == 1 ? "" : "s", "; ",
                     backend.name(), " runs the module on ", executable.device_count(),
                     ": they are named arg0.dev0, arg0.dev1, ... (or made by --inputs random)"));
  }
  std::vector<BufferHandle> buffers;
  std::vector<ExecuteInputs> uploaded;
  for (const DeviceInputs& device : inputs) {
    uploaded.push_back({{}, device.infeed});
    for (const Literal& argument : device.arguments) {
      absl::StatusOr<BufferHandle> buffer = backend.Upload(argument);
      if (!buffer.ok()) return buffer.status();
      buffers.push_back(*std::move(buffer));
      uploaded.back().arguments.push_back(buffers.back().get());
    }
  }
  ModuleRun run;
  run.seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeat; ++i) {
    absl::StatusOr<std::vector<ExecuteOutputs>> given = executable.Execute(uploaded);
    if (!given.ok()) return given.status();
    run.seconds = std::min(run.seconds, executable.last_seconds());
    if (!keep_all && i + 1 < repeat) continue;
    absl::StatusOr<std::vector<DeviceOutputs>> outputs = DownloadAll(backend, *std::move(given));
    if (!outputs.ok()) return outputs.status();
    run.outputs.push_back(*std::move(outputs));
  }
  return run;
}

}  // namespace

absl::StatusOr<ModuleRun> Backend::Run(const Module& module, absl::Span<const DeviceInputs> inputs,
                                       int repeat) {
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(module);
  if (!executable.ok()) return executable.status();
  return Repeat(*this, **executable, inputs, repeat, /*keep_all=*/true);
}

absl::StatusOr<std::vector<DeviceOutputs>> RunOnDevices(Backend& backend, Executable& executable,
                                                        absl::Span<const DeviceInputs> inputs,
                                                        int repeat, double* seconds) {
  absl::StatusOr<ModuleRun> run = Repeat(backend, executable, inputs, repeat, /*keep_all=*/false);
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
