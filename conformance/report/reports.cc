#include "conformance/report/reports.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/report/html.h"
#include "conformance/report/junit.h"
#include "spec/files/file_io.h"
#include "spec/nearest_name.h"

namespace assay::conformance {

namespace {

bool IsRestOfName(absl::string_view part) {
  return !part.empty() && !absl::StrContains(part, '=') && part != "html" && part != "json" &&
         part != "junit";
}

}  // namespace

absl::StatusOr<ReportPaths> ParseReportPaths(absl::string_view text) {
  ReportPaths paths;
  const std::pair<absl::string_view, std::string*> kinds[] = {
      {"html", &paths.html}, {"json", &paths.json}, {"junit", &paths.junit}};
  std::string* last = nullptr;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    // A comma in the name of a file.
    if (last != nullptr && IsRestOfName(part)) {
      absl::StrAppend(last, ",", part);
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    std::string* path = nullptr;
    for (const auto& kind : kinds) {
      if (kind.first == pair.first) path = kind.second;
    }
    if (path == nullptr || pair.second.empty()) {
      std::string meant;
      for (const auto& [kind, unused] : kinds) {
        if (absl::EndsWith(part, absl::StrCat(".", kind))) meant = absl::StrCat(kind, "=", part);
      }
      return absl::InvalidArgumentError(absl::StrCat(
          "'", part, "': html=FILE, json=FILE or junit=FILE is expected", DidYouMean(meant)));
    }
    if (!path->empty()) {
      return absl::InvalidArgumentError(absl::StrCat(pair.first, " is there twice"));
    }
    *path = std::string(pair.second);
    last = path;
  }
  return paths;
}

absl::Status WriteReports(const RunResult& run, const ReportPaths& paths) {
  absl::Status status;
  const auto write = [&](const std::string& path, std::string (*format)(const RunResult&)) {
    if (!path.empty()) status.Update(WriteFileAtomically(path, format(run)));
  };
  write(paths.json, FormatReport);  // first: the others can be made of it
  write(paths.html, FormatHtml);
  write(paths.junit, FormatJunit);
  return status;
}

}  // namespace assay::conformance
