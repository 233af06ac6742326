// The compiler of the host: a text becomes a shared library, whose bytes are the image.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/text/kernel_sources.h"
#include "backends/cuda/text/text_compiler.h"

extern char** environ;

namespace assay::cuda::text {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
bool WriteFile(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file.good();
}

// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "assay_text_XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }  // empty if there is none

 private:
  fs::path path_;
};

// Runs a program whose output goes to `log`. Returns its exit code, or -1 if it did not run.
int RunProgram(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class HostCompiler : public TextCompiler {
 public:
  explicit HostCompiler(std::string program) : program_(std::move(program)) {
    is_ready_ = !folder_.path().empty();
    for (const KernelSource* source = kKernelSources; source->path != nullptr; ++source) {
      is_ready_ = is_ready_ && WriteFile(folder_.path() / source->path, source->text);
    }
  }

  absl::StatusOr<std::string> Compile(const std::string& text,
                                      const std::string& /*target*/) override {
    const TemporaryFolder work;
    const fs::path source = work.path() / "fusion.cc", library = work.path() / "fusion.so";
    const fs::path log = work.path() / "log";
    if (!is_ready_ || work.path().empty() || !WriteFile(source, text)) {
      return absl::InternalError("the sources of a fusion cannot be written");
    }
    const int code =
        RunProgram({program_, "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-ffp-contract=off",
                    "-DASSAY_TEXT", absl::StrCat("-I", folder_.path().string()), source.string(),
                    "-o", library.string()},
                   log);
    if (code != 0) {
      return absl::InternalError(
          absl::StrCat(program_, " ended with ", code, ":\n", ReadFile(log)));
    }
    return ReadFile(library);
  }

 private:
  const std::string program_;
  const TemporaryFolder folder_;  // of the headers
  bool is_ready_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TextCompiler>> FindHostCompiler() {
  const char* const named = std::getenv("CXX");
  std::string program = named == nullptr ? "c++" : named;
  const TemporaryFolder work;
  if (work.path().empty() || RunProgram({program, "--version"}, work.path() / "log") != 0) {
    return absl::UnimplementedError(
        absl::StrCat("the compiler of the host is missing (", program, ")"));
  }
  return std::make_unique<HostCompiler>(std::move(program));
}

}  // namespace assay::cuda::text
