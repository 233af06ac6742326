#include "backends/backend.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay {

absl::StatusOr<std::vector<Literal>> RunOnDevices(Backend& backend, Executable& executable,
                                                  absl::Span<const std::vector<Literal>> arguments,
                                                  int repeat, double* seconds) {
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
  double best = std::numeric_limits<double>::infinity();
  std::vector<BufferHandle> outcome;
  for (int i = 0; i < repeat; ++i) {
    outcome.clear();
    absl::StatusOr<std::vector<BufferHandle>> results = executable.Execute(pointers);
    if (!results.ok()) return results.status();
    outcome = *std::move(results);
    best = std::min(best, executable.last_seconds());
  }
  if (seconds != nullptr) *seconds = best;
  std::vector<Literal> values;
  for (const BufferHandle& buffer : outcome) {
    absl::StatusOr<Literal> value = backend.Download(*buffer);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
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
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(module);
  if (!executable.ok()) return executable.status();
  return RunCompiled(backend, **executable, arguments);
}

}  // namespace assay
