// Reads and writes whole files. Tests: file_io_test.cc.
#ifndef ASSAY_SPEC_FILES_FILE_IO_H_
#define ASSAY_SPEC_FILES_FILE_IO_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace assay {

// The largest protobuf that can be written, and the largest text of a module that is read.
inline constexpr int64_t kMaxFileBytes = (int64_t{1} << 31) - 1;

// Reads a file, or standard input for "-". RESOURCE_EXHAUSTED, by name, for files over `max_bytes`.
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);
// Writes beside the target and renames, so that no half-written file is ever seen. Devices and
// pipes are written to directly.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);

}  // namespace assay

#endif  // ASSAY_SPEC_FILES_FILE_IO_H_
