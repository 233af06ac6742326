// A backend that is a program of its own, which responds to requests over two file descriptors.
// docs/process_backend.md specifies the protocol. If the child crashes, hangs or sends an invalid
// response, the request returns ABORTED with the reason, and the next request starts a new child.
// Tests: process_test.cc, containment_test.cc.
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

namespace assay::process {

struct ProcessOptions {
  std::string command;  // for /bin/sh
  // the name of the backend and in messages; empty for "process:" and the command
  std::string name;
  // Time limits; negative for none.
  double start_seconds = 120;
  double compile_seconds = 300;
  double execute_seconds = 600;
  double run_seconds = 900;  // compile and execute in one request
  // The memory limit of the child, and of each process that it starts (RLIMIT_DATA: heap and
  // private writable mappings, used or not; mapped files and shared memory do not count). 0 for no
  // limit.
  int64_t memory_bytes = 0;
  // Larger payloads are sent as files.
  int64_t file_threshold = int64_t{64} << 20;
  // The limit on the bytes of outfeeds in a response, whose number the child determines.
  int64_t outfeed_bytes = int64_t{1} << 30;
};

// The capabilities that the program reported.
struct ProcessCapabilities {
  int64_t protocol = 1;
  std::string name;
  std::string version;
  std::set<std::string> formats;
  std::optional<std::set<std::string>> operations;  // if not set, all operations
  std::optional<std::set<std::string>> types;
  int64_t devices = 1;
  bool feeds = false;             // takes modules with infeeds and outfeeds
  bool dynamic_sizes = false;     // takes and gives current sizes of dynamic dimensions
  bool executes_again = true;     // executes a compiled module again with other arguments
  bool executes_at_once = false;  // several executions of a module run at the same time
};

class ProcessBackend : public Backend {
 public:
  explicit ProcessBackend(ProcessOptions options);
  ~ProcessBackend() override;

  absl::string_view name() const override { return name_; }
  // Returns the name and the version in the response to hello.
  std::string display_name() override;
  // Returns the capabilities in the response to hello; Supports() starts the child.
  BackendCapabilities capabilities() const override {
    return {.executes_again = capabilities_.executes_again,
            .executes_at_once = capabilities_.executes_at_once,
            .devices = capabilities_.devices};
  }
  absl::Status Supports(const Module& module) override;
  // After a crash the next child compiles the module again with the same options.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  // Sends one request if the child supports version 2 of the protocol (version 4 for several sets
  // of inputs), so that the child need not keep the module.
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override;
  absl::StatusOr<ProcessCapabilities> Capabilities();

 private:
  friend class ProcessExecutable;

  // Makes sure that there is a child that has responded to hello.
  absl::Status EnsureChild();
  // Reads the response to the last release, if there is one. Returns false if there is no child.
  bool EnsureNothingUnread();
  absl::Status ReadHello(const nlohmann::json& hello);
  // Checks that the names in a list of the response to hello exist. Stops at the first unknown
  // name.
  absl::Status CheckNames(const nlohmann::json& hello, const char* key);
  // Sends a request with its payload and reads the header of the response, and its payload unless
  // it is a result.
  absl::StatusOr<nlohmann::json> Ask(nlohmann::json request, absl::string_view payload,
                                     double seconds);
  absl::Status SendRequest(nlohmann::json request, absl::string_view payload, int64_t id,
                           ChildProcess::Clock::time_point deadline);
  absl::StatusOr<nlohmann::json> ReadAnswer(int64_t id, ChildProcess::Clock::time_point deadline);
  absl::Status SkipPayload(const nlohmann::json& answer, ChildProcess::Clock::time_point deadline);
  // Encodes the module in a format that the child supports, and writes the format to the request.
  absl::StatusOr<std::string> EncodeModule(const Module& module, nlohmann::json* request);
  absl::StatusOr<int64_t> CompileModule(const Module& module, const CompileOptions& options,
                                        int64_t* devices);
  absl::StatusOr<ExecuteResults> Execute(int64_t handle, const Module& module,
                                         absl::Span<const ExecuteInputs> inputs);
  // Requests the outputs of `count` devices for every execution.
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
  // Returns the header of an array. Its bytes are appended to the payload or written to a file.
  absl::StatusOr<nlohmann::json> EncodeLeaf(const Literal& leaf, std::string* payload);
  // Checks that the header of an array has the right number of bytes and valid dynamic sizes.
  absl::Status CheckArray(const nlohmann::json& header, const Shape& shape);
  // Checks that the headers of a value match the arrays of the result.
  absl::Status CheckHeaders(const nlohmann::json& headers, const Shape& result);
  // Checks that the headers of outfeeds have shapes of the module's outfeeds and do not exceed the
  // limit.
  absl::Status CheckOutfeeds(const nlohmann::json& lists, const Module& module, size_t count);
  // Reads outfeeds whose headers have been checked.
  absl::StatusOr<std::vector<Literal>> ReadOutfeed(const nlohmann::json& headers,
                                                   const Module& module,
                                                   ChildProcess::Clock::time_point deadline);
  // Reads a value whose headers have been checked.
  absl::StatusOr<Literal> ReadResult(const nlohmann::json& headers, const Shape& result,
                                     ChildProcess::Clock::time_point deadline);
  absl::Status ReadArray(const nlohmann::json& header, Literal* literal,
                         ChildProcess::Clock::time_point deadline);
  // Refuses a result with a truth value that is neither the byte 0 nor 1.
  absl::Status CheckTruthValues(const Literal& literal);
  absl::StatusOr<std::string> ScratchFile();
  void Release(int64_t handle, int64_t generation);
  // Returns an error about an invalid response and kills the child.
  absl::Status Refuse(absl::string_view what);

  ProcessOptions options_;
  std::string name_;
  std::unique_ptr<ChildProcess> child_;
  int64_t generation_ = 0;  // the number of the child; a handle belongs to one child
  int64_t next_id_ = 1;
  std::optional<int64_t> unread_release_;  // the id of a release whose response has not been read
  ProcessCapabilities capabilities_;
  std::string excerpt_;  // the beginning of the last response, for messages
  std::string scratch_;  // the folder of payload files, created when it is needed
};

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_PROCESS_BACKEND_H_
