#include "backends/pjrt/plugin/trace.h"

#include <cctype>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/arrays/arrays.h"
#include "spec/files/file_io.h"
#include "spec/text/printer.h"

namespace assay::pjrt {
namespace {

// The path of a module's files without what tells them apart.
std::string PathOf(const PJRT_LoadedExecutable& executable, int64_t number) {
  std::string name = executable.program->module().name();
  constexpr size_t kLongest = 60;
  if (name.size() > kLongest) name.resize(kLongest);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return absl::StrFormat("%s/%04d_%s", executable.client->options.trace, number, name);
}

}  // namespace

absl::Status TraceModule(PJRT_LoadedExecutable& executable) {
  const std::string& folder = executable.client->options.trace;
  if (folder.empty()) return absl::OkStatus();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make the folder ", folder, ": ", failed.message()));
  }
  executable.trace = PathOf(executable, executable.client->traced++);
  return WriteFileAtomically(executable.trace + ".hlo",
                             PrintModule(executable.program->module(), PrintOptions::Complete()));
}

absl::Status TraceArrays(const std::string& trace, int64_t run, const std::string& kind,
                         const std::vector<std::vector<Literal>>& by_device) {
  if (trace.empty()) return absl::OkStatus();
  std::vector<NamedLiteral> arrays;
  for (size_t d = 0; d < by_device.size(); ++d) {
    for (size_t i = 0; i < by_device[d].size(); ++i) {
      if (!by_device[d][i].is_array()) continue;
      std::string name = absl::StrCat(kind == "arguments" ? "arg" : "out", i);
      if (by_device.size() > 1) absl::StrAppend(&name, ".dev", d);
      arrays.push_back({name, by_device[d][i]});
    }
  }
  return WriteNpz(absl::StrCat(trace, ".run", run, ".", kind, ".npz"), arrays);
}

}  // namespace assay::pjrt
