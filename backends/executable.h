// A compiled module, and executions of it. Arguments and results are buffers, one for each array or
// token, so that results of one execution are arguments of the next without leaving the device.
// Tests: golden/golden_backend_test.cc, process/process_test.cc.
#ifndef ASSAY_BACKENDS_EXECUTABLE_H_
#define ASSAY_BACKENDS_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/buffer.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// The inputs and outputs of an execution on one device. Values of queues are in host memory and are
// transferred during the execution.
struct ExecuteInputs {
  std::vector<Argument> arguments;        // the leaves of all parameters, in order
  absl::Span<const Literal> infeed = {};  // as of DeviceInputs
};
struct ExecuteOutputs {
  std::vector<BufferHandle> results;  // the leaves of the entry's root, in order
  std::vector<Literal> outfeed = {};
};

struct ExecuteResults {
  std::vector<ExecuteOutputs> devices;
  // The wall time of the execution that the backend measured, without transfers.
  double seconds = 0;
};

// A running execution. The destructor waits until it has finished.
class Execution {
 public:
  virtual ~Execution() = default;
  // Waits until the execution has finished. May be called once.
  virtual absl::StatusOr<ExecuteResults> Await() = 0;
};

// Errors of Compile, Start and Await, by code:
//   INVALID_ARGUMENT    the module or an argument is illegal
//   FAILED_PRECONDITION an argument was deleted, or a queue has fewer arrays than the infeeds take
//   UNIMPLEMENTED       the backend does not support it; the message says what
//   RESOURCE_EXHAUSTED  a budget is spent
//   ABORTED             the implementation failed: it crashed, hung, or answered nonsense
class Executable {
 public:
  // The module must outlive the executable.
  explicit Executable(const Module& module) : module_(module) {}
  virtual ~Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Returns the compiled module. Its entry determines the leaves of arguments and results.
  const Module& module() const { return module_; }
  // The number of devices that the module runs on: its replicas times its partitions.
  virtual int64_t device_count() const { return 1; }

  // Starts an execution on arguments by device. The executable, the buffers and the arrays of the
  // queues must stay valid until it has finished. Donated buffers are deleted when Start returns,
  // unless it rejects the arguments. Arrays of the queues that no infeed takes are ignored. Returns
  // INVALID_ARGUMENT if there are more or fewer leaves than the parameters have, or if a buffer
  // lies on another device, or is donated and also another argument; FAILED_PRECONDITION, with the
  // name of the parameter, if an argument was deleted.
  absl::StatusOr<std::unique_ptr<Execution>> Start(absl::Span<const ExecuteInputs> inputs);
  // Calls Start and Await.
  absl::StatusOr<ExecuteResults> Execute(absl::Span<const ExecuteInputs> inputs);

 protected:
  // Starts an execution on arguments that Start has checked. It may reuse the storage of donated
  // buffers.
  virtual absl::StatusOr<std::unique_ptr<Execution>> Launch(
      absl::Span<const ExecuteInputs> inputs) = 0;

 private:
  const Module& module_;
};

// An executable whose Start runs the whole execution.
class SynchronousExecutable : public Executable {
 public:
  using Executable::Executable;

 protected:
  virtual absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> inputs) = 0;

 private:
  // Await returns the error of the run, as for asynchronous executables.
  absl::StatusOr<std::unique_ptr<Execution>> Launch(absl::Span<const ExecuteInputs> inputs) final;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_EXECUTABLE_H_
