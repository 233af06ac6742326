#include "conformance/runner/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/proto/module_file.h"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

// What makes two runs one. Journals are not moved between versions.
Json Header(const RunResult& run) {
  return {{"assay_journal", kVersion}, {"target", run.target}, {"profile", run.profile},
          {"tier", run.tier},          {"filter", run.filter}, {"corpus", run.corpus},
          {"shard", run.shard},        {"shards", run.shards}};
}

absl::Status SystemProblem(const std::string& path, const char* what) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": cannot be ", what, ": ", std::strerror(errno)));
}

absl::Status CheckHeader(absl::string_view line, const RunResult& run, const std::string& path) {
  const Json header = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || !header.contains("assay_journal")) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":1: this is no journal"));
  }
  const Json wanted = Header(run);
  for (const auto& [name, value] : wanted.items()) {
    const auto found = header.find(name);
    const Json other = found == header.end() ? Json() : *found;
    if (other == value) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":1: the journal is of another run, which cannot be gone on with: its ", name, " is ",
        other.dump(-1, ' ', false, Json::error_handler_t::replace), ", that of this one ",
        value.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  return absl::OkStatus();
}

// Everything from the second line on; the text ends with a line's end.
absl::Status ReadResults(absl::string_view text, const std::string& path,
                         std::vector<CaseResult>* done) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const absl::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) continue;
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    absl::StatusOr<CaseResult> result = CaseResultFromJson(json);
    if (!result.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": ", result.status().message()));
    }
    done->push_back(*std::move(result));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Journal>> Journal::Start(const std::string& path,
                                                        const RunResult& run) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return SystemProblem(path, "written");
  std::unique_ptr<Journal> journal(new Journal(path, file));
  const absl::Status status =
      journal->Write(Header(run).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!status.ok()) return status;
  return journal;
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Resume(const std::string& path,
                                                         const RunResult& run,
                                                         std::vector<CaseResult>* done) {
  if (access(path.c_str(), F_OK) != 0) return Start(path, run);
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  text->resize(text->rfind('\n') + 1);  // nothing, where there is no whole line
  if (text->empty()) return Start(path, run);
  absl::Status status = CheckHeader(text->substr(0, text->find('\n')), run, path);
  if (status.ok()) status = ReadResults(*text, path, done);
  if (!status.ok()) return status;
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return SystemProblem(path, "written");
  std::unique_ptr<Journal> journal(new Journal(path, file));
  if (ftruncate(file, static_cast<off_t>(text->size())) != 0) return SystemProblem(path, "written");
  return journal;
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

absl::Status Journal::Write(const std::string& line) {
  if (file_ < 0) return absl::OkStatus();
  const std::string text = absl::StrCat(line, "\n");
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = write(file_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const absl::Status status = SystemProblem(path_, "written");
      close(std::exchange(file_, -1));
      return status;
    }
    written += static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

absl::Status Journal::Append(const CaseResult& result) { return Write(FormatLine(result)); }

void Journal::Remove() { unlink(path_.c_str()); }

}  // namespace assay
