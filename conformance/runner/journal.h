// The results of a run as they come, a line each, so that what a killed run has found is not lost:
// `--resume` goes on from them. The first line says which run it is. Tests: journal_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_JOURNAL_H_
#define ASSAY_CONFORMANCE_RUNNER_JOURNAL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/runner/case_result.h"

namespace assay {

class Journal {
 public:
  // An empty journal of the run, of which its identity (run_identity.h), its shard and Assay's
  // version count. INVALID_ARGUMENT where the file cannot be written, or another process does.
  static absl::StatusOr<std::unique_ptr<Journal>> Start(const std::string& path,
                                                        const RunResult& run);
  // Goes on with what is there, whose results go to `done`; starts one where there is none. A last
  // line that was cut off is dropped. INVALID_ARGUMENT, saying what differs, for the journal of
  // another run, and by line for what is no journal.
  static absl::StatusOr<std::unique_ptr<Journal>> Resume(const std::string& path,
                                                         const RunResult& run, CaseResults* done);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The line is in the file when this returns. After an error nothing more is written.
  absl::Status Append(const CaseResult& result);
  // The run is over and reported.
  void Remove();

 private:
  Journal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  static absl::StatusOr<std::unique_ptr<Journal>> Open(const std::string& path);
  absl::Status Begin(const RunResult& run);
  absl::Status Cut(size_t bytes);
  absl::Status Write(const std::string& line);

  std::string path_;
  int file_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_JOURNAL_H_
