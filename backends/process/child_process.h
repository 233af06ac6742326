// A child process with two pipes for requests and responses, with deadlines. Its output is
// collected for messages. The child is killed when this process ends, even by a signal. More
// precisely, it is killed when the thread that started it ends (PR_SET_PDEATHSIG), so that thread
// must outlive it. Tests: process_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_CHILD_PROCESS_H_
#define ASSAY_BACKENDS_PROCESS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace assay::process {

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // Runs the command with /bin/sh in a process group of its own. The environment tells it its
  // descriptors: ASSAY_REQUEST_FD to read from, ASSAY_RESPONSE_FD to write to. Its standard input
  // is empty; its standard output and error are collected. `memory_bytes` is its RLIMIT_DATA,
  // unless it is 0. Messages call it `shown`, or by the command if that is empty.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const std::string& command,
                                                             int64_t memory_bytes = 0,
                                                             const std::string& shown = "");
  // Kills the child and its whole process group.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Errors are ABORTED and say how the child ended (exit code, signal) or that the deadline has
  // passed, with the last lines that it printed. After an error the child is dead.
  absl::Status Send(absl::string_view bytes, Clock::time_point deadline);
  // Reads up to '\n', which is not returned. A line longer than `max_length` is an error.
  absl::StatusOr<std::string> ReadLine(size_t max_length, Clock::time_point deadline);
  absl::Status ReadExactly(absl::Span<std::byte> bytes, Clock::time_point deadline);

  // Sends the bytes, waits until the child has ended or the deadline has passed, and kills its
  // process group.
  void Finish(absl::string_view bytes, Clock::time_point deadline);

  // Returns an error about the child's response and kills the child.
  absl::Status Refuse(absl::string_view what);

 private:
  ChildProcess() = default;
  // Waits until the wanted descriptor is ready, collecting output meanwhile.
  absl::Status Wait(int fd, short events, Clock::time_point deadline);
  void CollectOutput();
  // Returns true if the command has ended. It stays a zombie until Kill, so that its process id is
  // not reused.
  bool HasEnded(std::string* how) const;
  void Kill();
  // Returns the error of a child that no longer responds, with its last output.
  absl::Status Ended(absl::string_view during);
  std::string LastLines() const;

  std::string shown_;
  pid_t pid_ = -1;
  int request_fd_ = -1;
  int response_fd_ = -1;
  int output_fd_ = -1;
  std::string pending_;  // bytes that were read but not consumed
  std::string output_;   // the end of its output
};

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_CHILD_PROCESS_H_
