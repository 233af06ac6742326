// What an implementation of XLA's operations offers: compile a module, put values where it wants
// them, execute, fetch the results. The golden interpreter, processes of strangers and the backends
// in this tree are all behind it. Tests: golden/golden_backend_test.cc, process/process_test.cc.
#ifndef ASSAY_BACKENDS_BACKEND_H_
#define ASSAY_BACKENDS_BACKEND_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// A value in the backend's own place. Belongs to the backend that made it and must not outlive it.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual const Shape& shape() const = 0;
};

using BufferHandle = std::unique_ptr<Buffer>;

// What an execution takes and gives on one device. Values of the queues are the host's: they come
// and go by the way of the execution itself.
struct ExecuteInputs {
  std::vector<const Buffer*> arguments;   // by parameter number
  absl::Span<const Literal> infeed = {};  // as of DeviceInputs
};
struct ExecuteOutputs {
  BufferHandle result;  // the value of the entry's root
  std::vector<Literal> outfeed = {};
};

// Errors of Compile and Execute, by code:
//   INVALID_ARGUMENT    the module or an argument is illegal
//   FAILED_PRECONDITION a queue has fewer arrays than the infeeds take
//   UNIMPLEMENTED       the backend does not support it; the message says what
//   RESOURCE_EXHAUSTED  a budget is spent
//   ABORTED             the implementation failed: it crashed, hung, or answered nonsense
class Executable {
 public:
  virtual ~Executable() = default;
  // Devices that the module runs on: replicas times partitions.
  virtual int64_t device_count() const { return 1; }
  // By device. Arguments stay valid; what the queues hold beyond what is taken is left.
  virtual absl::StatusOr<std::vector<ExecuteOutputs>> Execute(
      absl::Span<const ExecuteInputs> inputs) = 0;
  // Wall time of the last Execute as the backend itself measured it, without transfers.
  virtual double last_seconds() const = 0;
};

// What a backend says of itself, whatever its name is.
struct BackendCapabilities {
  // Assay's verifier runs before the backend: it never receives an illegal module, and whether
  // illegal modules are refused is no property of it.
  bool modules_are_verified = false;
  // It is the reference interpreter, or made of it: only the definitions of the operations are
  // independent of it.
  bool is_reference = false;
  // A compiled module may be executed several times, with any arguments. Answers that are stored
  // for certain arguments have no others.
  bool executes_again = true;
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
  virtual absl::string_view name() const = 0;
  // OK when the backend takes the module; UNIMPLEMENTED says why not. Cheap: compiles nothing.
  virtual absl::Status Supports(const Module& module) = 0;
  // The module must outlive the executable.
  virtual absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module) = 0;
  virtual absl::StatusOr<BufferHandle> Upload(const Literal& literal) = 0;
  virtual absl::StatusOr<Literal> Download(const Buffer& buffer) = 0;
  virtual BackendCapabilities capabilities() const { return {}; }
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
