#include "backends/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/process/cleanup.h"
#include "backends/process/message.h"
#include "runtime/interrupt.h"

namespace assay::process {
namespace {

constexpr size_t kKeptOutput = 16 << 10;
constexpr int kReadsAtOnce = 256;
constexpr int kShownLines = 12;
constexpr size_t kLongestShownLine = 200;
constexpr int kChildRequestFd = 3;
constexpr int kChildResponseFd = 4;

// A connected pair; ours does not block and is closed in the child.
struct Channel {
  int ours = -1, theirs = -1;
  bool Open() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return false;
    ours = fds[0];
    theirs = fds[1];
    return fcntl(ours, F_SETFL, O_NONBLOCK) == 0;
  }
};

// In the child, between fork and exec: only what is safe there.
[[noreturn]] void RunChild(const char* command, char* const* environment, int request, int response,
                           int output, int64_t memory_bytes) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Out of the way of 3 and 4 first, whatever numbers the descriptors have.
  request = fcntl(request, F_DUPFD, 10);
  response = fcntl(response, F_DUPFD, 10);
  output = fcntl(output, F_DUPFD, 10);
  const int empty = open("/dev/null", O_RDONLY);
  dup2(empty, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  dup2(request, kChildRequestFd);
  dup2(response, kChildResponseFd);
  close(request);
  close(response);
  close(output);
  signal(SIGPIPE, SIG_DFL);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  if (memory_bytes > 0) {
    const auto limit = static_cast<rlim_t>(memory_bytes);
    const rlimit limits = {limit, limit};
    setrlimit(RLIMIT_DATA, &limits);
  }
  execle("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr), environment);
  _exit(127);
}

// This process's environment with the numbers of the descriptors.
std::vector<std::string> ChildEnvironment() {
  std::vector<std::string> entries = {absl::StrCat("ASSAY_REQUEST_FD=", kChildRequestFd),
                                      absl::StrCat("ASSAY_RESPONSE_FD=", kChildResponseFd)};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view text = *entry;
    if (!absl::StartsWith(text, "ASSAY_REQUEST_FD=") &&
        !absl::StartsWith(text, "ASSAY_RESPONSE_FD=")) {
      entries.emplace_back(text);
    }
  }
  return entries;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const std::string& command,
                                                                  int64_t memory_bytes,
                                                                  const std::string& shown) {
  Channel request, response, output;
  if (!request.Open() || !response.Open() || !output.Open()) {
    return absl::AbortedError(absl::StrCat("cannot make channels: ", strerror(errno)));
  }
  std::vector<std::string> entries = ChildEnvironment();
  std::vector<char*> environment;
  for (std::string& entry : entries) environment.push_back(entry.data());
  environment.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return absl::AbortedError(absl::StrCat("cannot fork: ", strerror(errno)));
  if (pid == 0) {
    RunChild(command.c_str(), environment.data(), request.theirs, response.theirs, output.theirs,
             memory_bytes);
  }
  setpgid(pid, pid);  // the child does so too; whoever comes first
  KillOnSignal(pid);
  close(request.theirs);
  close(response.theirs);
  close(output.theirs);
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  child->shown_ = shown.empty() ? command : shown;
  child->pid_ = pid;
  child->request_fd_ = request.ours;
  child->response_fd_ = response.ours;
  child->output_fd_ = output.ours;
  return child;
}

ChildProcess::~ChildProcess() { Kill(); }

void ChildProcess::Kill() {
  for (int* fd : {&request_fd_, &response_fd_, &output_fd_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  ForgetGroup(pid_);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void ChildProcess::CollectOutput() {
  // Not until there is no more: some print faster than one can read.
  char buffer[4096];
  for (int i = 0; i < kReadsAtOnce && output_fd_ >= 0; ++i) {
    const ssize_t count = read(output_fd_, buffer, sizeof(buffer));
    if (count > 0) {
      output_.append(buffer, count);
      if (output_.size() > 2 * kKeptOutput) output_.erase(0, output_.size() - kKeptOutput);
      continue;
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(output_fd_);
    output_fd_ = -1;
  }
}

namespace {

// Returns true for the lines of a stack trace of Abseil's, which would hide the reason above them.
bool IsOfStackTrace(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(line, "@ ") || absl::StartsWith(line, "*** Check failure stack trace") ||
         absl::StartsWith(line, "*** Begin stack trace") ||
         absl::StartsWith(line, "*** End stack trace");
}

// Returns true for lines of Abseil's log that are no errors ("I0000", "W0000", "WARNING: All log
// messages before ..."), which programs built from XLA print first.
bool IsForInformation(absl::string_view line) {
  constexpr size_t kTagSize = 5;  // the severity and four digits of the date
  if (absl::StartsWith(line, "WARNING: All log messages before")) return true;
  return line.size() > kTagSize && (line[0] == 'I' || line[0] == 'W') && line[kTagSize] == ' ' &&
         std::all_of(line.begin() + 1, line.begin() + kTagSize, absl::ascii_isdigit);
}

// Removes the lines for which `is_noise` is true, unless nothing else is there.
void DropNoise(bool (*is_noise)(absl::string_view), std::vector<absl::string_view>& lines) {
  if (!std::all_of(lines.begin(), lines.end(), is_noise)) std::erase_if(lines, is_noise);
}

}  // namespace

std::string ChildProcess::LastLines() const {
  std::vector<absl::string_view> lines = absl::StrSplit(output_, '\n', absl::SkipWhitespace());
  if (lines.empty()) return "; it printed nothing";
  DropNoise(IsForInformation, lines);
  DropNoise(IsOfStackTrace, lines);
  if (lines.size() > kShownLines) lines.erase(lines.begin(), lines.end() - kShownLines);
  std::string text = "; the last it printed:";
  for (absl::string_view line : lines) {
    absl::StrAppend(&text, "\n    ", CutText(line, kLongestShownLine));
  }
  return text;
}

bool ChildProcess::HasEnded(std::string* how) const {
  siginfo_t info = {};
  if (waitid(P_PID, pid_, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return false;
  }
  auto signal_text = [](int number) {
    return absl::StrCat("killed by signal ", number, " (", strsignal(number), ")");
  };
  constexpr int kShellSignal = 128;  // a shell's exit code for a command that a signal ended
  if (info.si_code != CLD_EXITED) {
    *how = absl::StrCat("was ", signal_text(info.si_status));
  } else if (info.si_status > kShellSignal && info.si_status < kShellSignal + NSIG) {
    *how = absl::StrCat("exited with code ", info.si_status, ", as a shell does for a command ",
                        signal_text(info.si_status - kShellSignal));
  } else {
    *how = absl::StrCat("exited with code ", info.si_status);
  }
  return true;
}

absl::Status ChildProcess::Ended(absl::string_view during) {
  // Its channel is closed: it is dead or dying. Grant it a moment to be so.
  std::string how = "closed its channel without ending";
  for (int i = 0; i < 200 && !HasEnded(&how); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CollectOutput();
  const std::string words = LastLines();
  Kill();
  // The usual mistake of a first program.
  const absl::string_view hint = how == "exited with code 0" && !words.empty()
                                     ? "\nAnswers go to the descriptor ASSAY_RESPONSE_FD, not to "
                                       "standard output (docs/process_backend.md)"
                                     : "";
  return absl::AbortedError(absl::StrCat("process '", shown_, "' ", how, " ", during, words, hint));
}

void ChildProcess::Finish(absl::string_view bytes, Clock::time_point deadline) {
  if (!Send(bytes, deadline).ok()) return;
  close(request_fd_);
  request_fd_ = -1;
  std::string how;
  while (Clock::now() < deadline && !HasEnded(&how)) {
    CollectOutput();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Kill();
}

absl::Status ChildProcess::Refuse(absl::string_view what) {
  CollectOutput();
  const std::string words = LastLines();
  Kill();
  return absl::AbortedError(absl::StrCat("process '", shown_, "' ", what, words));
}

absl::Status ChildProcess::Wait(int fd, short events, Clock::time_point deadline) {
  while (true) {
    if (absl::Status interrupted = runtime::CheckInterrupt(); !interrupted.ok()) {
      Kill();
      return interrupted;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Refuse("hung: it did not answer in time");
    pollfd fds[2] = {{fd, events, 0}, {output_fd_, POLLIN, 0}};
    constexpr int64_t kLongestPoll = 200;
    const auto timeout = static_cast<int>(std::min(left.count(), kLongestPoll));
    const int ready = poll(fds, output_fd_ >= 0 ? 2 : 1, timeout);
    if (ready < 0 && errno != EINTR) return Refuse(absl::StrCat("poll failed: ", strerror(errno)));
    if (ready > 0 && output_fd_ >= 0 && fds[1].revents != 0) CollectOutput();
    if (ready > 0 && fds[0].revents != 0) return absl::OkStatus();
    // Something that it left in the background may hold its channel open, and print.
    if (std::string how; HasEnded(&how)) return Ended("before it answered");
  }
}

absl::Status ChildProcess::Send(absl::string_view bytes, Clock::time_point deadline) {
  if (pid_ < 0) return absl::AbortedError(absl::StrCat("process '", shown_, "' is gone"));
  while (!bytes.empty()) {
    absl::Status status = Wait(request_fd_, POLLOUT, deadline);
    if (!status.ok()) return status;
    const ssize_t count = send(request_fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(count);
    } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
      // It ended before it had read the whole request: also before it answered. Whether this or
      // the answer's channel shows it first is chance, so that both say the same.
      return Ended("before it answered");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ChildProcess::ReadLine(size_t max_length, Clock::time_point deadline) {
  if (pid_ < 0) return absl::AbortedError(absl::StrCat("process '", shown_, "' is gone"));
  size_t searched = 0;
  while (true) {
    const size_t end = pending_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    searched = pending_.size();
    if (searched > max_length) return Refuse("answered with an endless line");
    absl::Status status = Wait(response_fd_, POLLIN, deadline);
    if (!status.ok()) return status;
    char buffer[65536];
    const ssize_t count = read(response_fd_, buffer, sizeof(buffer));
    if (count > 0) {
      pending_.append(buffer, count);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return Ended("before it answered");
    }
  }
}

absl::Status ChildProcess::ReadExactly(absl::Span<std::byte> bytes, Clock::time_point deadline) {
  const size_t have = std::min(pending_.size(), bytes.size());
  memcpy(bytes.data(), pending_.data(), have);
  pending_.erase(0, have);
  bytes.remove_prefix(have);
  while (!bytes.empty()) {
    absl::Status status = Wait(response_fd_, POLLIN, deadline);
    if (!status.ok()) return status;
    const ssize_t count = read(response_fd_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes.remove_prefix(count);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return Ended("in the middle of an answer");
    }
  }
  return absl::OkStatus();
}

}  // namespace assay::process
