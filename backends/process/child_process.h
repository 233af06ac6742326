// A program that is spoken to over two file descriptors of its own, with deadlines; what it prints
// is collected for messages. It dies with this process, also when a signal ends that: with the
// thread that started it, to be exact (PR_SET_PDEATHSIG), so that thread must live as long as the
// child is wanted. Tests: process_test.cc.
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

namespace assay {

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // Runs the command with /bin/sh in a process group of its own. The environment tells it its
  // descriptors: ASSAY_REQUEST_FD to read from, ASSAY_RESPONSE_FD to write to. Its standard input
  // is empty; its standard output and error are collected. `memory_bytes` is its RLIMIT_DATA,
  // unless it is 0. Messages call it `shown`; empty: the command.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const std::string& command,
                                                             int64_t memory_bytes = 0,
                                                             const std::string& shown = "");
  // Kills whatever still runs, with its whole process group.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Errors are ABORTED and say how the child ended (exit code, signal) or that the deadline has
  // passed, with the last lines that it printed. After an error the child is dead.
  absl::Status Send(absl::string_view bytes, Clock::time_point deadline);
  // Up to and without '\n'. A longer line than `max_length` is an error.
  absl::StatusOr<std::string> ReadLine(size_t max_length, Clock::time_point deadline);
  absl::Status ReadExactly(absl::Span<std::byte> bytes, Clock::time_point deadline);

  // Sends the last words and waits until the child has ended or the deadline has passed; then kills
  // what is left.
  void Finish(absl::string_view bytes, Clock::time_point deadline);

  // An error about what the child answered; kills it.
  absl::Status Refuse(absl::string_view what);

 private:
  ChildProcess() = default;
  // Waits until the wanted descriptor is ready, collecting output meanwhile.
  absl::Status Wait(int fd, short events, Clock::time_point deadline);
  void CollectOutput();
  // Whether the command has ended; it stays a zombie, whose number nobody else gets, until Kill.
  bool HasEnded(std::string* how) const;
  void Kill();
  // Why the child no longer answers, with its last words.
  absl::Status Ended(absl::string_view during);
  std::string LastLines() const;

  std::string shown_;
  pid_t pid_ = -1;
  int request_fd_ = -1;
  int response_fd_ = -1;
  int output_fd_ = -1;
  std::string pending_;  // read, not yet asked for
  std::string output_;   // the end of what it printed
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_CHILD_PROCESS_H_
