// The interface of an implementation of XLA's operations: compile a module, upload values, execute,
// download the results. The golden interpreter, third-party programs and the backends in this tree
// implement it; factory/factory.h lists them. Tests: golden/golden_backend_test.cc,
// process/process_test.cc.
//
// Threads. Backends share nothing: different backends may be used from different threads at once.
// Calls to one backend and to the executables, executions and buffers that it made must not
// overlap, but may come from different threads one after the other. Only these may be called at any
// time: Backend::name, Executable::module and device_count, Buffer::shape and device. If the
// backend declares BackendCapabilities::executes_at_once, Executable::Start and Execution::Await
// may overlap as well. A backend may use threads of its own between Start and Await, but does not
// access the caller's arguments after Await has returned.
//
// Ownership. The caller owns executables, executions and buffers, and destroys them before their
// backend, executions before their executable. The backend owns nothing of the caller's: a module
// outlives its executable, the arguments of an execution outlive the execution.
#ifndef ASSAY_BACKENDS_BACKEND_H_
#define ASSAY_BACKENDS_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/buffer.h"
#include "backends/capabilities.h"
#include "backends/device_io.h"
#include "backends/executable.h"
#include "runtime/module_form.h"
#include "runtime/run.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Options of a compilation. The module itself determines its devices: 0 to replicas times
// partitions, less one.
struct CompileOptions {
  // The meaning of the shapes of a module with several partitions. If not set, the shardings
  // decide. A backend that supports only the program of a partition ignores it.
  std::optional<runtime::ModuleForm> form = std::nullopt;
  // Executes every instruction by itself, so that the observers of the backend see it
  // (Feature::kObservers).
  bool observed = false;
  // The limit on the wall time of compiling; negative for the backend's default. Exceeding it is
  // RESOURCE_EXHAUSTED, or ABORTED if another program compiles.
  double seconds = -1;
};

// The inputs of a module that is compiled once and executed several times.
struct InputSets {
  std::vector<absl::Span<const DeviceInputs>> sets;  // each has the inputs by device
  std::vector<size_t> order;                         // the index of the set of each execution
  // The number of executions at the end of the order that run at the same time. A backend that does
  // not declare BackendCapabilities::executes_at_once executes them one after the other.
  size_t at_once = 0;
};

// The outputs of a module.
struct ModuleRun {
  std::vector<std::vector<DeviceOutputs>> outputs;  // by execution, then by device
  double seconds = 0;  // the time of the fastest execution, without transfers
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Returns the name by which the backend is selected: "golden", "process:COMMAND".
  virtual absl::string_view name() const = 0;
  // Returns the name for reports, with the name and the version that the implementation reports.
  // May start the implementation; returns name() if it does not start.
  virtual std::string display_name() { return std::string(name()); }
  // Returns the capabilities. An implementation that has to be started reports them once Supports()
  // has been called.
  virtual BackendCapabilities capabilities() const { return {}; }

  // Returns OK if the backend supports the module, otherwise UNIMPLEMENTED with the reason. Cheap:
  // compiles nothing.
  virtual absl::Status Supports(const Module& module) = 0;
  // The module must outlive the executable.
  virtual absl::StatusOr<std::unique_ptr<Executable>> Compile(
      const Module& module, const CompileOptions& options = {}) = 0;

  // Copies an array or a token to a device. Returns INVALID_ARGUMENT for a tuple and for a device
  // that does not exist.
  virtual absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) = 0;
  // Copies a buffer to the host. Returns FAILED_PRECONDITION for a deleted buffer.
  virtual absl::StatusOr<Literal> Download(const Buffer& buffer) = 0;

  // Returns the statistics of the last execution, which may have ended early. They are valid until
  // the next one. Returns null if the backend has no statistics (Feature::kStatistics) or has not
  // executed.
  virtual const runtime::RunStats* last_stats() const { return nullptr; }

  // Runs a module that is needed once: compiles it, uploads the arguments of each set, executes in
  // the given order (at least once, with queues that are filled each time), downloads and releases.
  // The arguments of a set are uploaded once, so that an execution that changes them affects the
  // next one of the set. The default calls the functions above; backends for which every call is a
  // message override it with a single message. Returns the errors of Compile and Execute. After
  // ABORTED the next call uses a new instance of the implementation.
  virtual absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs);
  // Calls RunSets with one set, `repeat` times.
  absl::StatusOr<ModuleRun> Run(const Module& module, absl::Span<const DeviceInputs> inputs,
                                int repeat);
};

// Uploads a value: one buffer for each leaf, in order. Returns the errors of Upload.
absl::StatusOr<std::vector<BufferHandle>> UploadValue(Backend& backend, const Literal& value,
                                                      int64_t device);
// Downloads the value of this shape whose leaves are the buffers. Returns the errors of Download.
absl::StatusOr<Literal> DownloadValue(Backend& backend, const Shape& shape,
                                      absl::Span<const BufferHandle> leaves);

// Uploads the arguments of each device, executes `repeat` times and downloads the outputs of the
// last execution. Stores the time of the fastest in `seconds` unless it is null. Returns
// INVALID_ARGUMENT with both numbers if the executable runs on more devices than there are
// arguments for.
absl::StatusOr<std::vector<DeviceOutputs>> RunOnDevices(Backend& backend, Executable& executable,
                                                        absl::Span<const DeviceInputs> inputs,
                                                        int repeat = 1, double* seconds = nullptr);
// Returns the result of a module without feeds on one device.
absl::StatusOr<Literal> RunCompiled(Backend& backend, Executable& executable,
                                    absl::Span<const Literal> arguments, int repeat = 1,
                                    double* seconds = nullptr);
// Returns the result of one Backend::Run on one device.
absl::StatusOr<Literal> RunOnce(Backend& backend, const Module& module,
                                absl::Span<const Literal> arguments);

}  // namespace assay

#endif  // ASSAY_BACKENDS_BACKEND_H_
