#include "spec/files/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace assay {
namespace {

absl::Status TooLarge(const std::string& name, int64_t max_bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; max_bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) {
    max_bytes = max_bytes / 1024 + (max_bytes % 1024 == 0 ? 0 : 1);
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(name, ": larger than ", max_bytes, " ", kUnits[unit]));
}

absl::Status SystemError(const std::string& path, absl::string_view doing) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": cannot ", doing, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM || error == EROFS) return absl::PermissionDeniedError(text);
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::string> ReadAll(int file, const std::string& name, int64_t size_hint,
                                    int64_t max_bytes) {
  std::string content;
  // One byte more than the size, so that the end shows without another allocation.
  content.resize(size_hint + 1);
  int64_t size = 0;
  while (true) {
    if (size == static_cast<int64_t>(content.size())) content.resize(size + size / 2 + 4096);
    const ssize_t count = read(file, content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(name, "read");
    if (count == 0) break;
    size += count;
    if (size > max_bytes) return TooLarge(name, max_bytes);
  }
  content.resize(size);
  return content;
}

absl::Status WriteAll(int file, const std::string& path, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "write");
    content.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status WriteBeside(const std::string& path, absl::string_view content, mode_t mode) {
  std::string beside = absl::StrCat(path, ".XXXXXX");
  const int file = mkstemp(beside.data());
  if (file < 0) return SystemError(path, "write");
  absl::Status status = WriteAll(file, path, content);
  if (status.ok() && fchmod(file, mode) != 0) status = SystemError(path, "set the mode");
  if (status.ok() && fsync(file) != 0) status = SystemError(path, "write");
  if (close(file) != 0 && status.ok()) status = SystemError(path, "write");
  if (status.ok() && rename(beside.c_str(), path.c_str()) != 0) {
    status = SystemError(path, "replace");
  }
  if (!status.ok()) unlink(beside.c_str());
  return status;
}

mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  if (path == "-") return ReadAll(STDIN_FILENO, "standard input", 0, max_bytes);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError(path, "open");
  auto closer = absl::MakeCleanup([file] { close(file); });
  struct stat info;
  if (fstat(file, &info) != 0) return SystemError(path, "read");
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory"));
  }
  if (info.st_size > max_bytes) return TooLarge(path, max_bytes);
  return ReadAll(file, path, info.st_size, max_bytes);
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view content) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return WriteBeside(path, content, NewFileMode());
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory"));
  }
  if (!S_ISREG(info.st_mode)) {
    // A device or pipe cannot be replaced.
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return SystemError(path, "open");
    auto closer = absl::MakeCleanup([file] { close(file); });
    return WriteAll(file, path, content);
  }
  if (access(path.c_str(), W_OK) != 0) return SystemError(path, "write");
  // Behind a symbolic link the file is replaced, not the link.
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) return SystemError(path, "resolve");
  return WriteBeside(resolved, content, info.st_mode & 07777);
}

}  // namespace assay
