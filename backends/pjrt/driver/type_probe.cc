#include "backends/pjrt/driver/type_probe.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace assay::pjrt {
namespace {

constexpr unsigned kSecondsForType = 30;
constexpr int kMostCrashes = 8;

constexpr char kReady = 'r', kTaken = 'y', kRefused = 'n';

// The child: writes that it is ready, then an answer for each type from `first` on.
[[noreturn]] void AskFrom(size_t first, int answers,
                          const std::function<absl::StatusOr<TypeQuestion>()>& start) {
  const absl::StatusOr<TypeQuestion> question = start();
  if (!question.ok()) _exit(0);
  const auto say = [answers](char word) {
    if (write(answers, &word, 1) != 1) _exit(1);
  };
  say(kReady);
  for (size_t i = first; i < std::size(kArrayTypes); ++i) {
    alarm(kSecondsForType);
    say((*question)(kArrayTypes[i]).ok() ? kTaken : kRefused);
  }
  _exit(0);
}

// What a child answers about the types from `first` on, until it ends.
std::string AnswersFrom(size_t first, const std::function<absl::StatusOr<TypeQuestion>()>& start) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    AskFrom(first, ends[1], start);
  }
  close(ends[1]);
  std::string answers;
  char word = 0;
  while (child > 0 && read(ends[0], &word, 1) == 1) answers.push_back(word);
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return answers;
}

std::filesystem::path CacheFolder() {
  if (const char* own = std::getenv("ASSAY_PJRT_CACHE")) return own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) {
    return std::filesystem::path(cache) / "assay";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "/tmp" : home) / ".cache" / "assay";
}

}  // namespace

std::optional<std::vector<std::string>> ProbeTypes(
    const std::function<absl::StatusOr<TypeQuestion>()>& start) {
  std::vector<std::string> types;
  size_t next = 0;
  for (int crashes = 0; next < std::size(kArrayTypes) && crashes < kMostCrashes; ++crashes) {
    const std::string answers = AnswersFrom(next, start);
    if (answers.empty()) return std::nullopt;
    for (size_t i = 1; i < answers.size(); ++i, ++next) {
      if (answers[i] == kTaken) types.emplace_back(Name(kArrayTypes[next]));
    }
    // The one that it has not answered about has crashed it.
    if (next < std::size(kArrayTypes)) types.emplace_back(Name(kArrayTypes[next++]));
  }
  for (; next < std::size(kArrayTypes); ++next) types.emplace_back(Name(kArrayTypes[next]));
  // What fails for every type has another cause, which the first request shows.
  if (types.empty()) return std::nullopt;
  return types;
}

std::optional<std::vector<std::string>> StoredTypes(
    const std::string& key, const std::function<absl::StatusOr<TypeQuestion>()>& start) {
  // A file has its whole key in the first line: names may meet.
  const std::filesystem::path folder = CacheFolder() / "pjrt_types";
  const std::filesystem::path path = folder / absl::StrCat(std::hash<std::string>()(key));
  std::ifstream in(path);
  std::string first, second;
  if (std::getline(in, first) && first == key && std::getline(in, second)) {
    return std::vector<std::string>(absl::StrSplit(second, ' ', absl::SkipEmpty()));
  }
  std::optional<std::vector<std::string>> types = ProbeTypes(start);
  if (!types) return types;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::filesystem::path written = absl::StrCat(path.string(), ".", getpid());
  std::ofstream(written) << key << "\n" << absl::StrJoin(*types, " ") << "\n";
  std::filesystem::rename(written, path, ignored);
  return types;
}

}  // namespace assay::pjrt
