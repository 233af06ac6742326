// A file that receives each result of a run as one line, so that a killed run loses nothing:
// `--resume` continues from it. The first line says which run it is. Tests: journal_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_JOURNAL_H_
#define ASSAY_CONFORMANCE_RUNNER_JOURNAL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/runner/case_result.h"

namespace assay::conformance {

class Journal {
 public:
  // Starts an empty journal. Its first line has the identity of the run (run_identity.h), the shard
  // and Assay's version. INVALID_ARGUMENT if the file cannot be written or is in use.
  static absl::StatusOr<std::unique_ptr<Journal>> Start(const std::string& path,
                                                        const RunResult& run);
  // Appends the stored results to `done` and continues the journal; starts one if there is none. A
  // truncated last line is dropped. INVALID_ARGUMENT for the journal of another run, with the first
  // difference, and for a file that is not a journal, with the line.
  static absl::StatusOr<std::unique_ptr<Journal>> Resume(const std::string& path,
                                                         const RunResult& run, CaseResults* done);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Writes the line to the file before it returns. After an error nothing more is written.
  absl::Status Append(const CaseResult& result);
  // Deletes the file after the run has been reported.
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

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_JOURNAL_H_
