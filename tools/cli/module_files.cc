#include "tools/cli/module_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/proto/module_file.h"

namespace assay {
namespace {

bool LooksLikeModule(absl::string_view name) {
  absl::ConsumeSuffix(&name, ".gz");
  for (absl::string_view suffix : {".hlo", ".txt", ".pb", ".pbtxt", ".textproto"}) {
    if (absl::EndsWith(name, suffix)) return true;
  }
  return false;
}

// The modules in a folder and its subfolders, by name.
absl::Status AddFolder(const std::string& folder, std::vector<std::string>* files) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> found;
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable) && LooksLikeModule(entry->path().string())) {
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

}  // namespace assay
