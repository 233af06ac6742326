// What a client is made with: create options, or the environment where they are absent (the table
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
  std::string trace;  // folder; empty: nothing is written
  bool synchronous = false;
  PythonCallback* python_callback = nullptr;
  // By number of a Python function: the programs that call it. Lives as long as the process; null:
  // nobody wants to know. Functions of higher numbers are not counted.
  int64_t* python_uses = nullptr;
  int64_t python_uses_size = 0;

  static constexpr int64_t kMostDevices = 4096;
  // INVALID_ARGUMENT for options that there are not, and for values of another type or beyond the
  // limits; names the option or the variable.
  static absl::StatusOr<ClientOptions> Read(absl::Span<const PJRT_NamedValue> values);
};

// Sets a limit by what its option is called without "budget_": seconds, bytes, steps, elements,
// threads. False for other names.
bool SetBudget(const std::string& name, double value, runtime::RunBudget* budget);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_OPTIONS_H_
