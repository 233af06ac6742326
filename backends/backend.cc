#include "backends/backend.h"

#include <utility>

namespace assay {

absl::StatusOr<Literal> RunOnce(Backend& backend, const Module& module,
                                absl::Span<const Literal> arguments) {
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(module);
  if (!executable.ok()) return executable.status();
  std::vector<BufferHandle> buffers;
  std::vector<const Buffer*> pointers;
  for (const Literal& argument : arguments) {
    absl::StatusOr<BufferHandle> buffer = backend.Upload(argument);
    if (!buffer.ok()) return buffer.status();
    buffers.push_back(*std::move(buffer));
    pointers.push_back(buffers.back().get());
  }
  absl::StatusOr<std::vector<BufferHandle>> results = (*executable)->Execute({pointers});
  if (!results.ok()) return results.status();
  return backend.Download(*results->front());
}

}  // namespace assay
