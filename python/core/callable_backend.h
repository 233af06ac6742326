// A backend that is a Python function, such as JAX on the user's device. The function gets a module
// and arguments and returns results; its exception is the error. Tests: python/tests/diff_test.py.
#ifndef ASSAY_PYTHON_CORE_CALLABLE_BACKEND_H_
#define ASSAY_PYTHON_CORE_CALLABLE_BACKEND_H_

#include <memory>
#include <string>

#include "python/core/binding.h"

namespace assay::python {

class CallableBackend : public Backend {
 public:
  // Calls `function(show, arguments)`. show(FORMAT) returns the module as bytes; arguments and
  // results are lists of Array by device.
  CallableBackend(nb::object function, Interruption* interruption);
  ~CallableBackend() override;

  absl::string_view name() const override { return name_; }
  BackendCapabilities capabilities() const override;
  absl::Status Supports(const Module&) override { return absl::OkStatus(); }
  // Returns UNIMPLEMENTED, because a function compiles and runs a module in one call.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override;

 private:
  // Calls the function. Python exceptions become errors. Called with the GIL.
  absl::StatusOr<std::vector<DeviceOutputs>> Ask(const Module& module,
                                                 absl::Span<const DeviceInputs> inputs);

  nb::object function_;
  std::string name_;
  Interruption* interruption_;
};

}  // namespace assay::python

#endif  // ASSAY_PYTHON_CORE_CALLABLE_BACKEND_H_
