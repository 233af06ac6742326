// Any program that answers requests over two file descriptors, as a backend. The contract for such
// programs is docs/process_backend.md. A child that crashes, hangs or answers nonsense becomes an
// ABORTED error that says so; the next request starts a fresh one. Tests: process_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_
#define ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/process/child_process.h"
#include "nlohmann/json.hpp"

namespace assay {

struct ProcessOptions {
  std::string command;  // for /bin/sh
  // Deadlines; negative: none.
  double start_seconds = 120;
  double compile_seconds = 300;
  double execute_seconds = 600;
  // Payloads of more bytes than this travel as files.
  int64_t file_threshold = int64_t{64} << 20;
};

// What the program said of itself.
struct ProcessCapabilities {
  std::string name;
  std::string version;
  std::set<std::string> formats;
  std::optional<std::set<std::string>> operations;  // unset: every one
  std::optional<std::set<std::string>> types;
  int64_t devices = 1;
};

class ProcessBackend : public Backend {
 public:
  explicit ProcessBackend(ProcessOptions options);
  ~ProcessBackend() override;

  absl::string_view name() const override { return name_; }
  absl::Status Supports(const Module& module) override;
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& literal) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  absl::StatusOr<ProcessCapabilities> Capabilities();

 private:
  friend class ProcessExecutable;

  // A child that has said hello; starts one where there is none.
  absl::Status EnsureChild();
  // Reads the answer to the last release, if there is one. False when there is no child.
  bool EnsureNothingUnread();
  absl::Status ReadHello(const nlohmann::json& hello);
  // Sends a request with its payload and reads the header of the answer; its payload too, unless it
  // is a result.
  absl::StatusOr<nlohmann::json> Ask(nlohmann::json request, absl::string_view payload,
                                     double seconds);
  absl::Status SendRequest(nlohmann::json request, absl::string_view payload, int64_t id,
                           ChildProcess::Clock::time_point deadline);
  absl::StatusOr<nlohmann::json> ReadAnswer(int64_t id, ChildProcess::Clock::time_point deadline);
  absl::Status SkipPayload(const nlohmann::json& answer, ChildProcess::Clock::time_point deadline);
  absl::StatusOr<int64_t> CompileModule(const Module& module, int64_t* devices);
  absl::StatusOr<std::vector<BufferHandle>> Execute(
      int64_t handle, const Shape& result, absl::Span<const std::vector<const Buffer*>> arguments,
      double* seconds);
  // An array of the arguments: its header, and its bytes appended to the payload or in a file.
  absl::StatusOr<nlohmann::json> EncodeLeaf(const Literal& leaf, std::string* payload);
  // Whether one device's headers are those of the arrays of the result.
  absl::Status CheckHeaders(const nlohmann::json& headers, const Shape& result);
  // The value of one device, whose headers have been checked.
  absl::StatusOr<Literal> ReadResult(const nlohmann::json& headers, const Shape& result,
                                     ChildProcess::Clock::time_point deadline);
  void Release(int64_t handle, int64_t generation);
  absl::Status ReadArray(const nlohmann::json& header, Literal* literal,
                         ChildProcess::Clock::time_point deadline);
  // The child is not to be trusted any further.
  absl::Status Refuse(absl::string_view what);
  absl::StatusOr<std::string> ScratchFile();

  ProcessOptions options_;
  std::string name_;
  std::unique_ptr<ChildProcess> child_;
  int64_t generation_ = 0;  // of the child; handles belong to one
  int64_t next_id_ = 1;
  std::optional<int64_t> unread_release_;  // the id of a release whose answer has not been read
  ProcessCapabilities capabilities_;
  std::string scratch_;  // folder of payload files, made at need
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_
