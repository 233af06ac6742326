#include "conformance/runner/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/runner/run_identity.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"

namespace assay::conformance {
namespace {

using Json = nlohmann::json;

// The header has the version of Assay, because another version may judge a case differently.
Json Header(const RunResult& run) {
  Json header = IdentityOf(run);
  header["assay_journal"] = ASSAY_VERSION;
  header["shard"] = run.shard;
  return header;
}

absl::Status SystemProblem(const std::string& path, const char* what) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": cannot be ", what, ": ", std::strerror(errno)));
}

// Another process that writes the same journal would leave a mixture of two runs.
absl::StatusOr<int> OpenAlone(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return SystemProblem(path, "written");
  if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return file;
  close(file);
  return absl::InvalidArgumentError(absl::StrCat(path, ": another run writes it"));
}

absl::Status CheckHeader(absl::string_view line, const RunResult& run, const std::string& path) {
  const Json header = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || !header.contains("assay_journal")) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":1: this is not a journal"));
  }
  const std::optional<std::string> difference = FindDifference(header, Header(run), "this one");
  if (!difference) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ":1: the journal is of another run, which cannot be gone on with: ", *difference));
}

// Reads everything from the second line on. The text ends at the end of a line.
absl::Status ReadResults(absl::string_view text, const std::string& path, CaseResults* done) {
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

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(const std::string& path) {
  const absl::StatusOr<int> file = OpenAlone(path);
  if (!file.ok()) return file.status();
  return std::unique_ptr<Journal>(new Journal(path, *file));
}

absl::Status Journal::Cut(size_t bytes) {
  return ftruncate(file_, static_cast<off_t>(bytes)) == 0 ? absl::OkStatus()
                                                          : SystemProblem(path_, "written");
}

absl::Status Journal::Begin(const RunResult& run) {
  absl::Status status = Cut(0);
  if (status.ok()) status = Write(Header(run).dump(-1, ' ', false, Json::error_handler_t::replace));
  return status;
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Start(const std::string& path,
                                                        const RunResult& run) {
  absl::StatusOr<std::unique_ptr<Journal>> journal = Open(path);
  if (!journal.ok()) return journal;
  if (absl::Status status = (*journal)->Begin(run); !status.ok()) return status;
  return journal;
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Resume(const std::string& path,
                                                         const RunResult& run, CaseResults* done) {
  absl::StatusOr<std::unique_ptr<Journal>> journal = Open(path);
  if (!journal.ok()) return journal;
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  text->resize(text->rfind('\n') + 1);  // nothing, where there is no whole line
  absl::Status status;
  if (text->empty()) {
    status = (*journal)->Begin(run);
  } else {
    status = CheckHeader(text->substr(0, text->find('\n')), run, path);
    if (status.ok()) status = ReadResults(*text, path, done);
    if (status.ok()) status = (*journal)->Cut(text->size());
  }
  if (!status.ok()) return status;
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

}  // namespace assay::conformance
