// Any program that answers requests over two file descriptors, as a backend. The contract for such
// programs is docs/process_backend.md. A child that crashes, hangs or answers nonsense becomes an
// ABORTED error that says so; the next request starts a fresh one. Tests: process_test.cc,
// containment_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_
#define ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/process/child_process.h"
#include "nlohmann/json.hpp"

namespace assay {

struct ProcessOptions {
  std::string command;  // for /bin/sh
  std::string name;     // of the backend and in messages; empty: "process:" and the command
  // Deadlines; negative: none.
  double start_seconds = 120;
  double compile_seconds = 300;
  double execute_seconds = 600;
  double run_seconds = 900;  // compile and execute in one request
  // What the child and each process that it starts may take for its data (RLIMIT_DATA: heap and
  // private writable mappings, used or not; files that are mapped and shared memory do not count).
  // 0: no limit.
  int64_t memory_bytes = 0;
  // Payloads of more bytes than this travel as files.
  int64_t file_threshold = int64_t{64} << 20;
  // What an answer may feed out: how much that is, the child says alone.
  int64_t outfeed_bytes = int64_t{1} << 30;
};

// What the program said of itself.
struct ProcessCapabilities {
  int64_t protocol = 1;
  std::string name;
  std::string version;
  std::set<std::string> formats;
  std::optional<std::set<std::string>> operations;  // unset: every one
  std::optional<std::set<std::string>> types;
  int64_t devices = 1;
  bool feeds = false;          // takes modules with infeeds and outfeeds
  bool dynamic_sizes = false;  // takes and gives current sizes of dynamic dimensions
  bool executes_again = true;  // takes other arguments for a compiled module
};

class ProcessBackend : public Backend {
 public:
  explicit ProcessBackend(ProcessOptions options);
  ~ProcessBackend() override;

  absl::string_view name() const override { return name_; }
  // The name and the version of its answer to hello.
  std::string display_name() override;
  // As the child has said in its answer to hello; Supports() starts it.
  BackendCapabilities capabilities() const override {
    return {.executes_again = capabilities_.executes_again, .devices = capabilities_.devices};
  }
  absl::Status Supports(const Module& module) override;
  // Another child, after a crash, compiles the module again with the same options.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  // One request where the child speaks version 2 of the protocol (of several sets of inputs:
  // version 4), which spares it the modules that it would keep.
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override;
  absl::StatusOr<ProcessCapabilities> Capabilities();

 private:
  friend class ProcessExecutable;

  // A child that has said hello; starts one where there is none.
  absl::Status EnsureChild();
  // Reads the answer to the last release, if there is one. False when there is no child.
  bool EnsureNothingUnread();
  absl::Status ReadHello(const nlohmann::json& hello);
  // Whether the names in a list of the answer to hello exist; the rest of the list is not read.
  absl::Status CheckNames(const nlohmann::json& hello, const char* key);
  // Sends a request with its payload and reads the header of the answer; its payload too, unless it
  // is a result.
  absl::StatusOr<nlohmann::json> Ask(nlohmann::json request, absl::string_view payload,
                                     double seconds);
  absl::Status SendRequest(nlohmann::json request, absl::string_view payload, int64_t id,
                           ChildProcess::Clock::time_point deadline);
  absl::StatusOr<nlohmann::json> ReadAnswer(int64_t id, ChildProcess::Clock::time_point deadline);
  absl::Status SkipPayload(const nlohmann::json& answer, ChildProcess::Clock::time_point deadline);
  // The module in a format that the child reads, which the request names.
  absl::StatusOr<std::string> EncodeModule(const Module& module, nlohmann::json* request);
  absl::StatusOr<int64_t> CompileModule(const Module& module, const CompileOptions& options,
                                        int64_t* devices);
  absl::StatusOr<ExecuteResults> Execute(int64_t handle, const Module& module,
                                         absl::Span<const ExecuteInputs> inputs);
  // Asks for what `count` devices give, those of every execution.
  absl::StatusOr<std::vector<DeviceOutputs>> AskForOutputs(nlohmann::json request,
                                                           absl::string_view payload,
                                                           const Module& module, size_t count,
                                                           double limit, double* seconds);
  // From here to ScratchFile: process_arrays.cc.
  // Adds the headers of arguments and queues to a request, or to one set of it; their bytes are
  // appended to the payload.
  absl::Status EncodeInputs(absl::Span<const std::vector<const Literal*>> arguments,
                            absl::Span<const absl::Span<const Literal>> queues,
                            nlohmann::json* request, std::string* payload);
  // An array of these: its header, and its bytes appended to the payload or in a file.
  absl::StatusOr<nlohmann::json> EncodeLeaf(const Literal& leaf, std::string* payload);
  // Whether the header of an array has the bytes and, of dynamic dimensions, sizes that fit.
  absl::Status CheckArray(const nlohmann::json& header, const Shape& shape);
  // Whether the headers of one value are those of the arrays of the result.
  absl::Status CheckHeaders(const nlohmann::json& headers, const Shape& result);
  // Whether the headers of what is fed out are of shapes that the module's outfeeds have, and not
  // too much.
  absl::Status CheckOutfeeds(const nlohmann::json& lists, const Module& module, size_t count);
  // Of headers that have been checked.
  absl::StatusOr<std::vector<Literal>> ReadOutfeed(const nlohmann::json& headers,
                                                   const Module& module,
                                                   ChildProcess::Clock::time_point deadline);
  // A value whose headers have been checked.
  absl::StatusOr<Literal> ReadResult(const nlohmann::json& headers, const Shape& result,
                                     ChildProcess::Clock::time_point deadline);
  absl::Status ReadArray(const nlohmann::json& header, Literal* literal,
                         ChildProcess::Clock::time_point deadline);
  absl::StatusOr<std::string> ScratchFile();
  void Release(int64_t handle, int64_t generation);
  // The child is not to be trusted any further.
  absl::Status Refuse(absl::string_view what);

  ProcessOptions options_;
  std::string name_;
  std::unique_ptr<ChildProcess> child_;
  int64_t generation_ = 0;  // of the child; handles belong to one
  int64_t next_id_ = 1;
  std::optional<int64_t> unread_release_;  // the id of a release whose answer has not been read
  ProcessCapabilities capabilities_;
  std::string excerpt_;  // the beginning of the last answer, for messages
  std::string scratch_;  // folder of payload files, made at need
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_
