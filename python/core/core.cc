// The extension module assay._core: errors, and the lock of the interpreter around long work. What
// it offers is in _core.pyi; users see the classes of the package.
#include <atomic>
#include <chrono>
#include <thread>

#include "python/core/binding.h"

namespace assay::python {
namespace {

using Clock = std::chrono::steady_clock;

// Set once, when the interpreter ends.
std::atomic<bool> interpreter_ends = false;
// Calls that run without the lock, or wait for it.
std::atomic<int> running = 0;
// The thread that ends the interpreter; its own calls go on.
std::atomic<std::thread::id> ending_thread;

// Threads that are left when the interpreter ends are daemons, which nobody waits for. Taking the
// lock would end them in the middle of C++ frames, and with them the process.
void StayIfTheInterpreterEnds() {
  if (!interpreter_ends || ending_thread.load() == std::this_thread::get_id()) return;
  --running;
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

bool IsFinalizing() {
#if defined(Py_LIMITED_API)
  return !nb::is_alive();
#elif PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

int64_t Milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
      .count();
}

void Translate(const std::exception_ptr& pointer, void* /*unused*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const StatusError& error) {
    try {
      const std::string code = absl::StatusCodeToString(error.status().code());
      const std::string message(error.status().message());
      const nb::object exception =
          nb::module_::import_("assay._errors")
              .attr("error_of")(code, nb::bytes(message.data(), message.size()));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    } catch (nb::python_error& failed) {
      failed.restore();
    }
  }
}

}  // namespace

WithoutLock::WithoutLock() {
  ++running;
  state_ = PyEval_SaveThread();
  StayIfTheInterpreterEnds();
}

WithoutLock::~WithoutLock() {
  StayIfTheInterpreterEnds();
  PyEval_RestoreThread(state_);
  --running;
}

Interruption::Interruption() = default;

Interruption::~Interruption() {
  Py_XDECREF(type_);
  Py_XDECREF(value_);
  Py_XDECREF(trace_);
}

bool Interruption::Wanted() {
  constexpr int64_t kBetweenLooks = 50;
  if (kept_ || interpreter_ends.load(std::memory_order_relaxed)) return true;
  const int64_t now = Milliseconds();
  if (now < next_look_) return false;
  next_look_ = now + kBetweenLooks;
  if (IsFinalizing()) return true;
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return false;
  Keep();
  return true;
}

void Interruption::Keep() {
  if (kept_) return PyErr_Clear();
  PyErr_Fetch(&type_, &value_, &trace_);
  kept_ = true;
}

void Interruption::Rethrow() {
  if (!kept_) return;
  PyErr_Restore(std::exchange(type_, nullptr), std::exchange(value_, nullptr),
                std::exchange(trace_, nullptr));
  kept_ = false;
  throw nb::python_error();
}

void EndAllWork() {
  ending_thread = std::this_thread::get_id();
  interpreter_ends = true;
  const bool was_busy = running > 0;
  const nb::gil_scoped_release unlocked;
  constexpr int64_t kPatience = 5000;
  for (const int64_t start = Milliseconds(); running > 0 && Milliseconds() - start < kPatience;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // A call that had the lock already returns to Python meanwhile.
  if (was_busy) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

NB_MODULE(_core, m) {
  m.doc() = "The C++ library of Assay; users import assay.";
  nb::set_leak_warnings(false);  // arrays may outlive the interpreter
  nb::register_exception_translator(Translate);
  m.def("end_all_work", &EndAllWork, "Ends what runs in other threads; called at exit.");
  m.attr("version") = ASSAY_VERSION;
  BindArrays(m);
  BindModules(m);
  BindJudging(m);
  BindReduction(m);
  BindSuite(m);
}

}  // namespace assay::python
