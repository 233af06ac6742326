#include "backends/backend.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay {

namespace {

absl::StatusOr<std::vector<Literal>> DownloadAll(Backend& backend,
                                                 absl::Span<const BufferHandle> buffers) {
  std::vector<Literal> values;
  for (const BufferHandle& buffer : buffers) {
    absl::StatusOr<Literal> value = backend.Download(*buffer);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

// Executes `repeat` times; keeps the results of every execution, or of the last.
absl::StatusOr<ModuleRun> Repeat(Backend& backend, Executable& executable,
                                 absl::Span<const std::vector<Literal>> arguments, int repeat,
                                 bool keep_all) {
  const auto devices = static_cast<int64_t>(arguments.size());
  if (devices < executable.device_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("arguments for ", devices, " device", devices == 1 ? "" : "s", "; ",
                     backend.name(), " runs the module on ", executable.device_count(),
                     ": they are named arg0.dev0, arg0.dev1, ... (or made by --inputs random)"));
  }
  std::vector<BufferHandle> buffers;
  std::vector<std::vector<const Buffer*>> pointers;
  for (const std::vector<Literal>& device : arguments) {
    pointers.emplace_back();
    for (const Literal& argument : device) {
      absl::StatusOr<BufferHandle> buffer = backend.Upload(argument);
      if (!buffer.ok()) return buffer.status();
      buffers.push_back(*std::move(buffer));
      pointers.back().push_back(buffers.back().get());
    }
  }
  ModuleRun run;
  run.seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeat; ++i) {
    absl::StatusOr<std::vector<BufferHandle>> results = executable.Execute(pointers);
    if (!results.ok()) return results.status();
    run.seconds = std::min(run.seconds, executable.last_seconds());
    if (!keep_all && i + 1 < repeat) continue;
    absl::StatusOr<std::vector<Literal>> values = DownloadAll(backend, *results);
    if (!values.ok()) return values.status();
    run.results.push_back(*std::move(values));
  }
  return run;
}

}  // namespace

absl::StatusOr<ModuleRun> Backend::Run(const Module& module,
                                       absl::Span<const std::vector<Literal>> arguments,
                                       int repeat) {
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(module);
  if (!executable.ok()) return executable.status();
  return Repeat(*this, **executable, arguments, repeat, /*keep_all=*/true);
}

absl::StatusOr<std::vector<Literal>> RunOnDevices(Backend& backend, Executable& executable,
                                                  absl::Span<const std::vector<Literal>> arguments,
                                                  int repeat, double* seconds) {
  absl::StatusOr<ModuleRun> run =
      Repeat(backend, executable, arguments, repeat, /*keep_all=*/false);
  if (!run.ok()) return run.status();
  if (seconds != nullptr) *seconds = run->seconds;
  return std::move(run->results.back());
}

absl::StatusOr<Literal> RunCompiled(Backend& backend, Executable& executable,
                                    absl::Span<const Literal> arguments, int repeat,
                                    double* seconds) {
  absl::StatusOr<std::vector<Literal>> values =
      RunOnDevices(backend, executable, {std::vector<Literal>(arguments.begin(), arguments.end())},
                   repeat, seconds);
  if (!values.ok()) return values.status();
  return std::move(values->front());
}

absl::StatusOr<Literal> RunOnce(Backend& backend, const Module& module,
                                absl::Span<const Literal> arguments) {
  absl::StatusOr<ModuleRun> run =
      backend.Run(module, {std::vector<Literal>(arguments.begin(), arguments.end())}, 1);
  if (!run.ok()) return run.status();
  return std::move(run->results.front().front());
}

}  // namespace assay
