#include "python/core/callable_backend.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "python/core/module_formats.h"
#include "spec/arrays/arrays.h"
#include "tools/cli/backend_table.h"

namespace assay::python {
namespace {

absl::Status RunsWhole() {
  return absl::UnimplementedError("a Python function runs modules whole: it compiles none");
}

nb::list ToLists(absl::Span<const DeviceInputs> inputs) {
  nb::list devices;
  for (const DeviceInputs& device : inputs) {
    nb::list arrays;
    for (const Literal& argument : device.arguments) {
      for (Literal& leaf : Flatten(argument)) {
        if (leaf.is_array()) arrays.append(nb::cast(Array{std::move(leaf)}));
      }
    }
    devices.append(arrays);
  }
  return devices;
}

}  // namespace

absl::Status StatusOfException(nb::python_error& error, Interruption& interruption) {
  if (!error.matches(PyExc_Exception)) {  // KeyboardInterrupt, SystemExit
    error.restore();
    interruption.Keep();
    return absl::CancelledError("interrupted");
  }
  try {
    const auto [code, message] = nb::cast<std::pair<int, std::string>>(
        nb::module_::import_("assay._errors").attr("status_of")(error.value()));
    return absl::Status(static_cast<absl::StatusCode>(code), message);
  } catch (nb::python_error&) {
    return absl::AbortedError("the function raised an exception that has no text");
  }
}

CallableBackend::CallableBackend(nb::object function, Interruption* interruption)
    : function_(std::move(function)), interruption_(interruption) {
  const nb::object name = nb::getattr(function_, "__name__", nb::str("a Python function"));
  name_ = nb::cast<std::string>(nb::str(name));
}

CallableBackend::~CallableBackend() {
  const nb::gil_scoped_acquire lock;
  function_.reset();
}

BackendCapabilities CallableBackend::capabilities() const {
  BackendCapabilities capabilities;
  capabilities.modules_are_verified = true;
  capabilities.devices = int64_t{1} << 16;  // the function refuses what it lacks
  return capabilities;
}

absl::StatusOr<std::unique_ptr<Executable>> CallableBackend::Compile(const Module&,
                                                                     const CompileOptions&) {
  return RunsWhole();
}
absl::StatusOr<BufferHandle> CallableBackend::Upload(const Literal&, int64_t) {
  return RunsWhole();
}
absl::StatusOr<Literal> CallableBackend::Download(const Buffer&) { return RunsWhole(); }

absl::StatusOr<std::vector<DeviceOutputs>> CallableBackend::Ask(
    const Module& module, absl::Span<const DeviceInputs> inputs) {
  const nb::gil_scoped_acquire lock;
  // The function may keep what it is given; the module is there while it runs.
  const auto shown = std::make_shared<const Module*>(&module);
  try {
    const nb::object show = nb::cpp_function([shown](const std::string& format) {
      if (*shown == nullptr) Check(absl::FailedPreconditionError("the module is gone"));
      const std::string text = Value(ModuleAs(**shown, format));
      return nb::bytes(text.data(), text.size());
    });
    const nb::object returned = function_(show, ToLists(inputs));
    *shown = nullptr;
    const auto devices = nb::cast<ArraysByDevice>(returned);
    std::vector<NamedLiteral> named;
    for (size_t device = 0; device < devices.size(); ++device) {
      for (size_t i = 0; i < devices[device].size(); ++i) {
        std::string name = absl::StrCat("out", i);
        if (devices.size() > 1) absl::StrAppend(&name, ".dev", device);
        named.push_back({std::move(name), devices[device][i].value});
      }
    }
    absl::StatusOr<std::vector<Literal>> results = ToResults(module, std::move(named));
    if (!results.ok()) {
      return absl::AbortedError(
          absl::StrCat("the function returned nonsense: ", results.status().message()));
    }
    results->resize(inputs.size(), results->front());
    std::vector<DeviceOutputs> outputs;
    for (Literal& result : *results) outputs.push_back({std::move(result)});
    return outputs;
  } catch (nb::python_error& error) {
    *shown = nullptr;
    return StatusOfException(error, *interruption_);
  } catch (const nb::cast_error&) {
    *shown = nullptr;
    return absl::AbortedError("the function did not return lists of arrays by device");
  }
}

absl::StatusOr<ModuleRun> CallableBackend::RunSets(const Module& module, const InputSets& inputs) {
  ModuleRun run;
  run.seconds = -1;
  for (const size_t set : inputs.order) {
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<std::vector<DeviceOutputs>> outputs = Ask(module, inputs.sets[set]);
    if (!outputs.ok()) return outputs.status();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run.seconds < 0 || seconds < run.seconds) run.seconds = seconds;
    run.outputs.push_back(*std::move(outputs));
  }
  return run;
}

std::unique_ptr<Backend> MakeTarget(const nb::object& target, const BackendOptions& options,
                                    Interruption& interruption) {
  if (nb::isinstance<nb::str>(target)) {
    return Value(cli::MakeBackend(nb::cast<std::string>(target), options));
  }
  return std::make_unique<CallableBackend>(target, &interruption);
}

}  // namespace assay::python
