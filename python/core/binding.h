// What the parts of the extension module share: errors as exceptions, the lock of the interpreter,
// arrays and modules as Python holds them. Tests: python/tests.
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

// An error on its way to Python, where assay._errors gives it the class of its code.
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

// Lets other Python threads run while it lives. A thread that comes back when the interpreter is
// already being taken down waits for the end of the process: there is nothing to return to.
class WithoutLock {
 public:
  WithoutLock();
  ~WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

// Says that work should end once Python has a signal for the thread (Ctrl-C), a callback has
// raised, or the interpreter ends; keeps the exception until the work has ended.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Looks, 20 times a second at most, for a signal. Without the lock.
  bool Wanted();
  // Takes the exception that Python has set in this thread, with the lock.
  void Keep();
  // Throws what was kept, with the lock.
  void Rethrow();

 private:
  int64_t next_look_ = 0;
  bool kept_ = false;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

// Runs work that calls no Python, without the lock, so that it can be interrupted.
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
    interruption.Rethrow();  // rather than that something was interrupted
    throw;
  }
}
template <typename Work>
auto Unlocked(Work work) {
  Interruption interruption;
  return Unlocked(interruption, std::move(work));
}

// The interpreter ends: work that runs ends as if interrupted. Waits for that, without the lock,
// for some seconds at most. Called by atexit.
void EndAllWork();

// An array or token of Python's: the elements are those of Literal, narrow types one to the byte.
struct Array {
  Literal value;
};

// A module with what its file brought along.
struct LoadedModule {
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments = {};  // of a snapshot
  std::optional<Literal> result = {};
  std::vector<std::string> result_names = {};
};

using ArraysByDevice = std::vector<std::vector<Array>>;

// The arguments of a module by device, from arrays in the order of its leaves. Where one device is
// given, all get the same.
absl::StatusOr<std::vector<std::vector<Literal>>> ArgumentsOf(const Module& module,
                                                              const ArraysByDevice& arrays,
                                                              int64_t devices);
// The leaves of values by device, tokens among them. What somebody else holds too is copied, so
// that Python may write to it.
ArraysByDevice LeavesOf(std::vector<Literal> values);
// The number of argument lists, one for each device, that the module takes.
absl::StatusOr<int64_t> DevicesOf(const Module& module);

// The backend of a name ("cpu", "process:./mine"), or of a Python function
// (show, arguments by device) -> results by device. What is referred to must outlive it.
std::unique_ptr<Backend> MakeTarget(const nb::object& target, const BackendOptions& options,
                                    Interruption& interruption);

// What a Python function has raised, as an error. KeyboardInterrupt and the like end the work and
// are raised again where it was begun. With the lock.
absl::Status StatusOfException(nb::python_error& error, Interruption& interruption);

void BindArrays(nb::module_& m);
void BindModules(nb::module_& m);
void BindJudging(nb::module_& m);
void BindReduction(nb::module_& m);
void BindSuite(nb::module_& m);

}  // namespace assay::python

#endif  // ASSAY_PYTHON_CORE_BINDING_H_
