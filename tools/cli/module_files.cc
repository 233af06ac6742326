#include "tools/cli/module_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/files/file_io.h"

namespace assay::cli {
namespace {

constexpr absl::string_view kEndings[] = {".hlo",       ".txt",  ".pb",     ".pbtxt",
                                          ".textproto", ".mlir", ".mlirbc", ".bc"};
// What XLA dumps beside modules, under the same endings.
constexpr absl::string_view kDumpedBeside[] = {
    "-buffer-assignment.txt",
    "-buffer-assignment-values.txt",
    "-live-range.txt",
    "-memory-usage-report.txt",
    "-memory-usage-report.pb",
    "compile_options.pb",
    "topology.pb",
    "thunk_sequence.txt",
    "gpu_target_config.pbtxt",
    "autotune_results.pbtxt",
};

bool EndsWithAny(absl::string_view name, absl::Span<const absl::string_view> endings) {
  return absl::c_any_of(endings,
                        [&](absl::string_view each) { return absl::EndsWith(name, each); });
}

bool LooksLikeModule(absl::string_view name) {
  absl::ConsumeSuffix(&name, ".gz");
  return EndsWithAny(name, kEndings) && !EndsWithAny(name, kDumpedBeside);
}

// Text in which no module can be, among the other things of a dump: XLA's reports, notes, logs.
bool IsOtherText(const std::string& path) {
  if (!absl::EndsWith(path, ".txt")) return false;
  constexpr std::streamsize kHead = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;  // whoever opens it says so
  std::string head(kHead, '\0');
  file.read(&head[0], kHead);
  head.resize(static_cast<size_t>(file.gcount()));
  return absl::c_none_of(
      std::initializer_list<absl::string_view>{"HloModule", "ENTRY", "func.func",
                                               "\"builtin.module\"", "hlo_module", "computations"},
      [&](absl::string_view mark) { return absl::StrContains(head, mark); });
}

// A link that leads nowhere counts: whoever opens it says so.
bool IsFileOrBrokenLink(const std::filesystem::directory_entry& entry) {
  std::error_code unreadable;
  if (entry.is_regular_file(unreadable)) return true;
  return entry.is_symlink(unreadable) && !entry.exists(unreadable);
}

// The modules in a folder and its subfolders, by name.
absl::Status AddFolder(const std::string& folder, std::vector<std::string>* files) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> found;
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    if (LooksLikeModule(entry->path().string()) && IsFileOrBrokenLink(*entry) &&
        !IsOtherText(entry->path().string())) {
      found.push_back(entry->path().string());
    }
    entry.increment(error);
  }
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": ", error.message()));
  }
  std::sort(found.begin(), found.end());
  files->insert(files->end(), found.begin(), found.end());
  return absl::OkStatus();
}

}  // namespace

void AddModuleFilesTo(CLI::App* app, const char* name, std::vector<std::string>* arguments) {
  app->add_option(name, *arguments,
                  "Modules, as for assay run; a folder stands for those in it, @LIST for the names "
                  "in a file, one a line")
      ->required();
}

absl::Status NoModules(absl::Span<const std::string> arguments) {
  return absl::InvalidArgumentError(absl::StrCat(
      absl::StrJoin(arguments, ", "), ": there are no modules here: no file whose name ends in ",
      absl::StrJoin(kEndings, ", "), ", or in one of them and .gz"));
}

absl::Status CheckExist(absl::Span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (absl::StartsWith(argument, "@") || std::filesystem::exists(argument, error)) continue;
    return absl::InvalidArgumentError(absl::StrCat(argument, ": there is no such file or folder"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ModuleFiles(absl::Span<const std::string> arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (absl::StartsWith(argument, "@")) {
      absl::StatusOr<std::string> list = ReadFile(argument.substr(1));
      if (!list.ok()) return list.status();
      for (absl::string_view line : absl::StrSplit(*list, '\n', absl::SkipWhitespace())) {
        files.emplace_back(absl::StripAsciiWhitespace(line));
      }
    } else if (std::filesystem::is_directory(argument, error)) {
      absl::Status status = AddFolder(argument, &files);
      if (!status.ok()) return status;
    } else {
      files.push_back(argument);
    }
  }
  return files;
}

}  // namespace assay::cli
