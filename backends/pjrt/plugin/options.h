// The options of a client: create options or, if they are absent, environment variables (the table
// of docs/pjrt.md). Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_OPTIONS_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/pjrt/abi/abi.h"
#include "runtime/budget.h"

namespace assay::pjrt {

// Returns 0, or another number and a message in `error`.
using PythonCallback = int32_t(int64_t index, const void* const* arguments, void* const* results,
                               char* error, size_t error_size);

struct ClientOptions {
  std::string platform_name = "cpu";
  int64_t device_count = 1;
  std::string backend = "golden";
  runtime::RunBudget budget;
  std::string trace;  // the trace folder; empty for no traces
  bool synchronous = false;
  PythonCallback* python_callback = nullptr;
  // The number of programs that call a Python function, by the function's number. The array lives
  // as long as the process; null for no counts. Functions with higher numbers are not counted.
  int64_t* python_uses = nullptr;
  int64_t python_uses_size = 0;

  static constexpr int64_t kMostDevices = 4096;
  // Reads the options. Returns INVALID_ARGUMENT with the name of the option or variable if it is
  // unknown or its value has the wrong type or is out of range.
  static absl::StatusOr<ClientOptions> Read(absl::Span<const PJRT_NamedValue> values);
};

// Sets a limit of the budget by the name of its option without "budget_": seconds, bytes, steps,
// elements, threads. Returns false for other names.
bool SetBudget(const std::string& name, double value, runtime::RunBudget* budget);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_OPTIONS_H_
