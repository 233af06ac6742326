#include "tools/cli/fuzz_files.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/files/file_io.h"
#include "spec/proto/module_file.h"
#include "spec/verify/verifier.h"
#include "tools/cli/module_files.h"
#include "tools/cli/options.h"
#include "tools/cli/terminal.h"

namespace assay::cli {

absl::Status ReadFuzzCorpus(const std::string& folder, std::vector<fuzz::Bytes>* programs) {
  if (folder.empty()) return absl::OkStatus();
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  }
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": ", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  int64_t left_out = 0;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> content = ReadFile(path, int64_t{1} << 16);
    if (content.ok()) {
      programs->emplace_back(content->begin(), content->end());
    } else if (left_out++ == 0) {
      std::cerr << "assay: " << Printable(content.status().message()) << "\n";
    }
  }
  if (left_out > 0) {
    std::cerr << "assay: " << left_out << " of the " << paths.size() << " files of "
              << Printable(folder) << " are no programs and are left out\n";
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const fuzz::SeedModules>> ReadSeedModules(
    absl::Span<const std::string> paths) {
  const absl::StatusOr<std::vector<std::string>> files = ModuleFiles(paths);
  if (!files.ok()) return files.status();
  std::vector<std::unique_ptr<Module>> modules;
  int64_t left_out = 0;
  for (const std::string& path : *files) {
    absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
    absl::Status status = file.status();
    if (status.ok()) status = VerificationStatus(VerifyModule(*file->module, {Rules::kStrict}));
    if (status.ok()) {
      modules.push_back(std::move(file->module));
    } else if (left_out++ == 0) {
      const bool named = absl::StartsWith(status.message(), path);
      std::cerr << "assay: " << (named ? "" : Printable(path) + ": ") << Printable(status.message())
                << "\n";
    }
  }
  if (left_out > 0) {
    std::cerr << "assay: " << left_out << " of the " << files->size()
              << " files of --seeds are not valid modules and are left out\n";
  }
  auto seeds = std::make_shared<const fuzz::SeedModules>(std::move(modules));
  if (seeds->roots().empty()) {
    return absl::InvalidArgumentError(
        "--seeds: no module has an instruction that programs can take");
  }
  return seeds;
}

}  // namespace assay::cli
