// What an implementation of XLA's operations offers: compile a module, put values where it wants
// them, execute, fetch the results. The golden interpreter, third-party programs and the backends
// in this tree are all behind it; factory/factory.h lists them. Tests:
// golden/golden_backend_test.cc, process/process_test.cc.
//
// Threads. Backends share nothing: different backends may be used from different threads at once.
// Calls to one backend and to the executables, executions and buffers that it made must not
// overlap, but may come from different threads one after the other. Only these may be called at any
// time: Backend::name, Executable::module and device_count, Buffer::shape and device. What a
// backend does on threads of its own between Start and Await is its own affair, and it does not
// touch the caller's arguments after Await has returned.
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

// How one module is compiled. How many devices it runs on, the module itself says: devices 0 to
// replicas times partitions, less one.
struct CompileOptions {
  // What the module's shapes are, where it has several partitions; none: what its shardings tell.
  // A backend that takes only the program of a partition ignores it.
  std::optional<runtime::ModuleForm> form = std::nullopt;
  // Every instruction is executed by itself, so that the observers of the backend see it
  // (Feature::kObservers).
  bool observed = false;
  // Wall time that compiling may take; negative: what the backend allows. Exceeding it is
  // RESOURCE_EXHAUSTED, or ABORTED where another program compiles.
  double seconds = -1;
};

// The inputs of a module that is compiled once and executed several times.
struct InputSets {
  std::vector<absl::Span<const DeviceInputs>> sets;  // each by device
  std::vector<size_t> order;                         // by execution: the number of its set
};

// What a module gave.
struct ModuleRun {
  std::vector<std::vector<DeviceOutputs>> outputs;  // by execution, then by device
  double seconds = 0;                               // of the fastest execution, without transfers
};

class Backend {
 public:
  virtual ~Backend() = default;
  // As it is asked for: "golden", "process:COMMAND".
  virtual absl::string_view name() const = 0;
  // As reports call it: with the name and the version that it gives itself. May start the
  // implementation; name() where that does not start.
  virtual std::string display_name() { return std::string(name()); }
  // Of an implementation that has to be started: what it has said, once Supports() has been called.
  virtual BackendCapabilities capabilities() const { return {}; }

  // OK when the backend takes the module; UNIMPLEMENTED says why not. Cheap: compiles nothing.
  virtual absl::Status Supports(const Module& module) = 0;
  // The module must outlive the executable.
  virtual absl::StatusOr<std::unique_ptr<Executable>> Compile(
      const Module& module, const CompileOptions& options = {}) = 0;

  // Copies an array or a token to a device. INVALID_ARGUMENT for a tuple and for a device that
  // there is not.
  virtual absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) = 0;
  // FAILED_PRECONDITION for a deleted buffer.
  virtual absl::StatusOr<Literal> Download(const Buffer& buffer) = 0;

  // What the last execution counted, as far as it came: valid until the next one. Null where the
  // backend does not count (Feature::kStatistics) or has not executed.
  virtual const runtime::RunStats* last_stats() const { return nullptr; }

  // The whole life of a module that is needed once: compile, upload the arguments of each set,
  // execute in the given order (at least once; queues are filled anew), download, release. The
  // arguments of a set are uploaded once, so that an execution that changes them shows in the next
  // one of the set. Here step by step; backends for which every step is a message override it with
  // one. Errors as of Compile and Execute. After ABORTED the backend is as good as new: the next
  // call meets a fresh implementation.
  virtual absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs);
  // RunSets of one set, `repeat` times.
  absl::StatusOr<ModuleRun> Run(const Module& module, absl::Span<const DeviceInputs> inputs,
                                int repeat);
};

// A value on a device: a buffer for each leaf, in order. Errors as of Upload.
absl::StatusOr<std::vector<BufferHandle>> UploadValue(Backend& backend, const Literal& value,
                                                      int64_t device);
// The value of this shape whose leaves are the buffers. Errors as of Download.
absl::StatusOr<Literal> DownloadValue(Backend& backend, const Shape& shape,
                                      absl::Span<const BufferHandle> leaves);

// Upload the arguments of each device, execute `repeat` times and download what each device gives
// the last time; `seconds`, if not null, gets the time of the fastest. INVALID_ARGUMENT, saying
// both, where the executable runs on more devices than there are arguments for.
absl::StatusOr<std::vector<DeviceOutputs>> RunOnDevices(Backend& backend, Executable& executable,
                                                        absl::Span<const DeviceInputs> inputs,
                                                        int repeat = 1, double* seconds = nullptr);
// The result on one device, of a module without feeds.
absl::StatusOr<Literal> RunCompiled(Backend& backend, Executable& executable,
                                    absl::Span<const Literal> arguments, int repeat = 1,
                                    double* seconds = nullptr);
// That of Backend::Run once on one device.
absl::StatusOr<Literal> RunOnce(Backend& backend, const Module& module,
                                absl::Span<const Literal> arguments);

}  // namespace assay

#endif  // ASSAY_BACKENDS_BACKEND_H_
