// Shared by the parts of the extension module: errors as exceptions, the lock of the Python
// interpreter (GIL), and Python's arrays and modules. Tests: python/tests.
#ifndef ASSAY_PYTHON_CORE_BINDING_H_
#define ASSAY_PYTHON_CORE_BINDING_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/factory/factory.h"
#include "runtime/budget.h"
#include "runtime/interrupt.h"
#include "spec/ir/literal.h"
#include "spec/proto/module_file.h"

namespace assay::python {

namespace nb = nanobind;

// An error that becomes a Python exception. assay._errors maps its code to a class.
class StatusError : public std::exception {
 public:
  explicit StatusError(absl::Status status)
      : status_(std::move(status)), text_(status_.message()) {}
  const absl::Status& status() const { return status_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  absl::Status status_;
  std::string text_;
};

inline void Check(const absl::Status& status) {
  if (!status.ok()) throw StatusError(status);
}
template <typename T>
T Value(absl::StatusOr<T> value) {
  Check(value.status());
  return *std::move(value);
}

// Releases the GIL in a scope. A thread that leaves the scope while the interpreter is being
// finalised waits for the end of the process.
class WithoutLock {
 public:
  WithoutLock();
  ~WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

// Interrupts work when Python has a signal for the thread (Ctrl-C), a callback has raised, or the
// interpreter ends. Keeps the exception until the work has ended.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Returns true if the work should end. Checks for signals at most 20 times a second. Called
  // without the GIL.
  bool Wanted();
  // Stores the exception that Python has set in this thread. Called with the GIL.
  void Keep();
  // Throws the stored exception, if there is one. Called with the GIL.
  void Rethrow();

 private:
  int64_t next_look_ = 0;
  bool kept_ = false;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

// Runs work without the GIL, so that it can be interrupted. The work must not call Python.
template <typename Work>
auto Unlocked(Interruption& interruption, Work work) {
  auto wanted = [&] { return interruption.Wanted(); };
  try {
    auto result = [&] {
      const WithoutLock unlocked;
      const runtime::ScopedInterrupt scope(wanted);
      return work();
    }();
    interruption.Rethrow();
    return result;
  } catch (const StatusError&) {
    interruption.Rethrow();  // rather than an error about an interruption
    throw;
  }
}
template <typename Work>
auto Unlocked(Work work) {
  Interruption interruption;
  return Unlocked(interruption, std::move(work));
}

// Interrupts all work and waits for its end, without the GIL, for at most some seconds. atexit
// calls it when the interpreter ends.
void EndAllWork();

// An array or token in Python. Elements are stored as in Literal; narrow types take one byte each.
struct Array {
  Literal value;
};

// A module with the arguments of its file.
struct LoadedModule {
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments = {};  // the arguments of a snapshot
  std::optional<Literal> result = {};
  std::vector<std::string> result_names = {};
};

using ArraysByDevice = std::vector<std::vector<Array>>;

// Returns the arguments of a module by device, from arrays in the order of its leaves. If one
// device is given all devices get its arrays.
absl::StatusOr<std::vector<std::vector<Literal>>> ArgumentsOf(const Module& module,
                                                              const ArraysByDevice& arrays,
                                                              int64_t devices);
// Returns the leaves of values by device, including tokens. Shared storage is copied, so that
// Python may write to it.
ArraysByDevice LeavesOf(std::vector<Literal> values);
// Returns the number of the module's argument lists, one for each device.
absl::StatusOr<int64_t> DevicesOf(const Module& module);

// Returns the backend of a name ("cpu", "process:./mine"), or of a Python function (show, arguments
// by device) -> results by device. The arguments must outlive it.
std::unique_ptr<Backend> MakeTarget(const nb::object& target, const BackendOptions& options,
                                    Interruption& interruption);

// Converts the exception of a Python function to an error. KeyboardInterrupt and similar exceptions
// interrupt the work and are raised again by its caller. Called with the GIL.
absl::Status StatusOfException(nb::python_error& error, Interruption& interruption);

void BindArrays(nb::module_& m);
void BindModules(nb::module_& m);
void BindJudging(nb::module_& m);
void BindReduction(nb::module_& m);
void BindSuite(nb::module_& m);

}  // namespace assay::python

#endif  // ASSAY_PYTHON_CORE_BINDING_H_
