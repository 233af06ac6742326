// User-defined custom calls: handlers of XLA's typed FFI and functions of the original interface
// that a host has registered in this process. Tests: ffi_test.cc, tools/peers/ffi_peer_test.py.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_FFI_CALL_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_FFI_CALL_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "backends/pjrt/plugin/ffi_abi.h"
#include "interpreter/custom_call.h"

namespace assay::pjrt {

// The handlers by stage. Only execute is required.
struct HandlerBundle {
  ffi::Handler *instantiate = nullptr, *prepare = nullptr, *initialize = nullptr;
  ffi::Handler* execute = nullptr;
};

// Registers a target for programs that are compiled later. Returns INVALID_ARGUMENT if the handler
// was built for another major version.
absl::Status RegisterHandler(const std::string& target, const HandlerBundle& bundle);
// The original interface: void(void* out, const void** in).
using PlainFunction = void(void* out, const void** in);
absl::Status RegisterPlainFunction(const std::string& target, PlainFunction* function);

// Adds all registered targets. Returns false if there are none.
bool AddHandlers(CustomCallRegistry* registry);

}  // namespace assay::pjrt

// Registers a target, for hosts: functions by stage (api_version 1), or the function of the
// original interface as `execute` (api_version 0). Returns null, or an error message that lives
// until the next call of this thread.
extern "C" const char* AssayPjrtRegisterHandler(const char* target, int32_t api_version,
                                                void* instantiate, void* prepare, void* initialize,
                                                void* execute);

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_FFI_CALL_H_
